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

if TYPE_CHECKING:
    import pandas

    from ocoboost.offpolicy._booster import PolicyBooster


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
    details : dict
        Everything, as the program writes it with ``--format json``: ``estimates``, ``bounds``, ``support``,
        ``warnings``, ``caveats`` and more.
    """

    sentence: str
    details: dict[str, Any]

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
    def effective_sample_size(self) -> float:
        """(Σw)²/Σw², the number of rows that the importance weights leave."""
        return self.details["support"]["ess"]

    def to_frame(self) -> pandas.DataFrame:
        """The estimates as a pandas data frame."""
        import pandas

        return pandas.DataFrame.from_dict(self.estimates, orient="index")

    def __str__(self):
        return self.sentence

    def __repr__(self):
        rows = [f"{name:12}{_row(one)}" for name, one in self.estimates.items()]
        return "\n".join([self.sentence, *rows])

    def _repr_html_(self):
        cells = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{one['value']:.4f}</td>"
            f"<td>{one['lower']:.4f} to {one['upper']:.4f}</td></tr>"
            for name, one in self.estimates.items()
        )
        head = "<tr><th>estimator</th><th>value</th><th>interval</th></tr>"
        return f"<p>{html.escape(self.sentence)}</p><table>{head}{cells}</table>"

    @classmethod
    def _of(cls, found):
        details, sentence = found
        return cls(sentence, json.loads(details))


def _snake(name):
    """`ClippedIps` as `clipped_ips`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def _row(one):
    error = "" if one["standard_error"] is None else f" ± {one['standard_error']:.4f}"
    return f"{one['value']:.4f}{error}  [{one['lower']:.4f}, {one['upper']:.4f}]"


@dataclass(frozen=True)
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
        All intervals hold at once with the stated confidence.
    """

    sentence: str
    judgements: dict[str, Judgement]
    differences: list[dict[str, Any]]

    def __str__(self):
        return self.sentence


def _settings(confidence, reward_range, reward_model, clip, random_state):
    return _data.as_json(
        {
            "confidence": _data.real("confidence", confidence),
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
    if not hasattr(policy, "policy_"):
        raise NotFittedError(f"this {type(policy).__name__} has no policy: call fit first")
    return policy.policy_


def _target_of(policy):
    """A policy as Rust takes it."""
    model = _model_of(policy)
    if model is not None or isinstance(policy, str):
        return policy if model is None else model
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
    policy: PolicyBooster | ArrayLike | str,
    context: Any,
    action: ArrayLike | str,
    reward: ArrayLike | str,
    pscore: ArrayLike | str | None = None,
    *,
    available: ArrayLike | str | None = None,
    classes: ArrayLike | None = None,
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
    reward_model: bool = True,
    clip: float = 20.0,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Judgement:
    """What a log says of a policy that was not trained on it; of one that was, it says nothing.

    Parameters
    ----------
    policy : PolicyBooster, array of shape (n, n_actions) or (n, n_actions, 1), "logged" or "uniform"
        A fitted estimator, or the policy's probabilities in the rows of the log, or a name.
    context, action, reward, pscore, available
        The log, as in `PolicyBooster.fit`. Without ``pscore`` propensities are estimated, and nothing is
        certain.
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
    model, target, seed = _model_of(policy), _target_of(policy), _data.seed_of(random_state)
    settings = _settings(confidence, reward_range, reward_model, clip, seed)
    n_jobs = _data.threads(n_jobs)
    if model is not None:
        classes = _classes_of(policy, classes)
    coding = None if model is None else model.coding
    log, _, _ = _data.log_of(
        context, action, reward, pscore, available, None, None, classes=classes, coding=coding, seed=seed
    )
    found = Judgement._of(_core.evaluate(log, target, settings, n_jobs=n_jobs))
    _data.tell(log.notes)
    return found


def compare(
    policies: Mapping[str, PolicyBooster | ArrayLike | str],
    context: Any,
    action: ArrayLike | str,
    reward: ArrayLike | str,
    pscore: ArrayLike | str | None = None,
    *,
    available: ArrayLike | str | None = None,
    classes: ArrayLike | None = None,
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
    if not policies:
        raise ValueError("0 policies to compare; 1 is the least")
    if "logged" in policies:
        raise ValueError('"logged" is the policy that wrote the log: take another name')
    names, targets = [*policies, "logged"], [_target_of(policy) for policy in policies.values()]
    first = next((policy for policy in policies.values() if _model_of(policy) is not None), None)
    if first is not None:
        classes = _classes_of(first, classes)
    seed, n_jobs = _data.seed_of(random_state), _data.threads(n_jobs)
    settings = _settings(confidence, reward_range, reward_model, clip, seed)
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
    )
    found, sentence, sentences = _core.compare(log, targets, names, settings, n_jobs=n_jobs)
    found = json.loads(found)
    judgements = [Judgement(*one) for one in zip(sentences, found["judgements"], strict=True)]
    keys = ("value", "lower", "upper")
    differences = [
        {"first": names[one["first"]], "second": names[one["second"]], **{key: one[key] for key in keys}}
        for one in found["differences"]
    ]
    _data.tell(log.notes)
    return Comparison(sentence, dict(zip(names, judgements, strict=True)), differences)
