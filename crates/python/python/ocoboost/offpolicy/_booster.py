"""Policies from logs."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from ocoboost import _core, _data, _files
from ocoboost._progress import Callbacks
from ocoboost.offpolicy import _candidates
from ocoboost.offpolicy._judgement import Judgement

if TYPE_CHECKING:
    from typing_extensions import Self

_OVERRIDES = {
    "objective": "objective",
    "max_depth": "max_depth",
    "min_child_weight": "min_child_weight",
    "reg_lambda": "reg_lambda",
    "learning_rate": "learning_rate",
    "translation": "translation",
    "clip": "clip",
    "colsample_bytree": "columns",
    "subsample": "rows",
}


_OBJECTIVES = ("ips", "surrogate", "doubly_robust", "reward_regression")


#: What the native module calls them where actions have features.
_OF_CANDIDATES = {"bopl": "ips", "bopl_s": "surrogate", "regression": "reward_regression"}


def _objective(name, value):
    if _data.text(name, value) not in _OBJECTIVES:
        raise ValueError(f"{name} = {value!r} is none of {', '.join(map(repr, _OBJECTIVES))}")
    return value


#: What a setting is that is no number with a fraction.
_KINDS = {"objective": _objective, "max_depth": functools.partial(_data.whole, below=2**32)}


class PolicyBooster(BaseEstimator):
    """A policy from a log of decisions, within a budget of time, and an honest judgement of it.

    Boosted off-policy learning (London, Levi, Sarafian, Basu, Deoras, 2023): a sum of trees F(x, a), whose
    softmax maximises an estimate of the policy's value on the log. Settings that are not given are chosen on
    the log, by cross-fitted doubly robust estimates. A share of the rows has no part in that and judges the
    result.

    Parameters
    ----------
    time_budget : float or None, default 60
        Seconds for everything; ``None`` for no limit.
    objective : {"ips", "surrogate", "doubly_robust", "reward_regression"}, optional
        What the trees are fitted to.
    n_estimators : int, optional
        The most rounds of a candidate; 800 by default.
    n_candidates : int, optional
        The most candidates that are tried; 9 by default.
    max_depth, min_child_weight, reg_lambda, learning_rate, colsample_bytree, subsample : optional
        Of the trees, as in XGBoost.
    translation : float, optional
        What is added to rewards that were mapped to [0, 1].
    clip : float, optional
        The largest importance weight in the training.
    holdout_fraction : float, optional
        The share of the rows that judge, 0.05 to 0.8; a tenth or 1,000 rows by default, at most a quarter.
    reward_range : (float, float), optional
        The range that every reward lies in, known beforehand.
    confidence : float, default 0.95
        Of the intervals and bounds of the judgement.
    epsilon : float, default 0.1
        The exploration of `sample` and `predict_proba`.
    classes : array-like, optional
        All actions; those of the log by default, or the rows of ``action_context``.
    random_state : int, RandomState, Generator or None, default 0
        A whole number makes a fit repeatable; a seed is drawn from anything else, for ``None`` from numpy's.
    n_jobs : int, optional
        Threads; all cores by default and for −1, all but one for −2. No result depends on it.
    verbose : int, default 0
        1 shows progress, with tqdm if it is there.
    callbacks : callable, or list of them, optional
        Each is called with a dict for every event; a true answer ends the search or the training.

    Attributes
    ----------
    classes_ : array of shape (n_actions,)
        Not there where every row has candidates of its own.
    n_features_in_ : int
    feature_names_in_ : array of str, for data frames only
        The columns that the policy looks at, without those that are no contexts or were left out.
    feature_importances_ : array of shape (n_features_in_,)
        The share of the spread of the scores that is due to splits by each column. The shares of splits by
        the action are in ``record_["importance"]``; all together sum to 1. Not there with ``action_context``.
    judgement_ : Judgement
        On rows that had no part in the choice, of the best action in every row, as `predict` has it. Exploration,
        as `sample` has it, costs something: ``evaluate(policy.predict_proba(…), …)`` says how much.
    record_ : dict
        What was tried, what was chosen, what the budget cut off.
    n_estimators_ : int
        The trees of the policy.
    policy_ : object
        The trained policy.

    Examples
    --------
    >>> import numpy as np
    >>> from ocoboost.offpolicy import PolicyBooster
    >>> rng = np.random.default_rng(0)
    >>> x, action = rng.uniform(size=(2000, 1)), rng.integers(2, size=2000)
    >>> reward = (action == (x[:, 0] > 0.5)).astype(float)
    >>> policy = PolicyBooster(time_budget=5, n_candidates=2, n_estimators=40)
    >>> policy = policy.fit(x, action, reward, np.full(2000, 0.5))
    >>> policy.predict([[0.1], [0.9]]).tolist(), policy.judgement_.is_better
    ([0, 1], True)
    """

    # Columns of the frame of the fit that are no contexts, which nobody is told of again. A file does not have them.
    _left_out: tuple[str, ...] = ()

    def __init__(
        self,
        *,
        time_budget: float | None = 60.0,
        objective: str | None = None,
        n_estimators: int | None = None,
        n_candidates: int | None = None,
        max_depth: int | None = None,
        min_child_weight: float | None = None,
        reg_lambda: float | None = None,
        learning_rate: float | None = None,
        colsample_bytree: float | None = None,
        subsample: float | None = None,
        translation: float | None = None,
        clip: float | None = None,
        holdout_fraction: float | None = None,
        reward_range: tuple[float, float] | None = None,
        confidence: float = 0.95,
        epsilon: float = 0.1,
        classes: ArrayLike | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callbacks: Callable[[dict[str, Any]], object] | Sequence[Callable[[dict[str, Any]], object]] | None = None,
    ) -> None:
        self.time_budget = time_budget
        self.objective = objective
        self.n_estimators = n_estimators
        self.n_candidates = n_candidates
        self.max_depth = max_depth
        self.min_child_weight = min_child_weight
        self.reg_lambda = reg_lambda
        self.learning_rate = learning_rate
        self.colsample_bytree = colsample_bytree
        self.subsample = subsample
        self.translation = translation
        self.clip = clip
        self.holdout_fraction = holdout_fraction
        self.reward_range = reward_range
        self.confidence = confidence
        self.epsilon = epsilon
        self.classes = classes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks

    def fit(
        self,
        context: Any,
        action: ArrayLike | str,
        reward: ArrayLike | str,
        pscore: ArrayLike | str | None = None,
        available: ArrayLike | str | None = None,
        *,
        action_context: Any = None,
        item: Any = None,
        time: ArrayLike | str | None = None,
        groups: ArrayLike | str | None = None,
        classes: ArrayLike | None = None,
        labels: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
    ) -> Self:
        """Learns a policy from a log.

        With ``action_context`` actions have features. A question of a tree may then be about the features of an
        action, a policy can score actions that the log does not have, and ``n_estimators`` is 400 by default.

        Parameters
        ----------
        context : array of shape (n, m), sparse matrix, data frame, or path
            float32 or float64 in any order; NaN is a missing value. A data frame of pandas, polars, pyarrow or
            duckdb is read column by column, with numbers, dates, categories and texts. Or the path of a log in any
            format that the program reads; whatever else is handed in are names of its columns then. The policy is
            that of ``ocoboost train``. Actions with features of their own are refused.
        action : array of shape (n,), or the name of a column
            What was done: labels or whole numbers.
        reward : array of shape (n,), or the name of a column
            What it brought; more is better.
        pscore : array of shape (n,), or the name of a column, optional
            The probability with which the action was taken, in (0, 1]. Estimated where it is not given: by
            multinomial logistic regression, or with ``action_context`` by boosted conditional softmax regression on
            the features of contexts and candidates, but not on their places.
        available : Boolean array of shape (n, n_actions), or the name of a column, optional
            Which actions were on offer, where not all of them were.
        action_context : optional
            The features of the actions, in one of these layouts.

            - An array of shape (n_actions, k), a sparse matrix, or a data frame, with a row an action: Open Bandit
              Pipeline's ``action_context``. ``action`` names a row: by ``classes``, by the index of a pandas frame,
              or by number.
            - An array of shape (n, n_candidates, k): every row has candidates of its own. ``action`` is the place of
              a candidate in its row, and ``available``, of shape (n, n_candidates), says which of them are there.
            - A list of n arrays of shape (n_candidates, k), of any numbers of candidates.
            - ``(offsets, features)``: n + 1 whole numbers and an array of shape (n_pairs, k). The candidates of row i
              are the rows ``offsets[i]:offsets[i + 1]`` of it.

            NaN is a missing value, and a split learns where it goes.
        item : optional
            What the candidates are called, in the layout of ``action_context`` without its last axis: an item has
            then an identity besides its features. Others than those of the fit have none, and are scored by their
            features alone.
        time : array of shape (n,), or the name of a column, optional
            The latest rows judge.
            Dates and their texts by ISO 8601 are times too, beside a data frame and with ``action_context``.
        groups : array of shape (n,), or the name of a column, optional
            Rows of a group stay together, as those of one user.
        classes : array-like, optional
            In place of the setting ``classes``.
        labels : list of str, optional
            Columns of a data frame that hold labels, though they look like numbers or have many values.
        ignore : list of str, optional
            Columns of a data frame that are left out of the contexts.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For a log that is refused; a row that is named counts from 0. The estimator stays as it was.
        KeyboardInterrupt
            After Ctrl-C, within a round of the search, of the training or of a model of rewards, or a fit of
            the estimated propensities. The last estimates of the judgement are not divided.
        """
        if time is not None and groups is not None:
            raise ValueError("time and groups are two ways to split the rows: one is enough")
        seed, n_jobs = _data.seed_of(self.random_state), _data.threads(self.n_jobs)
        if action_context is not None:
            if labels is not None or ignore is not None:
                raise ValueError("labels and ignore are for logs without action_context")
            own = self.classes if classes is None else classes
            log = (context, action, reward, pscore, available, action_context, item)
            return self._fit_candidates(log, time, groups, own, seed)
        if item is not None:
            raise ValueError("item names the candidates of action_context, and there is none")
        split = "time" if time is not None else "groups" if groups is not None else "random"
        settings = _data.as_json(self._settings(split, seed))
        classes = self.classes if classes is None else classes
        # Of a data frame or a file Rust has read them already.
        is_frame = _data.is_frame(context) or _data.is_file(context)
        with _data.reading(context) as (context, is_lent):
            log, classes, names = _data.log_of(
                context,
                action,
                reward,
                pscore,
                available,
                time,
                groups,
                classes=classes,
                coding=None,
                seed=seed,
                labels=labels,
                ignore=ignore,
                is_lent=is_lent,
            )
            n = len(log)
            own_time = None if time is None or is_frame else _data.numbers("time", time, n)
            own_groups = None
            if groups is not None and not is_frame:
                own_groups = np.unique(np.asarray(groups), return_inverse=True)[1].astype(np.uint64)
                if len(own_groups) != n:
                    raise ValueError(f"groups has {len(own_groups)} entries, action has {n}")
            with Callbacks(self) as callback:
                policy = _core.Policy.fit(
                    log, settings, time=own_time, groups=own_groups, n_jobs=n_jobs, callback=callback
                )
        self._take(policy, classes, has_names=is_frame)
        self._left_out = (
            *_data.named_in(action, reward, pscore, available, time, groups),
            *map(str, ignore or ()),
        )
        _data.tell(log.notes)
        return self

    def _fit_candidates(self, given, time, groups, classes, seed):
        context, *_, action_context, item = given
        split = "time" if time is not None else "groups" if groups is not None else "random"
        settings, n_jobs = _data.as_json(self._settings(split, seed)), _data.threads(self.n_jobs)
        left_out = _data.named_in(*given[1:4], time, groups)
        (time, groups), apart = _candidates.named_of(context, {"time": time, "groups": groups})
        log, layout, columns = _candidates.log_of(*given, classes=classes, apart=apart, seed=seed, n_jobs=n_jobs)
        with Callbacks(self) as callback:
            policy = _core.CandidatePolicy.fit(
                log,
                settings,
                json.dumps(columns),
                time=None if time is None else _candidates.times_of(time, len(log)),
                groups=None if groups is None else _candidates.groups_of(groups, len(log)),
                n_jobs=n_jobs,
                callback=callback,
            )
        self._take(policy, layout.labels, has_names=context is not None and _data.is_frame(context))
        self._left_out = left_out
        if layout.kind == "table":
            self.action_context_, self.item_ = action_context, item
        return self

    def predict(
        self,
        context: Any,
        available: ArrayLike | str | None = None,
        *,
        action_context: Any = None,
        item: Any = None,
    ) -> NDArray[Any]:
        """The best action of every row among those on offer, the first of equals.

        Parameters
        ----------
        context, available, action_context, item
            As in `fit`. An ``action_context`` with a row an action is that of the fit by default; its rows may be
            other actions.

        Returns
        -------
        array of shape (n,)
            Actions as they were named in the fit. Of candidates their places; of the rows of another
            ``action_context`` their index, or their numbers.
        """
        threads = _data.threads(self.n_jobs)
        if self._is_over_candidates(action_context):
            choices, layout = self._choices(context, available, action_context, item)
            return layout.actions(self.policy_.predict(choices, threads))
        codes = self._of_rows(context, available, lambda policy, rows: policy.predict(rows, threads))
        return self.classes_[codes]

    def predict_one(self, x: Any, available: ArrayLike | None = None) -> Any:
        """The best action for one row, as `predict` has it, for decisions one by one.

        Parameters
        ----------
        x : dict, or sequence of m numbers
            A dict has a value for every column of the fit: a number, a text, a date or time of Python, numpy or
            pandas, or ``None`` where it is missing.
            Numbers have the order of the columns, and NaN is missing.
        available : sequence of n_actions Booleans, optional
            Which actions are on offer.

        Returns
        -------
        object
            The action as it was named in the fit.

        Raises
        ------
        ValueError, TypeError
            For another number of columns, a missing column, and what is no number. For a policy over candidates.
        """
        if self._is_over_candidates(None):
            raise ValueError("predict_one is for policies that were trained without action_context: use predict")
        return self.classes_.item(self.policy_.predict_one(x, available))

    def predict_proba(
        self,
        context: Any,
        available: ArrayLike | str | None = None,
        *,
        action_context: Any = None,
        item: Any = None,
        exploration: str = "epsilon_greedy",
        parameter: float | None = None,
        obp: bool = False,
    ) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        """π(a|x), by which actions are to be played.

        Parameters
        ----------
        context, available, action_context, item
            As in `predict`.
        exploration : {"epsilon_greedy", "softmax"}, default "epsilon_greedy"
            The best action with probability 1 − ε, else any; or probabilities ∝ exp(β · score).
        parameter : float, optional
            ε or β; ``epsilon`` or 1 by default.
        obp : bool, default False
            Whether the shape is (n, n_actions, 1), the ``action_dist`` of Open Bandit Pipeline.

        Returns
        -------
        array of shape (n, n_actions)
            In the order of ``classes_``, or of the rows of ``action_context``; of shape (n, n_candidates) for an
            array of candidates, with 0 where there is none. A list of arrays for a list of them, and a flat array
            of shape (n_pairs,) for ``(offsets, features)``.
        """
        kind = (exploration, self._parameter(exploration, parameter), _data.threads(self.n_jobs))
        if self._is_over_candidates(action_context):
            choices, layout = self._choices(context, available, action_context, item)
            found = layout.unravel(self.policy_.probabilities(choices, *kind))
            if obp and layout.shape is None:
                raise ValueError("obp is for as many candidates in every row")
            return found[:, :, np.newaxis] if obp else found
        found = self._of_rows(context, available, lambda policy, rows: policy.probabilities(rows, *kind))
        return found[:, :, np.newaxis] if obp else found

    def sample(
        self,
        context: Any,
        available: ArrayLike | str | None = None,
        *,
        action_context: Any = None,
        item: Any = None,
        exploration: str = "epsilon_greedy",
        parameter: float | None = None,
        random_state: Any = None,
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Draws an action for every row, with its propensity for the next log.

        Parameters
        ----------
        context, available, action_context, item, exploration, parameter
            As in `predict_proba`.
        random_state : int, RandomState or Generator, optional
            A fresh one by default: two calls with the same number draw the same.

        Returns
        -------
        (array of shape (n,), array of shape (n,))
            Actions and propensities.
        """
        seed = int.from_bytes(os.urandom(8), "little") if random_state is None else _data.seed_of(random_state)
        parameter = self._parameter(exploration, parameter)
        settings = (exploration, parameter, seed, _data.threads(self.n_jobs))
        if self._is_over_candidates(action_context):
            choices, layout = self._choices(context, available, action_context, item)
            places, pscore = self.policy_.sample(choices, *settings)
            return layout.actions(places), pscore
        codes, pscore = self._of_rows(context, available, lambda policy, rows: policy.sample(rows, *settings))
        return self.classes_[codes], pscore

    def decision_function(
        self,
        context: Any,
        available: ArrayLike | str | None = None,
        *,
        action_context: Any = None,
        item: Any = None,
    ) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        """F(x, a), by which actions are ranked, in the order of ``classes_``.

        Parameters
        ----------
        context, available, action_context, item
            As in `predict`. Without ``action_context`` every action has a score, available or not.

        Returns
        -------
        array of shape (n, n_actions)
            Of candidates as of `predict_proba`, with −∞ where there is none.
        """
        threads = _data.threads(self.n_jobs)
        if self._is_over_candidates(action_context):
            choices, layout = self._choices(context, available, action_context, item)
            return layout.unravel(self.policy_.scores(choices, threads), -np.inf)
        return self._of_rows(context, None, lambda policy, rows: policy.scores(rows, threads))

    def score(
        self,
        context: Any,
        action: ArrayLike | str,
        reward: ArrayLike | str,
        pscore: ArrayLike | str | None = None,
        available: ArrayLike | str | None = None,
        *,
        action_context: Any = None,
        item: Any = None,
    ) -> float:
        """The estimated value of the policy on another log: doubly robust where a model of rewards can be had.

        Parameters
        ----------
        context, action, reward, pscore, available, action_context, item
            As in `fit`, with ``action_context`` as in `predict`.

        Returns
        -------
        float
        """
        from ocoboost.offpolicy import evaluate

        self._check_fitted()
        given = {"available": available, "action_context": action_context, "item": item}
        return evaluate(self, context, action, reward, pscore, n_jobs=self.n_jobs, **given).value

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model file, which Rust and the program read too.

        Raises
        ------
        OSError
            An old file is then untouched.
        """
        self._check_fitted()
        path = os.fspath(path)
        with _files.writing(path):
            self.policy_.save(path)

    def export(self, format: str = "json", path: str | PathLike[str] | None = None) -> str:
        """The policy for other programs, as JSON; the judgement and the exploration are not part of XGBoost's.

        Parameters
        ----------
        format : {"json", "xgboost"}, default "json"
            Everything that is known of the policy, or a model that XGBoost loads, with a row a pair of a context
            and an action.
        path : str or path, optional
            Where the text is written too.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            For another format, and for a policy that the format cannot hold.
        OSError
            An old file is then untouched.
        """
        self._check_fitted()
        text = self.policy_.export(format)
        if path is not None:
            path = os.fspath(path)
            with _files.writing(path):
                _core.write_file(path, text)
        return text

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Reads a model file, of Python, Rust or the program. Actions are texts then.

        An ``action_context`` with a row an action is not in the file, and is handed in to `predict` then.
        ``epsilon`` is that of the file. All other settings are the defaults; ``record_`` says how the policy
        was trained.

        Raises
        ------
        OSError, ValueError
            For a file that cannot be read, or holds something else; of a model of another class the message names
            the class that reads it.
        """
        path = os.fspath(path)
        with _files.reading(path):
            policy = _core.load_policy(path)
        cls._check_kind(policy)
        is_of_actions = isinstance(policy, _core.Policy)
        booster = cls()
        booster.epsilon = policy.epsilon
        names = _data.names_of(policy) if is_of_actions else []
        # Columns of arrays are x0, x1, … there.
        has_names = names != [f"x{j}" for j in range(len(names))]
        classes = np.asarray(policy.action_names) if is_of_actions else None
        booster._take(policy, classes, has_names=has_names)
        return booster

    @classmethod
    def _check_kind(cls, policy):
        """Refuses a policy that the class cannot have trained: this one trains policies of every objective."""

    def _take(self, policy, classes, *, has_names):
        for name in ("classes_", "action_context_", "item_", "feature_names_in_", "feature_importances_", "_left_out"):
            self.__dict__.pop(name, None)
        self.policy_ = policy
        if classes is not None:
            self.classes_ = classes
        self.judgement_ = Judgement._of(policy.judgement)
        record, provenance = map(json.loads, policy.record)
        self.record_ = {**record, "provenance": provenance}
        self.n_estimators_ = record["trees"]
        if isinstance(policy, _core.CandidatePolicy):
            names = [_name(column) for column in json.loads(policy.columns("contexts") or "[]")]
            self.n_features_in_ = len(names)
        else:
            self.feature_importances_ = policy.importances
            names = _data.names_of(policy)
            self.n_features_in_ = len(names) or policy.inputs
        if has_names and names:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def _is_over_candidates(self, action_context):
        """Whether the actions of the policy have features; refuses features for one whose actions have none."""
        self._check_fitted()
        is_over = isinstance(self.policy_, _core.CandidatePolicy)
        if action_context is not None and not is_over:
            raise ValueError("the policy was trained without action_context")
        return is_over

    def _offered(self, action_context, item):
        """The candidates: those of the fit where none are given; and what the rows of a table are called."""
        own = getattr(self, "action_context_", None)
        if action_context is None:
            if own is None:
                raise ValueError("action_context is missing: the policy chooses among candidates with features")
            return own, self.item_, self.classes_
        is_own = action_context is own
        return action_context, self.item_ if is_own and item is None else item, self.classes_ if is_own else None

    def _choices(self, context, available, action_context, item):
        action_context, item, classes = self._offered(action_context, item)
        own = {"policy": self.policy_, "classes": classes, "ignore": self._left_out}
        choices, layout, _ = _candidates.read(context, action_context, available, item, **own)
        return choices, layout

    def _settings(self, split, seed):
        def setting(name, of, *, is_needed=False):
            value = getattr(self, name)
            return None if value is None and not is_needed else of(name, value)

        overrides = {own: setting(name, _KINDS.get(name, _data.real)) for name, own in _OVERRIDES.items()}
        overrides = {own: value for own, value in overrides.items() if value is not None}
        is_endless = isinstance(self.time_budget, float) and self.time_budget == float("inf")
        given = {
            "time_budget": None if is_endless else setting("time_budget", _data.real),
            "holdout_share": setting("holdout_fraction", _data.share),
            "candidates": setting("n_candidates", _data.whole),
            "rounds": setting("n_estimators", _data.whole),
            "reward_range": setting("reward_range", _data.interval),
            "confidence": setting("confidence", _data.share, is_needed=True),
            "epsilon": setting("epsilon", _data.real, is_needed=True),
        }
        return {**given, "overrides": overrides, "split": split, "seed": seed}

    def _parameter(self, exploration, parameter):
        if parameter is not None:
            return float(parameter)
        return float(self.epsilon) if exploration == "epsilon_greedy" else 1.0

    def _check_fitted(self):
        if not hasattr(self, "policy_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted: call fit first")

    def _of_rows(self, context, available, ask):
        """What the policy answers about rows."""
        self._check_fitted()
        with _data.reading(context) as (context, is_lent):
            rows = _data.contexts_of(context, available, self.policy_, is_lent, self._left_out)
            found = ask(self.policy_, rows)
        _data.tell(rows.notes, stacklevel=4)
        return found


class RewardBooster(PolicyBooster):
    """The same by a boosted model of rewards: the action of the largest predicted reward.

    The parameters are those of `PolicyBooster`, with ``objective="reward_regression"``.
    """

    def __init__(
        self,
        *,
        time_budget: float | None = 60.0,
        n_estimators: int | None = None,
        n_candidates: int | None = None,
        max_depth: int | None = None,
        min_child_weight: float | None = None,
        reg_lambda: float | None = None,
        learning_rate: float | None = None,
        colsample_bytree: float | None = None,
        subsample: float | None = None,
        holdout_fraction: float | None = None,
        reward_range: tuple[float, float] | None = None,
        confidence: float = 0.95,
        epsilon: float = 0.1,
        classes: ArrayLike | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callbacks: Callable[[dict[str, Any]], object] | Sequence[Callable[[dict[str, Any]], object]] | None = None,
    ) -> None:
        self.time_budget = time_budget
        self.n_estimators = n_estimators
        self.n_candidates = n_candidates
        self.max_depth = max_depth
        self.min_child_weight = min_child_weight
        self.reg_lambda = reg_lambda
        self.learning_rate = learning_rate
        self.colsample_bytree = colsample_bytree
        self.subsample = subsample
        self.holdout_fraction = holdout_fraction
        self.reward_range = reward_range
        self.confidence = confidence
        self.epsilon = epsilon
        self.classes = classes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks

    objective = "reward_regression"
    translation = None
    clip = None

    @classmethod
    def _check_kind(cls, policy):
        record, _ = map(json.loads, policy.record)
        chosen = record["tried"][record["chosen"]]
        objective = chosen.get("candidate", chosen.get("recipe"))["objective"]
        objective = _OF_CANDIDATES.get(objective, objective)
        if objective != cls.objective:
            raise ValueError(
                f"the file holds a policy of the objective {objective!r}, and no model of rewards: PolicyBooster.load "
                "reads it"
            )


def _name(column):
    """The name of a column as the native module says it."""
    return next(iter(column.values()))["name"]
