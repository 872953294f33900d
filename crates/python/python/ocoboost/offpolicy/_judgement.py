"""What a log says of a policy."""

import html
import json
from dataclasses import dataclass

import numpy as np

from sklearn.exceptions import NotFittedError

from ocoboost import _core, _data


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
    details: dict

    @property
    def verdict(self):
        kind = self.details["verdict"]
        return kind if isinstance(kind, str) else next(iter(kind))

    @property
    def is_better(self):
        """Whether the policy earns more than the logging policy, with the confidence of the bound."""
        return self.verdict == "better"

    @property
    def at_least(self):
        kind = self.details["verdict"]
        inner = kind.get(self.verdict) if isinstance(kind, dict) else None
        return inner["at_least"] if isinstance(inner, dict) else None

    @property
    def value(self):
        return self.estimates[_snake(self.details["headline"])]["value"]

    @property
    def estimates(self):
        """Estimator to value, standard error and interval; ``"logged"`` is the mean reward of the log."""
        keys = ("value", "standard_error", "lower", "upper")
        rows = {_snake(one["estimator"]): {key: one[key] for key in keys} for one in self.details["estimates"]}
        rows["logged"] = {key: self.details["logged"][key] for key in keys}
        return rows

    @property
    def effective_sample_size(self):
        """(Σw)²/Σw², the number of rows that the importance weights leave."""
        return self.details["support"]["ess"]

    def to_frame(self):
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
        All intervals hold at once with the stated confidence.
    """

    sentence: str
    judgements: dict
    differences: list

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

    def _quoted(self):
        """Every policy with the estimate that its judgement quotes."""
        return [
            (name, one)
            for name, judged in self.judgements.items()
            for one in judged["estimates"]
            if one["estimator"] == judged["headline"]
        ]

    def _of_pairs(self):
        return [(f"{one['first']} less {one['second']}", one) for one in self.differences]


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
    policy,
    context,
    action,
    reward,
    pscore=None,
    *,
    available=None,
    classes=None,
    confidence=0.95,
    reward_range=None,
    reward_model=True,
    clip=20.0,
    random_state=0,
    n_jobs=None,
):
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
        )
        found = Judgement._of(_core.evaluate(log, target, settings, n_jobs=n_jobs))
    _data.tell(log.notes)
    return found


def compare(
    policies,
    context,
    action,
    reward,
    pscore=None,
    *,
    available=None,
    classes=None,
    confidence=0.95,
    reward_range=None,
    reward_model=True,
    clip=20.0,
    random_state=0,
    n_jobs=None,
):
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
