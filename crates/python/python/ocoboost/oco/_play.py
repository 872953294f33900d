"""Rounds of a learner against losses, and the regret against the best fixed point in hindsight."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ocoboost import _core
from ocoboost.oco._learners import CompositeMirrorDescent, OnlineLearner, QuadraticLeader
from ocoboost.oco._losses import HasValueAndGradient, LinearLoss, Loss, SquaredLoss
from ocoboost.oco._sets import Set
from ocoboost.oco._vectors import number, table, vector, whole

if TYPE_CHECKING:
    from ocoboost.oco._bandit import _Bandit
    from ocoboost.oco._projection_free import _ProjectionFree


@dataclass(frozen=True, eq=False)
class Comparator:
    """The best fixed point of some losses.

    Attributes
    ----------
    point : array of shape (d,)
    loss : float
        Σ ℓ_t(point).
    gap : float
        No point of the set loses less than ``loss − gap``.
    steps : int
    """

    point: NDArray[np.float64]
    loss: float
    gap: float
    steps: int


def best_in_hindsight(
    losses: Iterable[HasValueAndGradient],
    decision_set: Set,
    *,
    dimension: int | None = None,
    tolerance: float = 1e-9,
    max_steps: int = 10_000,
    method: str = "accelerated",
) -> Comparator:
    """Minimises Σ ℓ_t over a set, with a certificate.

    Parameters
    ----------
    losses : list
        Losses, or objects with ``value(x)`` and ``gradient(x)``, which have to be convex.
    decision_set : Set
        Bounded.
    dimension : int, optional
        Needed for losses of Python in a set of any dimension.
    tolerance : float
        The search ends when the Frank–Wolfe gap is at most this.
    max_steps : int
    method : {"accelerated", "pairwise"}
        Accelerated projected gradients (Beck, Teboulle, 2009), or pairwise Frank–Wolfe steps without a projection.

    Returns
    -------
    Comparator
        Its gap may stay above the tolerance, at a kink or when the steps are spent.

    Raises
    ------
    ValueError
        For losses of different dimensions, and a gradient that is not finite. What a loss raises is passed on.

    Examples
    --------
    >>> from ocoboost import oco
    >>> stream = [oco.LogisticLoss([1.0, 0.5], 1), oco.LogisticLoss([0.5, 1.0], -1)]
    >>> best = oco.best_in_hindsight(stream, oco.L2Ball(2.0))
    >>> best.gap <= 1e-9, bool(abs(best.point.sum()) < 1e-4)
    (True, True)
    """
    if not isinstance(decision_set, Set):
        raise TypeError(f"decision_set = {decision_set!r} is no set")
    listed = list(losses)
    if dimension is None:
        own = [loss.dimension for loss in listed if isinstance(loss, Loss)]
        dimension = own[0] if own else decision_set._dimension(None)
    steps = whole("max_steps", max_steps)
    if steps >= 2**32:
        raise ValueError(f"max_steps = {steps} is outside [0, 2^32)")
    given = [loss._loss if isinstance(loss, Loss) else loss for loss in listed]
    tolerance = number("tolerance", tolerance)
    size = whole("dimension", dimension)
    return Comparator(*_core.best_in_hindsight(given, decision_set._set, size, str(method), tolerance, steps))


@dataclass(frozen=True, eq=False)
class Record:
    """What a learner played, and its regret.

    Attributes
    ----------
    plays : array of shape (T, d)
        x_1, …, x_T.
    losses : array of shape (T,)
        ℓ_t(x_t).
    gradients : array of shape (T, d), or ``None`` for learners that receive none
    rounds : array of int of shape (R,)
        The rounds at which the regret was taken.
    regret : array of shape (R,)
        Σ_{s≤t} ℓ_s(x_s) − ℓ_s(u), with the comparator u of round t.
    gap : array of shape (R,)
        The regret against the best fixed point is at most ``regret + gap``: 0 for a closed form.
    bound : array of shape (R,)
        The theorem's bound against the same comparator; NaN without a sure one.
    comparators : array of shape (R, d)
        The best fixed point of the losses so far.
    """

    plays: NDArray[np.float64]
    losses: NDArray[np.float64]
    gradients: NDArray[np.float64] | None
    rounds: NDArray[np.integer[Any]]
    regret: NDArray[np.float64]
    gap: NDArray[np.float64]
    bound: NDArray[np.float64]
    comparators: NDArray[np.float64]

    @property
    def comparator(self) -> NDArray[np.float64]:
        """The best fixed point of all losses, of shape (d,)."""
        return self.comparators[-1]

    @property
    def average_regret(self) -> NDArray[np.float64]:
        """The regret divided by the rounds, of shape (R,)."""
        return self.regret / self.rounds

    @property
    def holds(self) -> bool:
        """Whether the regret is within every bound that there is, up to the rounding of the sums."""
        known = ~np.isnan(self.bound)
        totals = np.cumsum(np.abs(self.losses))[self.rounds - 1]
        return bool(np.all(self.regret[known] <= self.bound[known] + 1e-9 * (1.0 + totals[known])))

    def __repr__(self):
        if not len(self.rounds):
            return "Record(no round)"
        bound = "no sure bound" if np.isnan(self.bound[-1]) else f"bound {self.bound[-1]:.6g}"
        return f"Record({len(self.losses)} rounds, loss {self.losses.sum():.6g}, regret {self.regret[-1]:.6g}, {bound})"


def play(
    learner: OnlineLearner | QuadraticLeader | _Bandit | _ProjectionFree,
    losses: ArrayLike | Iterable[HasValueAndGradient],
    *,
    against: ArrayLike | None = None,
    at: str | Iterable[int] | None = None,
    hints: ArrayLike | None = None,
    tolerance: float = 1e-9,
    max_steps: int = 10_000,
) -> Record:
    """Plays a learner against losses, with its regret and the theorem's bound after the rounds.

    Parameters
    ----------
    learner : OnlineLearner, or another learner of this module
        It goes on from where it stands, and ends after the last round; where anything is refused, it is as it was.
    losses : array of shape (T, d), or list
        The gradients of linear losses; or losses, which are objects with ``value(x)`` and ``gradient(x)``.
    against : array of shape (d,), optional
        A comparator, instead of the best fixed point. The whole space has no best one for linear losses.
    at : {"all", "powers_of_two", "last"} or list of int, optional
        The rounds at which the regret is taken: all of them for linear and squared losses, whose best points have
        closed forms; powers of two and the last one for others, which are searched for by `best_in_hindsight`.
    hints : array of shape (T, d), optional
        Of optimistic mirror descent on linear losses.
    tolerance, max_steps
        Of the search.

    Returns
    -------
    Record
        Bounds are for a learner that had not been updated before; NaN for another one.

    Raises
    ------
    TypeError, ValueError
        For what the learner or the set refuses, with the round. What a loss raises is passed on.

    Examples
    --------
    >>> import numpy as np
    >>> from ocoboost import oco
    >>> learner = oco.OnlineGradientDescent(oco.L2Ball(), dimension=2, lipschitz=2.0)
    >>> record = oco.play(learner, np.random.default_rng(0).uniform(-1, 1, size=(500, 2)))
    >>> record.regret.shape, record.holds
    ((500,), True)
    """
    trial = copy.copy(learner)
    is_fresh = learner.rounds == 0
    is_linear = isinstance(losses, np.ndarray) or _is_table(losses)
    met: Any = losses
    hinted = None
    if is_linear:
        met = table("losses", losses)
        hinted = None if hints is None else table("hints", hints)
        if isinstance(trial, OnlineLearner):
            plays, gradients = trial._play(met, hinted), met
            values = np.einsum("td,td->t", plays, gradients)
        else:
            met = [LinearLoss(g) for g in met]
    elif hints is not None:
        raise ValueError("hints are for linear losses")
    if not (is_linear and isinstance(learner, OnlineLearner)):
        met = list(met)
        played = [_round(trial, t, loss) for t, loss in enumerate(met)]
        d = learner.dimension
        plays = np.array([x for x, _, _ in played]).reshape(-1, d)
        values = np.array([value for _, value, _ in played])
        has_gradients = all(g is not None for _, _, g in played)
        gradients = np.array([g for _, _, g in played]).reshape(-1, d) if has_gradients else None
    penalty = learner.penalty if isinstance(learner, CompositeMirrorDescent) else 0.0
    if penalty:
        values = values + penalty * np.abs(plays).sum(axis=1)
    found = _regret(met, values, plays, learner.decision_set, against, at, penalty, tolerance, max_steps)
    rounds, regret_, gap, comparators = found
    if is_fresh and (gradients is not None or not isinstance(learner, OnlineLearner)):
        bound = trial._bounds(comparators, gradients, rounds, hinted)
    else:
        bound = np.full(len(rounds), np.nan)
    learner.__dict__.update(trial.__dict__)
    return Record(plays, values, gradients, rounds, regret_, gap, bound, comparators)


def regret(
    losses: ArrayLike | Iterable[HasValueAndGradient],
    plays: ArrayLike,
    decision_set: Set,
    *,
    against: ArrayLike | None = None,
    at: str | Iterable[int] | None = None,
    tolerance: float = 1e-9,
    max_steps: int = 10_000,
) -> Record:
    """The regret of plays against the best fixed point of a set.

    Parameters
    ----------
    losses : array of shape (T, d), or list of T losses
        As for `play`.
    plays : array of shape (T, d)
    decision_set : Set
    against, at, tolerance, max_steps
        As for `play`.

    Returns
    -------
    Record
        Without bounds.

    Examples
    --------
    >>> from ocoboost import oco
    >>> record = oco.regret([[1.0], [-3.0]], [[0.5], [0.5]], oco.Box([-1.0], [1.0]))
    >>> record.regret.tolist(), record.comparator.tolist()
    ([1.5, 1.0], [1.0])
    """
    if not isinstance(decision_set, Set):
        raise TypeError(f"decision_set = {decision_set!r} is no set")
    xs = table("plays", plays)
    met: Any = losses
    if isinstance(losses, np.ndarray) or _is_table(losses):
        met = gradients = table("losses", losses)
        if met.shape != xs.shape:
            raise ValueError(f"losses have shape {met.shape}, plays {xs.shape}")
        values = np.einsum("td,td->t", xs, gradients)
    else:
        met = list(met)
        if len(met) != len(xs):
            raise ValueError(f"{len(met)} losses and {len(xs)} plays")
        values = np.array([float(loss.value(x)) for loss, x in zip(met, xs, strict=True)])
        gradients = np.array([loss.gradient(x) for loss, x in zip(met, xs, strict=True)]).reshape(xs.shape)
    found = _regret(met, values, xs, decision_set, against, at, 0.0, tolerance, max_steps)
    rounds, values_, gap, comparators = found
    return Record(xs, values, gradients, rounds, values_, gap, np.full(len(rounds), np.nan), comparators)


def _is_table(losses):
    """Whether a list is of vectors, and not of losses."""
    return isinstance(losses, (list, tuple)) and not any(hasattr(loss, "value") for loss in losses[:1])


def _round(learner, t, loss):
    try:
        return learner._round(loss)
    except ValueError as error:
        raise ValueError(f"round {t}: {error}") from error


def _rounds(at, total, default):
    """Rounds from 1 on."""
    at = default if at is None else at
    if isinstance(at, str):
        match at:
            case "all":
                return np.arange(1, total + 1)
            case "powers_of_two":
                powers = [1 << k for k in range(total.bit_length())]
                return np.unique(np.array([*powers, total], dtype=np.int64)[-total.bit_length() - 1 :])
            case "last":
                return np.array([total], dtype=np.int64)
        raise ValueError(f'at = {at!r} is neither "all" nor "powers_of_two" nor "last"')
    found = np.unique(np.array([whole("at", t) for t in at], dtype=np.int64))
    if len(found) and not 1 <= found[0] <= found[-1] <= total:
        raise ValueError(f"at has rounds outside [1, {total}]")
    return found


def _regret(losses, values, plays, decision_set, against, at, penalty, tolerance, max_steps):
    """Rounds, regrets, gaps and comparators."""
    total, d = plays.shape
    if total == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros((0, d))
    is_table = isinstance(losses, np.ndarray)
    if not is_table and all(isinstance(loss, LinearLoss) for loss in losses):
        losses, is_table = np.array([loss.slope for loss in losses]), True
    if against is not None:
        u = vector("against", against)
        if len(u) != d:
            raise ValueError(f"against: expected {d} coordinates, got {len(u)}")
        of_u = losses @ u if is_table else np.array([float(loss.value(u)) for loss in losses])
        of_u = of_u + penalty * np.abs(u).sum()
        rounds = _rounds(at, total, "all")
        sums = np.cumsum(values - of_u)[rounds - 1]
        return rounds, sums, np.zeros(len(rounds)), np.tile(u, (len(rounds), 1))
    if penalty:
        if not is_table:
            raise ValueError("the best point with an ℓ1 term is found for linear losses: hand in against=u for others")
        rounds = _rounds(at, total, "all")
        comparators, of_u = _composite(losses, rounds, decision_set, penalty)
        return rounds, np.cumsum(values)[rounds - 1] - of_u, np.zeros(len(rounds)), comparators
    own = decision_set._set
    if is_table:
        found, gaps, _, comparators = _core.linear_regrets(losses, plays, own)
    elif all(isinstance(loss, SquaredLoss) for loss in losses):
        centres = np.array([loss.target for loss in losses])
        found, gaps, _, comparators = _core.quadratic_regrets(np.full(total, 2.0), centres, plays, own)
    else:
        rounds = _rounds(at, total, "powers_of_two")
        options = {"dimension": d, "tolerance": tolerance, "max_steps": max_steps}
        best = [best_in_hindsight(losses[:t], decision_set, **options) for t in rounds]
        sums = np.cumsum(values)[rounds - 1]
        regrets = sums - np.array([one.loss for one in best])
        return rounds, regrets, np.array([one.gap for one in best]), np.array([one.point for one in best])
    rounds = _rounds(at, total, "all")
    return rounds, found[rounds - 1], gaps[rounds - 1], comparators[rounds - 1]


def _composite(gradients, rounds, box, penalty):
    """argmin over a box of Σ⟨g_t, u⟩ + tλ‖u‖₁ after each of these rounds, and the minimum: a coordinate at a time."""
    if not hasattr(box, "lower"):
        raise ValueError("the whole space has no best point: hand in against=u")
    slopes = np.cumsum(gradients, axis=0)[rounds - 1]
    candidates = np.stack([np.broadcast_to(bound, slopes.shape) for bound in (box.lower, box.upper)])
    candidates = np.concatenate([candidates, np.clip(0.0, box.lower, box.upper) * np.ones((1, *slopes.shape))])
    costs = slopes * candidates + penalty * rounds[:, np.newaxis] * np.abs(candidates)
    best = costs.argmin(axis=0)[np.newaxis]
    return np.take_along_axis(candidates, best, axis=0)[0], np.take_along_axis(costs, best, axis=0)[0].sum(axis=1)
