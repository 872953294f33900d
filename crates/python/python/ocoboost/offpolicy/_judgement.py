"""What a log says of a policy."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError

from ocoboost import _core, _data
from ocoboost.offpolicy import _candidates

if TYPE_CHECKING:
    import pandas
    from sklearn.base import BaseEstimator

#: What a bound takes away from the estimate of the improvement, and what each part is.
_COSTS = {
    "weights": "large weights, clipped or smoothed",
    "spread": "the spread of the rewards",
    "confidence": "the confidence",
    "tried": "several settings tried on the judged rows",
    "propensities": "propensities that are estimated",
}

_METHODS = {"logarithmic_smoothing": "logarithmic smoothing", "empirical_bernstein": "empirical Bernstein"}


@dataclass(frozen=True)
class Bound:
    """A number that the improvement over the logging policy exceeds or equals, with the stated confidence.

    Attributes
    ----------
    method : {"logarithmic_smoothing", "empirical_bernstein"}
    lower : float
        The bound: reward a decision.
    confidence : float
        1 − δ.
    estimate : float or None
        The IPS estimate of the improvement. ``None`` in models of versions that did not keep the terms.
    costs : dict of str to float
        What lies between: ``lower`` is ``estimate`` less all of them, up to rounding. ``"weights"``: large weights
        are clipped or smoothed; ``"spread"`` of the rewards (part of the weights where they are smoothed);
        ``"confidence"``: what is due to δ alone; ``"tried"``: several settings were tried on the judged rows;
        ``"propensities"`` that are estimates.
    rows_needed : int or None
        About so many rows like these would bring the bound above 0, if the estimate were true: what lies between
        shrinks with their root. ``None`` where the estimate is not above 0.
    setting : float
        M of clipping, or λ of smoothing.
    settings_tried : int
        On the judged rows; 1 if it was chosen on others.
    """

    method: str
    lower: float
    confidence: float
    estimate: float | None
    costs: dict
    rows_needed: int | None
    setting: float
    settings_tried: int

    def __str__(self):
        found = f"at least {self.lower:+.4f} by {_METHODS.get(self.method, self.method)}"
        if self.estimate is None:
            return found
        costs = " ".join(f"− {cost:.4f} {name}" for name, cost in self.costs.items() if cost != 0.0)
        return f"{found}: {self.estimate:+.4f} {costs}".rstrip()


@dataclass(frozen=True)
class Certificate:
    """What is guaranteed of the improvement over the logging policy, and what each part of the guarantee costs.

    Attributes
    ----------
    bounds : tuple of Bound
        Logarithmic smoothing, on which the verdict rests, and empirical Bernstein. Each holds with its confidence,
        and whoever takes the larger one has 1 − 2δ. Empty where rewards are constant, or rows fewer than two.
    rows : int
        The judged rows.
    reward_range : (float, float)
        Every reward lies in it.
    range_source : {"given", "other_rows", "judged_rows"}
        Where it comes from.
    is_exact : bool
        Whether the bounds hold as stated: propensities were logged, and nothing was read off the judged rows.
    caveats : tuple of str
        Why they do not.

    Examples
    --------
    >>> import numpy as np
    >>> from ocoboost.offpolicy import evaluate
    >>> action = np.arange(400) % 2
    >>> pays = np.tile([0.0, 1.0], (400, 1))
    >>> found = evaluate(pays, np.zeros((400, 1)), action, action, np.full(400, 0.5), reward_range=(0, 1))
    >>> bound = found.certificate.bounds[0]
    >>> bound.estimate, abs(bound.estimate - sum(bound.costs.values()) - bound.lower) < 1e-9
    (0.5, True)
    """

    bounds: tuple
    rows: int
    reward_range: tuple
    range_source: str
    is_exact: bool
    caveats: tuple

    def to_frame(self) -> pandas.DataFrame:
        """A bound a column as a pandas data frame: the estimate, what is taken away, and the bound.

        Raises
        ------
        ImportError
            Without pandas.
        """
        return _pandas().DataFrame({bound.method: dict(_rows_of(bound)) for bound in self.bounds})

    def __str__(self):
        if not self.bounds:
            return "no bound: rewards are constant, or rows fewer than two"
        lower, upper = self.reward_range
        source = {"given": "as stated", "other_rows": "as other rows have it"}.get(self.range_source, "as these rows have it")
        share = _percent(self.bounds[0].confidence)
        lines = [f"improvement a decision, {share}, {self.rows} rows, rewards in [{lower:g}, {upper:g}] {source}"]
        lines += [f"  {bound}" for bound in self.bounds]
        needed = self.bounds[0].rows_needed
        if needed is not None and self.bounds[0].lower <= 0.0:
            lines.append(f"  about {needed} rows like these would show it, if the estimate is true")
        lines += [f"  approximate: {caveat.replace('_', ' ')}" for caveat in self.caveats]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self):
        if not self.bounds:
            return f"<p>{html.escape(str(self))}</p>"
        names = [name for name, _ in _rows_of(self.bounds[0])]
        columns = [dict(_rows_of(bound)) for bound in self.bounds]
        head = "".join(f"<th>{html.escape(_METHODS.get(bound.method, bound.method))}</th>" for bound in self.bounds)
        body = "".join(
            f"<tr><td>{html.escape(_words(name))}</td>" + "".join(f"<td>{_figure(own[name])}</td>" for own in columns) + "</tr>"
            for name in names
        )
        caption = f"improvement a decision, with {_percent(self.bounds[0].confidence)} each"
        return f"<table><caption>{html.escape(caption)}</caption><tr><th></th>{head}</tr>{body}</table>"

    @classmethod
    def _of(cls, details):
        bounds = tuple(_bound(bound, details["rows"]) for bound in details["bounds"] or ())
        found = details["range"]
        caveats = tuple(details["caveats"])
        ends = (found["lower"], found["upper"])
        return cls(bounds, details["rows"], ends, found["source"], not caveats, caveats)


def _pandas():
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame makes a data frame of pandas, which is not installed: pip install pandas") from None
    return pandas


def _bound(bound, rows):
    terms = dict(bound.get("terms") or {})
    estimate = terms.pop("estimate", None)
    needed = None
    if estimate is not None and estimate > 0.0:
        needed = int(np.ceil(min(rows * ((estimate - bound["lower"]) / estimate) ** 2, 1e18)))
    confidence = round(1.0 - bound["delta"], 12)
    setting, tried = bound["setting"], bound["tried"]
    return Bound(bound["method"], bound["lower"], confidence, estimate, terms, needed, setting, tried)


def _rows_of(bound):
    """The rows of the table of a bound."""
    costs = [] if bound.estimate is None else [(name, -bound.costs[name]) for name in _COSTS if name in bound.costs]
    return [("estimate", bound.estimate), *costs, ("lower", bound.lower), ("rows_needed", bound.rows_needed)]


def _words(name):
    known = {"estimate": "the estimate (IPS)", "lower": "at least", "rows_needed": "rows needed, about"}
    return known.get(name) or f"less {_COSTS[name]}"


def _figure(number):
    if number is None:
        return ""
    return str(number) if isinstance(number, int) else f"{number:+.4f}"


def _percent(confidence):
    return f"{100 * confidence:.4g}% confidence"


@dataclass(frozen=True)
class Judgement:
    """What a log says of a policy: estimates of its value, a bound on the improvement, and a verdict.

    Attributes
    ----------
    sentence : str
        The outcome in a sentence or two.
    verdict : str
        ``"better"``, ``"not_shown"`` or ``"cannot_answer"``.
    at_least : float or None
        The policy earns at least so much more a decision than the logging policy, with the confidence of
        the bound; negative where that it is better is not shown. ``None`` where the log cannot answer.
    value : float
        The estimate that the sentence quotes: DR with a model of rewards, else SNIPS, else IPS.
    certificate : Certificate
        What is guaranteed of the improvement, and what each part of the guarantee costs.
    details : dict
        Everything, as the program writes it with ``--format json``: ``estimates``, ``bounds``, ``support``,
        ``warnings``, ``caveats`` and more.
    warnings : tuple of str
        What speaks against the estimates: few rows that count, weights that are not those of the log, an estimate
        that no policy can earn.
    """

    sentence: str
    details: dict[str, Any]
    warnings: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        kind = self.details["verdict"]
        return kind if isinstance(kind, str) else next(iter(kind))

    @property
    def is_better(self) -> bool:
        """Whether the policy earns more than the logging policy, with the confidence of the bound."""
        return self.verdict == "better"

    @property
    def at_least(self) -> float | None:
        kind = self.details["verdict"]
        inner = kind.get(self.verdict) if isinstance(kind, dict) else None
        return inner["at_least"] if isinstance(inner, dict) else None

    @property
    def value(self) -> float:
        return self.estimates[_snake(self.details["headline"])]["value"]

    @property
    def estimates(self) -> dict[str, dict[str, float | None]]:
        """Estimator to value, standard error and interval; ``"logged"`` is the mean reward of the log."""
        keys = ("value", "standard_error", "lower", "upper")
        rows = {_snake(one["estimator"]): {key: one[key] for key in keys} for one in self.details["estimates"]}
        rows["logged"] = {key: self.details["logged"][key] for key in keys}
        return rows

    @property
    def certificate(self) -> Certificate:
        return Certificate._of(self.details)

    @property
    def effective_sample_size(self) -> float:
        """(Σw)²/Σw², the number of rows that the importance weights leave."""
        return self.details["support"]["ess"]

    def to_frame(self) -> pandas.DataFrame:
        """The estimates as a pandas data frame, with a row an estimator.

        Raises
        ------
        ImportError
            Without pandas.
        """
        return _pandas().DataFrame.from_dict(self.estimates, orient="index")

    def __str__(self):
        return self.sentence

    def __repr__(self):
        rows = [f"{name:12}{_row(one)}" for name, one in self.estimates.items()]
        warned = [f"warning: {words}" for words in self.warnings]
        return "\n".join([self.sentence, *rows, *warned, str(self.certificate)])

    def _repr_html_(self):
        cells = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{one['value']:.4f}</td>"
            f"<td>{one['lower']:.4f} to {one['upper']:.4f}</td></tr>"
            for name, one in self.estimates.items()
        )
        head = "<tr><th>estimator</th><th>value</th><th>interval</th></tr>"
        table = f"<table>{head}{cells}</table>"
        warned = "".join(f"<p>warning: {html.escape(words)}</p>" for words in self.warnings)
        return f"<p>{html.escape(self.sentence)}</p>{table}{warned}{self.certificate._repr_html_()}"

    @classmethod
    def _of(cls, found):
        details, sentence, warnings = found
        return cls(sentence, json.loads(details), tuple(warnings))


def _snake(name):
    """`ClippedIps` as `clipped_ips`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def _row(one):
    error = "" if one["standard_error"] is None else f" ± {one['standard_error']:.4f}"
    return f"{one['value']:.4f}{error}  [{one['lower']:.4f}, {one['upper']:.4f}]"


@dataclass(frozen=True, repr=False)
class Comparison:
    """Several policies, judged on the same rows.

    Attributes
    ----------
    sentence : str
        Which one earns most, and whether that is shown.
    judgements : dict of str to Judgement
        By the names of the policies; ``"logged"`` is the policy that wrote the log.
    differences : list of dict
        ``first``, ``second``, ``value``, ``lower``, ``upper``: the value of the first less that of the second.
        All intervals hold at once with the stated confidence. ``is_shown`` says that the interval leaves 0 out, and
        that the log can answer for both policies.
    """

    sentence: str
    judgements: dict[str, Judgement]
    differences: list[dict[str, Any]]

    def __str__(self):
        return self.sentence

    def __repr__(self):
        shown = [*self._quoted(), *self._of_pairs()]
        width = max(len(name) for name, _ in shown) + 1
        rows = [f"{name:{width}}{one['value']:.4f}  [{one['lower']:.4f}, {one['upper']:.4f}]" for name, one in shown]
        return "\n".join([self.sentence, *rows])

    def _repr_html_(self):
        def table(head, rows):
            cells = "".join(
                f"<tr><td>{html.escape(name)}</td><td>{one['value']:.4f}</td>"
                f"<td>{one['lower']:.4f} to {one['upper']:.4f}</td></tr>"
                for name, one in rows
            )
            return f"<table><tr><th>{head}</th><th>value</th><th>interval</th></tr>{cells}</table>"

        sentence = f"<p>{html.escape(self.sentence)}</p>"
        return sentence + table("policy", self._quoted()) + table("difference", self._of_pairs())

    def to_frame(self) -> pandas.DataFrame:
        """The differences as a pandas data frame: a row every two policies.

        Its columns are ``first``, ``second``, ``value``, ``lower``, ``upper``, and ``is_shown``: the interval leaves 0
        out, and the log can answer for both policies. `Judgement.to_frame` has the estimates of one policy.

        Raises
        ------
        ImportError
            Without pandas.
        """
        columns = ["first", "second", "value", "lower", "upper", "is_shown"]
        return _pandas().DataFrame(self.differences, columns=columns)

    def _quoted(self):
        """Every policy with the estimate that its judgement quotes."""
        return [
            (name, one)
            for name, judged in self.judgements.items()
            for one in judged.details["estimates"]
            if one["estimator"] == judged.details["headline"]
        ]

    def _of_pairs(self):
        return [(f"{one['first']} less {one['second']}", one) for one in self.differences]


def _settings(confidence, reward_range, reward_model, clip, random_state):
    return _data.as_json(
        {
            "confidence": _data.share("confidence", confidence),
            "reward_range": None if reward_range is None else _data.interval("reward_range", reward_range),
            "reward_model": bool(reward_model),
            "clip": _data.real("clip", clip),
            "seed": random_state,
        }
    )


def _model_of(policy):
    """The trained policy of an estimator; ``None`` for a name and for probabilities."""
    if isinstance(policy, str) or not hasattr(policy, "fit"):
        return None
    if not hasattr(policy, "time_budget"):
        raise TypeError(f"{type(policy).__name__} is no policy booster: hand in its probabilities, n × n_actions")
    if not hasattr(policy, "policy_"):
        raise NotFittedError(f"this {type(policy).__name__} has no policy: call fit first")
    return policy.policy_


def _target_of(policy):
    """A policy as Rust takes it."""
    model = _model_of(policy)
    if model is not None or isinstance(policy, str):
        return policy if model is None else model
    if callable(policy):
        raise TypeError("the policy is a function: hand in its probabilities, n × n_actions")
    table = np.asarray(policy, dtype=np.float64)
    table = table[:, :, 0] if table.ndim == 3 and table.shape[2] == 1 else table
    if table.ndim != 2:
        raise ValueError(f"the policy's probabilities have shape {table.shape}, not (n, n_actions)")
    return _data.readable(table)


def _classes_of(policy, classes):
    """The actions of a trained policy; others are refused."""
    if classes is None:
        return policy.classes_
    own, given = [[_data.spelt(one) for one in np.asarray(some).tolist()] for some in (policy.classes_, classes)]
    if own != given:
        raise ValueError(f"classes = {given} are not the policy's actions in their order, {own}: leave classes out")
    return policy.classes_


def evaluate(
    policy: BaseEstimator | ArrayLike | str,
    context: Any,
    action: ArrayLike | str,
    reward: ArrayLike | str,
    pscore: ArrayLike | str | None = None,
    *,
    available: ArrayLike | str | None = None,
    action_context: Any = None,
    item: Any = None,
    classes: ArrayLike | None = None,
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
    reward_model: bool = True,
    clip: float = 20.0,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Judgement:
    """What a log says of a policy that was not trained on it; of one that was, it says nothing.

    That it is the log of the training is noticed where its rows are the same, in whatever order. Whoever hands in some
    of them alone gets numbers that are too good.

    Parameters
    ----------
    policy : PolicyBooster, array of shape (n, n_actions) or (n, n_actions, 1), "logged" or "uniform"
        A fitted estimator, or the policy's probabilities in the rows of the log, or a name.
    context, action, reward, pscore, available
        The log, as in `PolicyBooster.fit`. Without ``pscore`` propensities are estimated, and nothing is
        certain.
    action_context, item
        Of a policy over candidates, as in `PolicyBooster.fit`; an ``action_context`` with a row an action is that
        of the fit by default. There is no model of rewards over candidates. Probabilities have the layout of
        `PolicyBooster.predict_proba`. With a row an action, whoever has no features is judged as without them.
    classes : array-like, optional
        All actions in the order of the columns of ``policy`` and ``available``. Sorted actions by default; a
        fitted estimator has its own, and no others.
    confidence : float, default 0.95
        Of intervals and bounds.
    reward_range : (float, float), optional
        The range that every reward lies in, known beforehand; else that of the rewards.
    reward_model : bool, default True
        Whether rewards are modelled, for the estimators DM, DR and SWITCH-DR.
    clip : float, default 20
        M of clipped IPS, and the switch of SWITCH-DR.
    random_state : int, RandomState, Generator or None, default 0
        Of the resampling, the models of rewards and the estimated propensities.
    n_jobs : int, optional
        Threads; all cores by default and for −1. No result depends on it.

    Returns
    -------
    Judgement

    Raises
    ------
    ValueError
        For a log that is refused, and for a policy of other actions.
    KeyboardInterrupt
        After Ctrl-C, within a round of a model of rewards or a fit of the estimated propensities.

    Examples
    --------
    >>> import numpy as np
    >>> from ocoboost.offpolicy import evaluate
    >>> action = np.arange(400) % 2
    >>> pays = np.tile([0.0, 1.0], (400, 1))
    >>> found = evaluate(pays, np.zeros((400, 1)), action, action, np.full(400, 0.5), reward_range=(0, 1))
    >>> found.verdict, found.at_least > 0.35
    ('better', True)
    """
    model, seed = _model_of(policy), _data.seed_of(random_state)
    settings = _settings(confidence, reward_range, reward_model, clip, seed)
    n_jobs = _data.threads(n_jobs)
    is_over = isinstance(model, _core.CandidatePolicy)
    if model is not None and not is_over and action_context is not None and not _candidates.is_table(action_context):
        raise ValueError("the policy was trained without action_context")
    if is_over or (action_context is not None and not _candidates.is_table(action_context)):
        own = {"policy": None, "classes": classes}
        if is_over:
            action_context, item, known = policy._offered(action_context, item)
            own = {"policy": model, "classes": known if classes is None else classes, "apart": policy._left_out}
        given = (context, action, reward, pscore, available, action_context, item)
        log, layout, _ = _candidates.log_of(*given, **own, seed=seed, n_jobs=n_jobs)
        target = model if is_over else policy if isinstance(policy, str) else layout.ravel(policy)
        return Judgement._of(_core.evaluate_candidates(log, target, settings, n_jobs=n_jobs))
    target = _target_of(policy)
    if action_context is not None and classes is None:
        classes = _candidates.labels_of(action_context, None)
    if model is not None:
        classes = _classes_of(policy, classes)
    coding = None if model is None else model.coding
    with _data.reading(context) as (context, is_lent):
        log, _, _ = _data.log_of(
            context,
            action,
            reward,
            pscore,
            available,
            None,
            None,
            classes=classes,
            coding=coding,
            seed=seed,
            is_lent=is_lent,
            left_out=() if model is None else policy._left_out,
        )
        found = Judgement._of(_core.evaluate(log, target, settings, n_jobs=n_jobs))
    _data.tell(log.notes)
    return found


def compare(
    policies: Mapping[str, BaseEstimator | ArrayLike | str],
    context: Any,
    action: ArrayLike | str,
    reward: ArrayLike | str,
    pscore: ArrayLike | str | None = None,
    *,
    available: ArrayLike | str | None = None,
    classes: ArrayLike | None = None,
    action_context: Any = None,
    item: Any = None,
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
    reward_model: bool = True,
    clip: float = 20.0,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Comparison:
    """Policies and the logging policy on one log, with the difference of every two.

    Parameters
    ----------
    policies : dict of str to PolicyBooster, array of shape (n, n_actions) or (n, n_actions, 1), or "uniform"
        By any name but ``"logged"``, which is the policy that wrote the log. All fitted ones were trained on
        logs of the same columns, and none on this log.
    context, action, reward, pscore, available, classes
        The log, as in `evaluate`. The columns of arrays are in the order of the fitted policies' actions.
    confidence, reward_range, reward_model, clip, random_state, n_jobs
        As in `evaluate`.
    action_context, item
        As in `evaluate`, of policies over candidates. All fitted ones are such, or none is; names and probabilities
        stand beside either.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError, KeyboardInterrupt
        As `evaluate`; and for a policy that was trained on this log.

    Examples
    --------
    >>> import numpy as np
    >>> from ocoboost.offpolicy import compare
    >>> action = np.arange(400) % 2
    >>> policies = {"second": np.tile([0.0, 1.0], (400, 1)), "even": "uniform"}
    >>> found = compare(policies, np.zeros((400, 1)), action, action, np.full(400, 0.5), reward_range=(0, 1))
    >>> found.judgements["second"].is_better, found.differences[0]["lower"] > 0
    (True, True)
    """
    if not isinstance(policies, Mapping):
        raise TypeError("policies is no dict of names and policies")
    if not policies:
        raise ValueError("0 policies to compare; 1 is the least")
    if "logged" in policies:
        raise ValueError('"logged" is the policy that wrote the log: take another name')
    names, fitted = [*policies, "logged"], list(policies.values())
    seed, n_jobs = _data.seed_of(random_state), _data.threads(n_jobs)
    settings = _settings(confidence, reward_range, reward_model, clip, seed)
    models = [_model_of(policy) for policy in fitted]
    are_over = {isinstance(model, _core.CandidatePolicy) for model in models if model is not None}
    if not are_over:
        are_over = {action_context is not None and not _candidates.is_table(action_context)}
    if len(are_over) > 1:
        raise ValueError(
            "policies over candidates and others cannot be compared on one log: evaluate judges them one by one"
        )
    if are_over.pop():
        first = next((policy for policy, model in zip(fitted, models, strict=True) if model is not None), None)
        logs, targets, readings = [], [], {}
        for policy, model in zip(fitted, models, strict=True):
            # What is not trained is played on the log as a trained policy reads it.
            reader = first if model is None else policy
            if id(reader) not in readings:
                offered, named, known, own = action_context, item, None, {}
                if reader is not None:
                    offered, named, known = reader._offered(action_context, item)
                    own = {"policy": reader.policy_, "apart": reader._left_out}
                known = known if classes is None else classes
                given = (context, action, reward, pscore, available, offered, named)
                read = _candidates.log_of(*given, **own, classes=known, seed=seed, n_jobs=n_jobs)
                # Propensities are estimated once.
                pscore = read[0].propensities if pscore is None else pscore
                readings[id(reader)] = read
            log, layout, _ = readings[id(reader)]
            logs.append(log)
            targets.append(model if model is not None else policy if isinstance(policy, str) else layout.ravel(policy))
        return _comparison(names, _core.compare_candidates(logs, targets, names, settings, n_jobs=n_jobs))
    if action_context is not None:
        if not _candidates.is_table(action_context):
            raise ValueError("the policies were trained without action_context")
        classes = _candidates.labels_of(action_context, classes)
    targets = [_target_of(policy) for policy in fitted]
    first = next((policy for policy in fitted if _model_of(policy) is not None), None)
    if first is not None:
        classes = _classes_of(first, classes)
    with _data.reading(context) as (context, is_lent):
        log, _, _ = _data.log_of(
            context,
            action,
            reward,
            pscore,
            available,
            None,
            None,
            classes=classes,
            coding=None if first is None else first.policy_.coding,
            seed=seed,
            is_lent=is_lent,
            left_out=() if first is None else first._left_out,
        )
        found = _core.compare(log, targets, names, settings, n_jobs=n_jobs)
    _data.tell(log.notes)
    return _comparison(names, found)


def _comparison(names, found):
    differences, sentence, judgements = found
    judgements = [Judgement._of(one) for one in judgements]
    keys = ("value", "lower", "upper")
    differences = [
        {
            "first": names[one["first"]],
            "second": names[one["second"]],
            **{key: one[key] for key in keys},
            "is_shown": one["is_answered"] and (one["lower"] > 0.0 or one["upper"] < 0.0),
        }
        for one in json.loads(differences)
    ]
    return Comparison(sentence, dict(zip(names, judgements, strict=True)), differences)
