"""Pictures of classifiers, policies and streams, on axes of matplotlib, which need not be installed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ocoboost.boost._classifier import _Boosted
    from ocoboost.offpolicy import Comparison, Judgement, PolicyBooster
    from ocoboost.online import BanditRegressor, OnlineBoostingClassifier, OnlineBoostingRegressor

#: Colours that people with any vision of colours tell apart (Okabe, Ito, 2008).
_BLUE, _ORANGE, _GREEN, _PURPLE, _GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C8C8C"
_IN_TURN = (_BLUE, _ORANGE, _GREEN, _PURPLE)

#: The estimators as their papers write them.
_ESTIMATORS = {
    "Ips": "IPS",
    "ClippedIps": "clipped IPS",
    "Snips": "SNIPS",
    "Dm": "DM",
    "Dr": "DR",
    "SwitchDr": "SWITCH-DR",
}


def plot_policy(policy: Judgement | Comparison | PolicyBooster, *, ax: Axes | None = None) -> Axes:
    """What a log says of a policy: its value by every estimator, beside what ran, and the verdict.

    A row is an estimator with its interval; the filled one is that which the judgement quotes. The log itself is
    the row and the line in orange. Of a comparison a row is a policy.

    Parameters
    ----------
    policy : Judgement, Comparison, or a fitted PolicyBooster or RewardBooster
        Of an estimator it is the judgement of its training, ``judgement_``.
    ax : matplotlib.axes.Axes, optional
        A new one by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError
        For anything else than these.

    Examples
    --------
    >>> import numpy as np
    >>> from ocoboost import plot_policy
    >>> from ocoboost.offpolicy import evaluate
    >>> action = np.arange(400) % 2
    >>> pays = np.tile([0.0, 1.0], (400, 1))
    >>> found = evaluate(pays, np.zeros((400, 1)), action, action, np.full(400, 0.5), reward_range=(0, 1))
    >>> plot_policy(found).get_title(loc="left")
    'Better than what ran: by 0.41 or more, with 95% certainty'
    """
    judgement: Any = getattr(policy, "judgement_", policy)
    if hasattr(judgement, "judgements"):
        judged = {name: getattr(one, "details", one) for name, one in judgement.judgements.items()}
        title, details = judgement.sentence, next(iter(judged.values()))
        rows = [row for name, one in judged.items() if name != "logged" for row in _quoted(name, one)]
    elif hasattr(judgement, "estimates"):
        title, details = _verdict(judgement), judgement.details
        rows = _of_estimators(details)
    else:
        raise TypeError(f"{type(policy).__name__} is no judgement, no comparison and no fitted policy")
    rows.insert(0, ("the log", details["logged"], False))
    ax = _axes(ax, height=1.4 + 0.36 * len(rows))
    for place, (_, one, is_quoted) in enumerate(rows):
        colour = _ORANGE if place == 0 else _BLUE if is_quoted else _GREY
        ends = [one["lower"], one["upper"]]
        if all(abs(end) < 1e100 for end in ends):
            ax.plot(ends, [place, place], color=colour, linewidth=2, solid_capstyle="butt")
        face = colour if place == 0 or is_quoted else "white"
        ax.plot(one["value"], place, "o", color=colour, markerfacecolor=face, markersize=6)
    ax.axvline(rows[0][1]["value"], color=_ORANGE, linewidth=1, zorder=0)
    ax.set_yticks(range(len(rows)), [name for name, *_ in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    percent = f"{100 * (1 - details['delta']):.4g}%"
    ax.set_xlabel(f"reward a decision, with intervals of {percent} ({details['rows']:,} rows)")
    ax.tick_params(axis="y", length=0)
    ax.set_title(title, loc="left", fontsize="medium", wrap=True)
    return ax


def _of_estimators(details):
    """Name, estimate, and whether it is the one that is quoted."""
    kinds = [one["estimator"] for one in details["estimates"]]
    return [
        (_ESTIMATORS.get(kind, kind), one, kind == details["headline"])
        for kind, one in zip(kinds, details["estimates"], strict=True)
    ]


def _quoted(name, details):
    """The estimate that is quoted, by the name of the policy."""
    return [(name, one, True) for _, one, is_quoted in _of_estimators(details) if is_quoted]


def _verdict(judgement):
    """The verdict in few words."""
    if judgement.verdict == "better":
        least = judgement.at_least
        # Two digits, rounded down: what is claimed is shown.
        digits = 1 - math.floor(math.log10(least))
        least = f"{math.floor(least * 10.0**digits) / 10.0**digits:.{max(digits, 0)}f}"
        about = "" if judgement.details["verdict"]["better"]["is_certain"] else "about "
        percent = f"{100 * (1 - judgement.details['delta']):.4g}%"
        return f"Better than what ran: by {about}{least} or more, with {about}{percent} certainty"
    if judgement.verdict == "not_shown":
        return "That it is better than what ran is not shown"
    return "The log cannot answer for this policy"


def plot_learning_curve(
    estimator: _Boosted | PolicyBooster | OnlineBoostingClassifier | OnlineBoostingRegressor | BanditRegressor,
    mistakes: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """How learning went, round by round, or row by row.

    Of a boosted classifier: the training error and the theorem's bound on it, for every column of the code. Of
    a policy: the values of the candidates of its search on held-out rows, by doubly robust estimates, and what
    the log earned; the chosen candidate's best round has a mark, and is that of a winner among many, and so
    optimistic. Of an online learner: the progressive error, of predictions that were made before they were
    learnt from.

    Parameters
    ----------
    estimator : a fitted classifier of ocoboost.boost, PolicyBooster, RewardBooster, or an online learner
    mistakes : array of shape (n,), for online learners
        For every row in its order whether it was predicted wrongly before it was learnt from, or the loss.
    ax : matplotlib.axes.Axes, optional
        A new one by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError
        For an estimator that is not fitted, or has no record; for an online learner without ``mistakes``.
    ValueError
        For ``mistakes`` that are no vector of numbers; for a classifier that was loaded, since its file has no
        errors; and for a policy over candidates, whose search keeps one value a candidate.

    Examples
    --------
    >>> import numpy as np
    >>> from ocoboost import plot_learning_curve
    >>> from ocoboost.boost import AdaBoostClassifier
    >>> X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) // 10 % 2
    >>> ax = plot_learning_curve(AdaBoostClassifier(n_estimators=20, max_depth=1).fit(X, y))
    >>> [line.get_label() for line in ax.lines]
    ['training error', "the theorem's bound"]
    """
    if mistakes is not None:
        return _of_stream(np.asarray(mistakes), ax)
    if hasattr(estimator, "rounds_"):
        if any("errors" not in one for one in estimator.rounds_):
            raise ValueError(
                f"this {type(estimator).__name__} was loaded, and a file has no errors of the rounds: plot it after fit"
            )
        return _of_rounds(estimator.rounds_, ax)
    if hasattr(estimator, "record_"):
        return _of_search(estimator, ax)
    if hasattr(estimator, "learn_one"):
        raise TypeError("an online learner keeps no record of its rows: hand in mistakes")
    raise TypeError(f"this {type(estimator).__name__} is not fitted, or has no record of its rounds")


def _of_rounds(records, ax):
    ax = _axes(ax)
    width, opacity = (1.8, 1.0) if len(records) == 1 else (1.0, 0.6)
    columns = "" if len(records) == 1 else ", a line a class against the others"
    for place, one in enumerate(records):
        rounds = np.arange(1, len(one["errors"]) + 1)
        style = {"linewidth": width, "alpha": opacity}
        first = place == 0
        name = f"training error{columns}" if first else None
        ax.plot(rounds, one["errors"], color=_BLUE, label=name, **style)
        name = "the theorem's bound" if first else None
        ax.plot(rounds, one["bounds"], color=_ORANGE, linestyle="--", label=name, **style)
    ax.set_ylim(0, min(1.02, ax.get_ylim()[1]))
    _whole_numbers(ax)
    ax.set_xlabel("round")
    ax.set_ylabel("share of the training weight")
    ax.legend(frameon=False)
    return ax


def _of_search(estimator, ax):
    record = estimator.record_
    if any("curve" not in one for one in record["tried"]):
        raise ValueError(
            "the search of a policy over candidates keeps no values of its rounds: record_['tried'] has the best of "
            "each, and plot_policy draws the judgement"
        )
    curves = [np.asarray(one["curve"], dtype=float).reshape(-1, 2) for one in record["tried"]]
    if not len(curves[record["chosen"]]):
        raise TypeError("the model was saved by a version that kept no values of rounds")
    ax = _axes(ax)
    others = [curve for place, curve in enumerate(curves) if place != record["chosen"] and len(curve)]
    for place, curve in enumerate(others):
        name = "another candidate" if len(others) == 1 else f"the {len(others)} other candidates"
        ax.plot(*curve.T, color=_GREY, linewidth=1, alpha=0.7, label=name if place == 0 else None)
    own = record["tried"][record["chosen"]]
    candidate = own["candidate"]
    name = f"the chosen one ({candidate['objective'].replace('_', ' ')}, depth {candidate['max_depth']})"
    ax.plot(*curves[record["chosen"]].T, color=_BLUE, linewidth=1.8, label=name)
    ax.plot(own["best_round"], own["value"]["value"], "o", color=_BLUE, markersize=6)
    logged = estimator.judgement_.details["logged"]["value"]
    ax.axhline(logged, color=_ORANGE, linewidth=1.2, label="the log earned")
    _whole_numbers(ax)
    ax.set_xlabel("round of a candidate")
    ax.set_ylabel("reward a decision, held-out rows")
    ax.legend(frameon=False)
    return ax


def _of_stream(mistakes, ax):
    if mistakes.ndim != 1 or not len(mistakes):
        raise ValueError(f"mistakes has shape {mistakes.shape}, not (n,) with a row at least")
    try:
        losses = mistakes.astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"mistakes holds something that is no number: {error}") from None
    if not np.isfinite(losses).all():
        raise ValueError("mistakes holds NaN or an infinite number")
    ax = _axes(ax)
    n = len(losses)
    sums = np.concatenate([[0.0], np.cumsum(losses)])
    window = max(n // 20, 1)
    rows = np.arange(window, n + 1)
    lately = (sums[window:] - sums[:-window]) / window
    ax.plot(rows, lately, color=_GREY, linewidth=1, label=f"of the last {window:,} rows")
    # The mean of the first few rows says nothing.
    ax.plot(rows, sums[window:] / rows, color=_BLUE, linewidth=1.8, label="of all rows so far")
    ax.set_ylim(bottom=min(0.0, lately.min()))
    ax.set_xlim(0, n)
    ax.set_xlabel("rows")
    ax.set_ylabel("share of wrong predictions" if np.isin(losses, (0.0, 1.0)).all() else "mean loss")
    ax.legend(frameon=False)
    return ax


def plot_margins(
    classifier: _Boosted,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The distribution of the margins of a boosted classifier.

    The margin of a row is by how much the vote of its class exceeds the largest other one, halved: in [−1, 1],
    and negative where the answer is wrong. The curve is the share of the rows with at most such a margin. A
    second call on the same axes takes the next colour.

    Parameters
    ----------
    classifier : a fitted classifier of ocoboost.boost
    X : array or sparse matrix of shape (n, m), optional
    y : array of shape (n,), optional
        Rows and their labels; the rows of the training by default. With more than two classes and without
        rows there is a curve for every class, against the others.
    label : str, optional
        What the legend calls the curve.
    ax : matplotlib.axes.Axes, optional
        A new one by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError
        For a classifier that is not fitted, or keeps no margins.
    ValueError
        For rows without labels or labels without rows, and for rows that the classifier refuses. For a classifier
        that was loaded, without rows: its file has no margins.

    Examples
    --------
    >>> import numpy as np
    >>> from ocoboost import plot_margins
    >>> from ocoboost.boost import AdaBoostClassifier
    >>> X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) // 10 % 2
    >>> booster = AdaBoostClassifier(n_estimators=20, max_depth=1).fit(X, y)
    >>> ax = plot_margins(booster)
    >>> margins = ax.lines[0].get_xdata()[1:-1]
    >>> bool(np.isclose(margins[0], booster.margins(X, y).min()))
    True
    """
    if (X is None) != (y is None):
        raise ValueError("X and y go together: rows and their labels")
    if not hasattr(classifier, "rounds_"):
        raise TypeError(f"this {type(classifier).__name__} is not fitted, or keeps no margins")
    if y is None and any("margins" not in one for one in classifier.rounds_):
        raise ValueError(
            f"this {type(classifier).__name__} was loaded, and a file has no margins of the training: hand in X and y"
        )
    if y is None:
        curves = [one["margins"] / max(one["etas"].sum(), 1e-300) for one in classifier.rounds_]
    else:
        curves = [classifier.margins(X, y)]
    ax = _axes(ax)
    before = sum(line.get_gid() == "margins" for line in ax.lines)
    colour = _IN_TURN[before % len(_IN_TURN)]
    style = {"color": colour, "gid": "margins"} if len(curves) == 1 else {"color": colour, "linewidth": 1, "alpha": 0.6}
    for place, margins in enumerate(curves):
        xs = np.concatenate([[-1.0], np.sort(margins), [1.0]])
        shares = np.concatenate([np.arange(len(margins) + 1) / max(len(margins), 1), [1.0]])
        ax.step(xs, shares, where="post", label=label if place == 0 else None, **style)
    if len(curves) > 1:
        ax.lines[-1].set_gid("margins")
    if before == 0:
        ax.axvline(0, color=_GREY, linewidth=1, zorder=0)
    ax.set_xlim(-1, 1)
    ax.set_ylim(0, 1.01)
    ax.set_xlabel("margin (negative: answered wrongly)")
    ax.set_ylabel("share of rows with at most this margin")
    if label is not None:
        ax.legend(frameon=False)
    return ax


def _axes(ax, height=3.6):
    """The axes, without the lines that say nothing."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install matplotlib, or ocoboost[plot]") from None
    if ax is None:
        _, ax = pyplot.subplots(figsize=(6.4, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _whole_numbers(ax):
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
