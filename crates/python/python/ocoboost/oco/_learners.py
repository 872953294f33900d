"""Learners that receive a subgradient of the loss of their play."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ocoboost import _core
from ocoboost.oco._losses import SquaredLoss
from ocoboost.oco._sets import (
    Box,
    CappedSimplex,
    NegativeEntropy,
    PNorm,
    Regulariser,
    Set,
    Simplex,
    WholeSpace,
    regulariser,
)
from ocoboost.oco._vectors import number, table, vector, whole

if TYPE_CHECKING:
    from typing_extensions import Self


class StepSchedule:
    """The steps η_1, η_2, …

    Examples
    --------
    >>> from ocoboost import oco
    >>> steps = oco.StepSchedule.power(0.5, 0.5)
    >>> steps(1), steps(4)
    (0.5, 0.25)
    """

    def __init__(self, steps: _core.Steps, name: str, strong_convexity: float | None = None) -> None:
        self._steps, self._name, self._strong_convexity = steps, name, strong_convexity

    @classmethod
    def constant(cls, eta: float) -> Self:
        """η_t = η > 0."""
        return cls(_core.Steps.power(number("eta", eta), 0.0, "eta"), f"constant({eta})")

    @classmethod
    def power(cls, scale: float, exponent: float) -> Self:
        """η_t = scale·t^(−exponent), exponent ≥ 0."""
        steps = _core.Steps.power(number("scale", scale), number("exponent", exponent))
        return cls(steps, f"power({scale}, {exponent})")

    @classmethod
    def zinkevich(cls, diameter: float, lipschitz: float) -> Self:
        """η_t = D/(G√t): regret at most (3/2)GD√T at every T (Zinkevich, 2003)."""
        steps = _core.Steps.zinkevich(number("diameter", diameter), number("lipschitz", lipschitz))
        return cls(steps, f"zinkevich({diameter}, {lipschitz})")

    @classmethod
    def strongly_convex(cls, alpha: float) -> Self:
        """η_t = 1/(αt): regret at most G²(1 + log T)/(2α) on α-strongly convex losses (Hazan, Agarwal, Kale, 2007)."""
        alpha = number("alpha", alpha)
        return cls(_core.Steps.strongly_convex(alpha), f"strongly_convex({alpha})", alpha)

    @classmethod
    def tuned(cls, diameter: float, lipschitz: float, rounds: int) -> Self:
        """η = D/(G√(2T)), for a horizon of T rounds."""
        horizon = whole("rounds", rounds)
        if horizon >= 2**32:
            raise ValueError(f"rounds = {rounds} is outside [1, 2^32)")
        steps = _core.Steps.tuned(number("diameter", diameter), number("lipschitz", lipschitz), horizon)
        return cls(steps, f"tuned({diameter}, {lipschitz}, {rounds})")

    def __call__(self, t: int) -> float:
        """η_t, t ≥ 1."""
        t = whole("t", t)
        if t == 0:
            raise ValueError("t = 0: rounds are counted from 1")
        return self._steps.eta(t)

    def __repr__(self):
        return f"StepSchedule.{self._name}"


def _of_steps(step):
    """The schedule of a setting."""
    if isinstance(step, StepSchedule):
        return step
    return StepSchedule(_core.Steps.power(number("step", step), 0.0, "step"), f"constant({step})")


def _one_of(name, value, other, other_value):
    """Why not exactly one of two settings of the step is given."""
    if value is None:
        return f"{name} is needed, or {other}, by which it is chosen"
    return f"{name} = {value} is given, and {other} = {other_value} chooses one: leave one of them out"


def size(decision_set: Set, dimension: int | None, point: NDArray[np.float64] | None = None) -> int:
    """d, by a setting, a point or the set."""
    if not isinstance(decision_set, Set):
        raise TypeError(f"decision_set = {decision_set!r} is no set")
    if point is not None:
        if dimension is not None and whole("dimension", dimension) != len(point):
            raise ValueError(f"dimension = {dimension}, and the point has {len(point)} coordinates")
        return len(point)
    return decision_set._dimension(dimension)


def _point(name, point):
    return None if point is None else vector(name, point)


def _sums(values, rounds):
    """Sums of the first t values, for every t of rounds."""
    return np.concatenate([[0.0], np.cumsum(values)])[rounds]


def _squares(vectors):
    return np.square(vectors).sum(axis=-1)


class OnlineLearner:
    """A learner that plays x_t ∈ K, then takes a subgradient g_t of the loss at x_t.

    The same for every learner: `predict` changes nothing, a refused gradient changes nothing, and a copy, by `copy`
    or `pickle`, goes on bit for bit like the original.

    Attributes
    ----------
    decision_set : Set
    dimension : int
    rounds : int
        The gradients so far.
    """

    _learner: _core.Learner
    decision_set: Set

    @property
    def dimension(self) -> int:
        """d."""
        return self._learner.dimension

    @property
    def rounds(self) -> int:
        """The gradients so far."""
        return self._learner.rounds

    def predict(self) -> NDArray[np.float64]:
        """x_t, an array of shape (d,)."""
        return self._learner.predict()

    def update(self, gradient: ArrayLike) -> None:
        """Takes g_t and moves to x_{t+1}.

        Parameters
        ----------
        gradient : array of shape (d,)

        Raises
        ------
        TypeError, ValueError
            For NaN, infinities, numbers above 1e140 and another dimension. The learner is then as it was.
        """
        self._learner.update(vector("gradient", gradient))

    def reset(self) -> None:
        """Back to x_1; a learner that draws repeats its draws."""
        self._learner.reset()

    def regret_bound(self, comparator: ArrayLike, gradients: ArrayLike, hints: ArrayLike | None = None) -> float:
        """The theorem's bound on Σ⟨g_t, x_t − u⟩ when these gradients came from the first round on.

        For convex losses it bounds Σ ℓ_t(x_t) − ℓ_t(u) too.

        Parameters
        ----------
        comparator : array of shape (d,)
            u ∈ K.
        gradients : array of shape (T, d)
        hints : array of shape (T, d), optional
            Of optimistic mirror descent.

        Returns
        -------
        float
            NaN for a learner without a sure bound.
        """
        seen, u = table("gradients", gradients), vector("comparator", comparator)
        if len(u) != self.dimension or seen.shape[1] != self.dimension:
            raise ValueError(f"comparator and gradients need {self.dimension} coordinates")
        hinted = None if hints is None else table("hints", hints)
        return float(self._bounds(u[np.newaxis], seen, np.array([len(seen)]), hinted)[0])

    def _bounds(self, comparators, gradients, rounds, hints):
        """The bound after each of these rounds, against the comparator of each."""
        return np.full(len(rounds), np.nan)

    def _round(self, loss):
        """Plays a round against a loss: play, loss, gradient."""
        x = self.predict()
        value, gradient = float(loss.value(x)), vector("gradient", loss.gradient(x))
        self.update(gradient)
        return x, value, gradient

    def _play(self, gradients, hints):
        return self._learner.play(gradients, hints)

    def __copy__(self):
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._learner = copy.copy(self._learner)
        return other

    def __repr__(self):
        return f"{type(self).__name__}({self.decision_set!r}, dimension={self.dimension}, rounds={self.rounds})"


class OnlineGradientDescent(OnlineLearner):
    """Online gradient descent (Zinkevich, 2003): x_{t+1} = Π_K(x_t − η_t g_t).

    With a constant step, Σ⟨g_t, x_t − u⟩ ≤ ‖x_1 − u‖²/(2η) + (η/2)Σ‖g_t‖². With falling steps it is at most
    D²/(2η_T) + ½Σ η_t‖g_t‖², which is (3/2)GD√T for η_t = D/(G√t). With η_t = 1/(αt), the regret on α-strongly
    convex losses is at most ½Σ‖g_t‖²/(αt); this is the bound that is given for `StepSchedule.strongly_convex`, and it
    does not hold for other losses. A round costs O(d) and a projection.

    Parameters
    ----------
    decision_set : Set
    dimension : int, optional
        d, where the set has none.
    step : float or StepSchedule, optional
    lipschitz : float, optional
        G ≥ ‖g_t‖, instead of a step: η_t = D/(G√t) with the diameter D of the set.
    start : array of shape (d,), optional
        x_1 ∈ K; the projection of 0 by default.

    Examples
    --------
    >>> from ocoboost import oco
    >>> learner = oco.OnlineGradientDescent(oco.Box([-1.0], [1.0]), step=0.75)
    >>> learner.update([1.0])
    >>> learner.update([1.0])
    >>> learner.predict().tolist()
    [-1.0]
    """

    def __init__(
        self,
        decision_set: Set,
        *,
        dimension: int | None = None,
        step: float | StepSchedule | None = None,
        lipschitz: float | None = None,
        start: ArrayLike | None = None,
    ) -> None:
        point = _point("start", start)
        d = size(decision_set, dimension, point)
        if (step is None) == (lipschitz is None):
            raise ValueError(_one_of("step", step, "lipschitz", lipschitz))
        self.decision_set = decision_set
        if lipschitz is None:
            self.step = _of_steps(step)
        else:
            self.step = StepSchedule.zinkevich(decision_set.diameter(d), lipschitz)
        self._learner = _core.Learner.ogd(decision_set._set, d, point, self.step._steps)
        self._start = self._learner.predict()

    def _bounds(self, comparators, gradients, rounds, hints):
        eta = self.step._steps.eta
        steps = np.array([eta(t) for t in range(1, len(gradients) + 1)])
        drift = 0.5 * _sums(steps * _squares(gradients), rounds)
        if self.step._strong_convexity is not None:
            return drift
        last = np.array([eta(max(int(t), 1)) for t in rounds])
        if last.size and np.all(steps == last[-1]):
            return _squares(comparators - self._start) / (2.0 * last) + drift
        return self.decision_set.diameter(self.dimension) ** 2 / (2.0 * last) + drift


class LazyGradientDescent(OnlineLearner):
    """Lazy online gradient descent, also called online subgradient descent: x_t = Π_K(o − η Σ_{s<t} g_s).

    For an origin o ∈ K, Σ⟨g_t, x_t − u⟩ ≤ ‖u − o‖²/(2η) + ηΣ‖g_t‖². A round costs O(d) and a projection.

    Parameters
    ----------
    decision_set : Set
    dimension : int, optional
    step : float
        η.
    origin : array of shape (d,), optional
        o; the projection of 0 by default.

    Examples
    --------
    >>> from ocoboost import oco
    >>> lazy = oco.LazyGradientDescent(oco.Box([0.0], [1.0]), step=1.0)
    >>> for g in (3.0, -1.0, -1.0):
    ...     lazy.update([g])
    >>> lazy.predict().tolist()
    [0.0]
    """

    def __init__(
        self, decision_set: Set, *, dimension: int | None = None, step: float, origin: ArrayLike | None = None
    ) -> None:
        point = _point("origin", origin)
        d = size(decision_set, dimension, point)
        self.decision_set, self.step = decision_set, number("step", step)
        self._origin = decision_set.project(np.zeros(d)) if point is None else point
        self._learner = _core.Learner.lazy_ogd(decision_set._set, self._origin, self.step)

    def _bounds(self, comparators, gradients, rounds, hints):
        if self._origin not in self.decision_set:
            return super()._bounds(comparators, gradients, rounds, hints)
        away = _squares(comparators - self._origin) / (2.0 * self.step)
        return away + self.step * _sums(_squares(gradients), rounds)


class _Mirrored(OnlineLearner):
    """What the learners in the geometry of a mirror map share."""

    def __init__(
        self,
        decision_set: Set,
        geometry: str | Regulariser,
        dimension: int | None,
        step: float,
        point: NDArray[np.float64] | None,
    ) -> None:
        self._size = size(decision_set, dimension, point)
        self.decision_set, self.geometry, self.step = decision_set, regulariser(geometry), number("step", step)

    def _minimiser(self):
        """argmin R over K, where the learners begin."""
        d = self._size
        free = np.ones(d) if isinstance(self.geometry, NegativeEntropy) else np.zeros(d)
        return self.decision_set.project(free, self.geometry)

    def _stability(self, gradients, rounds):
        """(η/2β)Σ‖g_t‖*²."""
        if isinstance(self.geometry, PNorm):
            p = self.geometry.p
            beta, norms = p - 1.0, np.linalg.norm(gradients, ord=p / (p - 1.0), axis=1)
        elif isinstance(self.geometry, NegativeEntropy) and isinstance(self.decision_set, (Simplex, CappedSimplex)):
            beta, norms = 1.0 / self.decision_set.mass, np.abs(gradients).max(axis=1, initial=0.0)
        else:
            beta, norms = 1.0, np.linalg.norm(gradients, axis=1)
        return self.step / (2.0 * beta) * _sums(norms**2, rounds)

    def _divergences(self, comparators, origin):
        return np.array([self.geometry.divergence(u, origin) for u in comparators])


_GEOMETRY = """
    Parameters
    ----------
    decision_set : Set
    geometry : {"euclidean", "entropy"} or a mirror map, default "euclidean"
        The entropy is that of simplices, capped simplices and the unit box; `PNorm` that of the whole space.
    dimension : int, optional
        d, where the set has none.
    step : float
        η.
"""


class MirrorDescent(_Mirrored):
    __doc__ = (
        """Mirror descent (Beck, Teboulle, 2003): ∇R(z_{t+1}) = ∇R(x_t) − ηg_t and x_{t+1} = Π_K(z_{t+1}).

    Σ⟨g_t, x_t − u⟩ ≤ B(u, x_1)/η + (η/2β)Σ‖g_t‖*², where R is β-strongly convex: β = 1 in ‖·‖₂ for the Euclidean
    map; 1/s in ‖·‖₁ for the entropy on simplices of mass s; 1 in ‖·‖₂ for it on the unit box; p − 1 in ‖·‖_p for a
    p-norm. A round costs O(d) and a projection.
"""
        + _GEOMETRY
        + """    start : array of shape (d,), optional
        x_1 ∈ K; the minimiser of R by default.

    Examples
    --------
    >>> from ocoboost import oco
    >>> learner = oco.MirrorDescent(oco.Simplex(), geometry="entropy", dimension=2, step=1.0)
    >>> learner.update([800.0, 0.0])
    >>> learner.predict().tolist()
    [0.0, 1.0]
    """
    )

    def __init__(
        self,
        decision_set: Set,
        *,
        geometry: str | Regulariser = "euclidean",
        dimension: int | None = None,
        step: float,
        start: ArrayLike | None = None,
    ) -> None:
        point = _point("start", start)
        super().__init__(decision_set, geometry, dimension, step, point)
        own = decision_set._set, self.geometry._map
        self._learner = _core.Learner.mirror_descent(*own, self._size, point, self.step)
        self._start = self._learner.predict()

    def _bounds(self, comparators, gradients, rounds, hints):
        return self._divergences(comparators, self._start) / self.step + self._stability(gradients, rounds)


class DualAveraging(_Mirrored):
    __doc__ = (
        """Dual averaging (Nesterov, 2009), mirror descent with a lazy projection: x_t = Π_K((∇R)⁻¹(∇R(z_1) − ηΣ g_s)).

    Σ⟨g_t, x_t − u⟩ ≤ (B(u, z_1) − B(x_1, z_1))/η + (η/2β)Σ‖g_t‖*², with β and ‖·‖* as for `MirrorDescent`.
"""
        + _GEOMETRY
        + """    origin : array of shape (d,), optional
        z_1; the minimiser of R over K by default.

    Examples
    --------
    >>> from ocoboost import oco
    >>> lazy = oco.DualAveraging(oco.UnitBox(), geometry="entropy", step=1.0, origin=[0.5])
    >>> lazy.update([-10.0])
    >>> lazy.update([10.0])
    >>> lazy.predict().tolist()
    [0.5]
    """
    )

    def __init__(
        self,
        decision_set: Set,
        *,
        geometry: str | Regulariser = "euclidean",
        dimension: int | None = None,
        step: float,
        origin: ArrayLike | None = None,
    ) -> None:
        point = _point("origin", origin)
        super().__init__(decision_set, geometry, dimension, step, point)
        self._origin = self._minimiser() if point is None else point
        own = decision_set._set, self.geometry._map
        self._learner = _core.Learner.dual_averaging(*own, self._origin, self.step)
        self._start = self._learner.predict()

    def _bounds(self, comparators, gradients, rounds, hints):
        away = self._divergences(comparators, self._origin) - self.geometry.divergence(self._start, self._origin)
        return away / self.step + self._stability(gradients, rounds)


class FollowTheRegularizedLeader(_Mirrored):
    __doc__ = (
        """Follow the regularised leader: x_t = argmin over K of Σ_{s<t}⟨g_s, x⟩ + R(x)/η.

    Σ⟨g_t, x_t − u⟩ ≤ (R(u) − R(x_1))/η + (η/2β)Σ‖g_t‖*², with β and ‖·‖* as for `MirrorDescent`. It is
    `DualAveraging` from the minimiser of R.
"""
        + _GEOMETRY
        + """
    Examples
    --------
    >>> from ocoboost import oco
    >>> ftrl = oco.FollowTheRegularizedLeader(oco.Box([-1.0], [1.0]), step=0.5)
    >>> for slope in (-0.5, 1.0, -1.0):
    ...     ftrl.update([slope])
    >>> ftrl.predict().tolist()
    [0.25]
    """
    )

    def __init__(
        self, decision_set: Set, *, geometry: str | Regulariser = "euclidean", dimension: int | None = None, step: float
    ) -> None:
        super().__init__(decision_set, geometry, dimension, step, None)
        self._learner = _core.Learner.ftrl(decision_set._set, self.geometry._map, self._size, self.step)
        self._start = self._learner.predict()

    def _bounds(self, comparators, gradients, rounds, hints):
        values = np.array([self.geometry.value(u) for u in comparators]) - self.geometry.value(self._start)
        return values / self.step + self._stability(gradients, rounds)


class OptimisticMirrorDescent(_Mirrored):
    __doc__ = (
        """Optimistic mirror descent (Rakhlin, Sridharan, 2013): x_t = Π_K(z_t − ηm_t), z_{t+1} = Π_K(z_t − ηg_t).

    `expect` sets the hint m_t before a round; by default m_t = g_{t−1} and m_1 = 0.
    Σ⟨g_t, x_t − u⟩ ≤ B(u, z_1)/η + (η/2β)Σ‖g_t − m_t‖*², with β and ‖·‖* as for `MirrorDescent`.
"""
        + _GEOMETRY
        + """    origin : array of shape (d,), optional
        z_1; the minimiser of R over K by default.

    Examples
    --------
    >>> from ocoboost import oco
    >>> optimist = oco.OptimisticMirrorDescent(oco.L2Ball(), dimension=2, step=0.25)
    >>> optimist.expect([2.0, 0.0])
    >>> optimist.predict().tolist()
    [-0.5, 0.0]
    """
    )

    def __init__(
        self,
        decision_set: Set,
        *,
        geometry: str | Regulariser = "euclidean",
        dimension: int | None = None,
        step: float,
        origin: ArrayLike | None = None,
    ) -> None:
        point = _point("origin", origin)
        super().__init__(decision_set, geometry, dimension, step, point)
        self._origin = self._minimiser() if point is None else point
        own = decision_set._set, self.geometry._map
        self._learner = _core.Learner.optimistic(*own, self._size, self._origin, self.step)

    def expect(self, hint: ArrayLike) -> None:
        """Sets m_t, and with it the play of this round.

        Parameters
        ----------
        hint : array of shape (d,)
        """
        self._learner.expect(vector("hint", hint))

    def _bounds(self, comparators, gradients, rounds, hints):
        if hints is None:
            hints = np.concatenate([np.zeros((1, self.dimension)), gradients])[: len(gradients)]
        away = self._divergences(comparators, self._origin) / self.step
        return away + self._stability(gradients - hints, rounds)


class Hedge(OnlineLearner):
    """Hedge, or exponentiated gradient (Freund, Schapire, 1997): x_{t,j} ∝ exp(−η Σ_{s<t} g_{s,j}).

    The regret is at most log n/η + (η/2)Σ‖g_t‖∞², which is G√(2T log n) for the tuned step. A round costs O(n). The
    state is the sum of the gradients, so a weight that underflows can grow again.

    Parameters
    ----------
    experts : int
        n.
    step : float, optional
        η.
    rounds, largest_loss : int and float, optional
        T and G ≥ |g_{t,j}|, instead of a step: η = √(2 log n/T)/G.

    Examples
    --------
    >>> import math
    >>> from ocoboost import oco
    >>> hedge = oco.Hedge(2, step=1.0)
    >>> hedge.update([math.log(3.0), 0.0])
    >>> hedge.predict().round(12).tolist()
    [0.25, 0.75]
    """

    def __init__(
        self, experts: int, *, step: float | None = None, rounds: int | None = None, largest_loss: float = 1.0
    ) -> None:
        n = whole("experts", experts)
        if n == 0:
            raise ValueError("experts = 0: one is the least")
        if (step is None) == (rounds is None):
            raise ValueError(_one_of("step", step, "rounds", rounds))
        if step is None:
            horizon, largest = whole("rounds", rounds), number("largest_loss", largest_loss)
            if not (horizon > 0 and largest > 0):
                raise ValueError(f"rounds = {horizon} and largest_loss = {largest} have to be above 0")
            step = math.sqrt(2.0 * math.log(n) / horizon if n > 1 else 1.0) / largest
        self.decision_set, self.step = Simplex(), number("step", step)
        self._learner = _core.Learner.hedge(n, self.step)

    def _bounds(self, comparators, gradients, rounds, hints):
        squares = np.abs(gradients).max(axis=1, initial=0.0) ** 2
        return math.log(self.dimension) / self.step + 0.5 * self.step * _sums(squares, rounds)


class AdaGrad(OnlineLearner):
    """Diagonal AdaGrad on a box (Duchi, Hazan, Singer, 2011): x_j ← clip(x_j − D·g_j/√(Σ_{s≤t} g_{s,j}²)).

    Σ⟨g_t, x_t − u⟩ ≤ Σ_j (w_j²/(2D) + D)·√(Σ_t g_{t,j}²), with w_j the width of coordinate j. The scale of a
    coordinate does not matter. A round costs O(d).

    Parameters
    ----------
    decision_set : Box
    scale : float, optional
        D; max w/√2 by default.
    start : array of shape (d,), optional
        The projection of 0 by default.

    Examples
    --------
    >>> from ocoboost import oco
    >>> learner = oco.AdaGrad(oco.Box(-1.0, 1.0, dimension=2), scale=0.5)
    >>> learner.update([1e-140, -1e140])
    >>> learner.predict().tolist()
    [-0.5, 0.5]
    """

    def __init__(self, decision_set: Box, *, scale: float | None = None, start: ArrayLike | None = None) -> None:
        if not isinstance(decision_set, Box):
            raise TypeError(f"decision_set = {decision_set!r} is no Box")
        self._widths = decision_set.upper - decision_set.lower
        self.decision_set = decision_set
        self.scale = float(self._widths.max()) / math.sqrt(2.0) if scale is None else number("scale", scale)
        self._learner = _core.Learner.ada_grad(decision_set._set, _point("start", start), self.scale)

    def _bounds(self, comparators, gradients, rounds, hints):
        sums = np.concatenate([np.zeros((1, self.dimension)), np.cumsum(gradients**2, axis=0)])
        return np.sqrt(sums[rounds]) @ (self._widths**2 / (2.0 * self.scale) + self.scale)


class CompositeMirrorDescent(OnlineLearner):
    """COMID with an ℓ1 term (Duchi, Shalev-Shwartz, Singer, Tewari, 2010): sparse plays.

    x_{t+1} = argmin of η⟨g_t, x⟩ + ηλ‖x‖₁ + ½‖x − x_t‖²: soft thresholding, then the clip to the box.
    Σ⟨g_t, x_t − u⟩ + λ‖x_t‖₁ − λ‖u‖₁ ≤ ‖u − x_1‖²/(2η) + (η/2)Σ‖g_t‖² + λ‖x_1‖₁; losses and regret of `play` have the
    ℓ1 term too. A round costs O(d).

    Parameters
    ----------
    decision_set : Box or WholeSpace
    penalty : float
        λ ≥ 0.
    dimension : int, optional
    step : float
        η.
    start : array of shape (d,), optional

    Examples
    --------
    >>> from ocoboost import oco
    >>> comid = oco.CompositeMirrorDescent(oco.WholeSpace(), penalty=1.0, dimension=2, step=0.5)
    >>> comid.update([-3.0, -0.9])
    >>> comid.predict().tolist()
    [1.0, 0.0]
    """

    def __init__(
        self,
        decision_set: Box | WholeSpace,
        *,
        penalty: float,
        dimension: int | None = None,
        step: float,
        start: ArrayLike | None = None,
    ) -> None:
        if not isinstance(decision_set, (Box, WholeSpace)):
            raise TypeError(f"decision_set = {decision_set!r} is neither a Box nor the WholeSpace")
        point = _point("start", start)
        d = size(decision_set, dimension, point)
        self.decision_set, self.penalty, self.step = decision_set, number("penalty", penalty), number("step", step)
        self._learner = _core.Learner.comid(decision_set._set, d, point, self.step, self.penalty)
        self._start = self._learner.predict()

    def _bounds(self, comparators, gradients, rounds, hints):
        away = _squares(comparators - self._start) / (2.0 * self.step)
        first = self.penalty * np.abs(self._start).sum()
        return away + 0.5 * self.step * _sums(_squares(gradients), rounds) + first


class FollowTheLeader(OnlineLearner):
    """Follow the leader: x_t minimises Σ_{s<t}⟨g_s, x⟩ over K. No regret bound: alternating gradients defeat it.

    Parameters
    ----------
    decision_set : Set
        Bounded.
    dimension : int, optional
    start : array of shape (d,), optional
        x_1; an interior point by default.

    Examples
    --------
    >>> from ocoboost import oco
    >>> leader = oco.FollowTheLeader(oco.Box([-1.0], [1.0]), start=[0.0])
    >>> plays = []
    >>> for slope in (-0.5, 1.0, -1.0):
    ...     leader.update([slope])
    ...     plays.append(leader.predict().item())
    >>> plays
    [1.0, -1.0, 1.0]
    """

    def __init__(self, decision_set: Set, *, dimension: int | None = None, start: ArrayLike | None = None) -> None:
        point = _point("start", start)
        d = size(decision_set, dimension, point)
        self.decision_set = decision_set
        self._learner = _core.Learner.follow_the_leader(decision_set._set, d, point)


class FollowThePerturbedLeader(OnlineLearner):
    """Follow the perturbed leader (Kalai, Vempala, 2005): x_t minimises ⟨Σ_{s<t} g_s + p_t, x⟩, p_t random of size 1/ε.

    The expected regret against gradients that are fixed in advance is bounded by `expected_regret_bound`. A round costs
    O(d) and a linear minimisation, and no projection.

    Parameters
    ----------
    decision_set : Set
        Bounded.
    dimension : int, optional
    epsilon : float
        ε; `tuned_epsilon` has the best one.
    perturbation : {"exponential", "uniform", "gaussian"}
    draws : {"each_round", "once"}
        Whether p is drawn afresh in every round.
    seed : int, default 0

    Examples
    --------
    >>> from ocoboost import oco
    >>> leader = oco.FollowThePerturbedLeader(oco.Simplex(), dimension=2, epsilon=0.05, seed=1)
    >>> gradients = [[0.0, 1.0], [1.0, 0.0]] * 500
    >>> float(oco.play(leader, gradients).regret[-1]) < 100.0
    True
    """

    def __init__(
        self,
        decision_set: Set,
        *,
        dimension: int | None = None,
        epsilon: float,
        perturbation: str = "exponential",
        draws: str = "each_round",
        seed: int = 0,
    ) -> None:
        d = size(decision_set, dimension)
        self.decision_set, self.epsilon, self.perturbation = decision_set, number("epsilon", epsilon), perturbation
        how = str(perturbation), self.epsilon, str(draws), whole("seed", seed)
        self._learner = _core.Learner.perturbed_leader(decision_set._set, d, *how)

    def expected_regret_bound(
        self, rounds: int, *, diameter: float, loss_range: float, gradient_size: float
    ) -> float:
        """c·εRA·T + m(d)·D/ε, the bound on the expected regret after T rounds.

        Parameters
        ----------
        rounds : int
        diameter : float
            D ≥ ‖x − x'‖₁ over K.
        loss_range : float
            R ≥ ⟨g_t, x − x'⟩ over K.
        gradient_size : float
            A ≥ ‖g_t‖₁, or ‖g_t‖₂ for Gaussian perturbations.
        """
        of = _constants(self.dimension, diameter, loss_range, gradient_size)
        return _core.perturbation_bound(self.perturbation, of, whole("rounds", rounds), self.epsilon)

    @staticmethod
    def tuned_epsilon(
        perturbation: str, rounds: int, *, dimension: int, diameter: float, loss_range: float, gradient_size: float
    ) -> float:
        """The ε for which the bound after these rounds is least.

        Examples
        --------
        >>> from ocoboost import oco
        >>> constants = {"dimension": 2, "diameter": 2.0, "loss_range": 1.0, "gradient_size": 1.0}
        >>> oco.FollowThePerturbedLeader.tuned_epsilon("uniform", 800, **constants)
        0.05
        """
        of = _constants(whole("dimension", dimension), diameter, loss_range, gradient_size)
        return _core.perturbation_epsilon(str(perturbation), of, whole("rounds", rounds))


def _constants(dimension, diameter, loss_range, gradient_size):
    sizes = number("diameter", diameter), number("loss_range", loss_range), number("gradient_size", gradient_size)
    return (dimension, *sizes)


class OnlineFrankWolfe(OnlineLearner):
    """Online Frank–Wolfe, or online conditional gradient (Hazan, Kale, 2012): one linear minimisation a round.

    v minimises ⟨∇F(x_t), ·⟩ for F(x) = ηΣ_{s≤t}⟨g_s, x⟩ + ‖x − x_1‖², and x_{t+1} = (1 − σ_t)x_t + σ_t v with
    σ_t = min(1, 2/√t). For ‖g_t‖ ≤ G, t ≤ T and the tuned step, the regret is at most ‖u − x_1‖²/η + (η/2)Σ‖g_s‖² +
    GDΣ√(2σ_s), which is below 8DG·T^(3/4) (Hazan, 2016, §7.5).

    Parameters
    ----------
    decision_set : Set
        Bounded.
    dimension : int, optional
    step : float, optional
        η; without a bound on the regret.
    rounds, lipschitz : int and float, optional
        T and G, instead of a step: η = D/(2G·T^(3/4)).
    start : array of shape (d,), optional
        An interior point by default.

    Examples
    --------
    >>> from ocoboost import oco
    >>> learner = oco.OnlineFrankWolfe(oco.Simplex(), start=[0.5, 0.5], rounds=100, lipschitz=1.0)
    >>> for _ in range(100):
    ...     learner.update([0.0, -1.0])
    >>> bool(learner.predict()[1] > 0.9)
    True
    """

    def __init__(
        self,
        decision_set: Set,
        *,
        dimension: int | None = None,
        step: float | None = None,
        rounds: int | None = None,
        lipschitz: float | None = None,
        start: ArrayLike | None = None,
    ) -> None:
        point = _point("start", start)
        d = size(decision_set, dimension, point)
        others = rounds, lipschitz
        if step is None and None in others:
            raise ValueError("step is needed, or rounds and lipschitz, by which it is chosen")
        if step is not None and others != (None, None):
            raise ValueError(f"step = {step} is given, and rounds and lipschitz choose one: leave those out, or the step")
        self.decision_set, self._horizon = decision_set, None
        if step is None:
            self._horizon, self._lipschitz = whole("rounds", rounds), number("lipschitz", lipschitz)
            if not (self._horizon > 0 and self._lipschitz > 0):
                raise ValueError(f"rounds = {rounds} and lipschitz = {lipschitz} have to be above 0")
            step = 0.5 * decision_set.diameter(d) / self._lipschitz / self._horizon**0.75
        self.step = number("step", step)
        self._start = decision_set.interior_point(d) if point is None else point
        self._learner = _core.Learner.online_frank_wolfe(decision_set._set, self._start, self.step)

    def _bounds(self, comparators, gradients, rounds, hints):
        norms = np.linalg.norm(gradients, axis=1)
        if self._horizon is None or len(gradients) > self._horizon or (norms > self._lipschitz).any():
            return super()._bounds(comparators, gradients, rounds, hints)
        sigmas = np.minimum(1.0, 2.0 / np.sqrt(np.arange(1, len(gradients) + 1)))
        gaps = self._lipschitz * self.decision_set.diameter(self.dimension) * _sums(np.sqrt(2.0 * sigmas), rounds)
        away = _squares(comparators - self._start) / self.step
        return away + 0.5 * self.step * _sums(norms**2, rounds) + gaps


class Doubling(OnlineLearner):
    """The doubling trick: a learner that is restarted in epochs of 1, 2, 4, … rounds, for an unknown horizon.

    In epoch m its step is scale/√(2^m). If the learner with the step scale/√T has regret at most C√T after T rounds,
    the regret is at most √2/(√2 − 1)·C√T at every T (Shalev-Shwartz, 2012, §2.3.1).

    Parameters
    ----------
    learner : OnlineLearner
        With one step; a copy of it is restarted.
    scale : float
    constant : float, optional
        C, for the bound: D·G for gradient descent with the scale D/G.

    Examples
    --------
    >>> from ocoboost import oco
    >>> learner = oco.OnlineGradientDescent(oco.Box([-1.0], [1.0]), step=1.0)
    >>> record = oco.play(oco.Doubling(learner, scale=2.0, constant=2.0), [[1.0], [-1.0], [1.0]] * 300)
    >>> record.holds
    True
    """

    def __init__(self, learner: OnlineLearner, *, scale: float, constant: float | None = None) -> None:
        if not isinstance(learner, OnlineLearner):
            raise TypeError(f"learner = {learner!r} is no learner")
        self.decision_set, self.scale = learner.decision_set, number("scale", scale)
        self.constant = None if constant is None else number("constant", constant)
        self._learner = _core.Learner.doubling(learner._learner, self.scale)

    def _bounds(self, comparators, gradients, rounds, hints):
        if self.constant is None:
            return super()._bounds(comparators, gradients, rounds, hints)
        return math.sqrt(2.0) / (math.sqrt(2.0) - 1.0) * self.constant * np.sqrt(rounds)


class QuadraticLeader:
    """Follow the regularised leader on quadratic losses (a_t/2)‖x − c_t‖², not on their gradients.

    x_t = Π_K(Σ_{s<t} a_s c_s/(Σ_{s<t} a_s + 1/η)). A round costs O(d) and a projection.

    Parameters
    ----------
    decision_set : Set
    dimension : int, optional
    step : float
        η: the regulariser is ‖x‖²/(2η).

    Examples
    --------
    >>> from ocoboost import oco
    >>> leader = oco.QuadraticLeader(oco.L2Ball(2.0), dimension=1, step=1.0)
    >>> leader.update(1.0, [3.0])
    >>> leader.predict().tolist()
    [1.5]
    """

    def __init__(self, decision_set: Set, *, dimension: int | None = None, step: float) -> None:
        self.decision_set, self.step = decision_set, number("step", step)
        self._learner = _core.FtrlQuadratic(decision_set._set, size(decision_set, dimension), self.step)

    @property
    def dimension(self) -> int:
        """d."""
        return len(self.predict())

    @property
    def rounds(self) -> int:
        """The losses so far."""
        return self._learner.rounds

    def predict(self) -> NDArray[np.float64]:
        """x_t, an array of shape (d,)."""
        return self._learner.predict()

    def update(self, curvature: float, centre: ArrayLike) -> None:
        """Takes (a/2)‖x − c‖²; of a `SquaredLoss`, a = 2.

        Raises
        ------
        TypeError, ValueError
            For a ≤ 0, NaN and another dimension. The learner is then as it was.
        """
        self._learner.update(number("curvature", curvature), vector("centre", centre))

    def penalty(self, u: ArrayLike) -> float:
        """‖u‖²/(2η)."""
        return self._learner.penalty(vector("u", u))

    def reset(self) -> None:
        """Back to x_1."""
        self._learner.reset()

    def _round(self, loss):
        if not isinstance(loss, SquaredLoss):
            raise TypeError(f"{loss!r} is no SquaredLoss")
        x = self.predict()
        value, gradient = loss.value(x), loss.gradient(x)
        self.update(2.0, loss.target)
        return x, value, gradient

    def _bounds(self, comparators, gradients, rounds, hints):
        return np.full(len(rounds), np.nan)

    __copy__ = OnlineLearner.__copy__
