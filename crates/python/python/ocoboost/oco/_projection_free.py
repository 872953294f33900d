"""Learners that never project: Frank–Wolfe steps over copies of an online linear optimiser."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ocoboost import _core
from ocoboost.oco._learners import OnlineLearner
from ocoboost.oco._losses import HasGradient, Loss
from ocoboost.oco._sets import Set
from ocoboost.oco._vectors import number, vector, whole

if TYPE_CHECKING:
    from typing_extensions import Self


class GradientNoise:
    """Noise ζ with mean 0 that is added to gradients: the same at every point of a query, afresh in the next.

    Examples
    --------
    >>> from ocoboost import oco
    >>> noise = oco.GradientNoise.on_sphere(0.5, seed=7)
    """

    def __init__(self, noise: _core.GradientNoise) -> None:
        self._noise = noise

    @classmethod
    def on_sphere(cls, radius: float, *, seed: int = 0) -> Self:
        """‖ζ‖ = radius, in a uniform direction."""
        return cls(_core.GradientNoise.on_sphere(number("radius", radius), whole("seed", seed)))

    @classmethod
    def gaussian(cls, deviation: float, *, seed: int = 0) -> Self:
        """Independent normal coordinates."""
        return cls(_core.GradientNoise.gaussian(number("deviation", deviation), whole("seed", seed)))


class _ProjectionFree:
    """What the three have in common."""

    _method = ""

    def __init__(
        self,
        learner: OnlineLearner,
        decision_set: Set | None = None,
        *,
        copies: int,
        noise: GradientNoise | None = None,
    ) -> None:
        if not isinstance(learner, OnlineLearner):
            raise TypeError(f"learner = {learner!r} is no learner")
        decision_set = learner.decision_set if decision_set is None else decision_set
        if not isinstance(decision_set, Set):
            raise TypeError(f"decision_set = {decision_set!r} is no set")
        if noise is not None and not isinstance(noise, GradientNoise):
            raise TypeError(f"noise = {noise!r} is no GradientNoise")
        self.decision_set, self.copies, self._noise = decision_set, whole("copies", copies), noise
        self._learner = _core.ProjectionFree(self._method, learner._learner, decision_set._set, self.copies)
        self._smoothness = 0.0

    @property
    def dimension(self) -> int:
        """d."""
        return len(self.predict())

    @property
    def rounds(self) -> int:
        """The losses so far."""
        return self._learner.rounds

    def predict(self) -> NDArray[np.float64]:
        """x_t, of shape (d,)."""
        return self._learner.predict()

    def update(self, loss: HasGradient) -> None:
        """Learns from a loss, by its gradients at points of the learner's choice.

        Parameters
        ----------
        loss : Loss, or an object with ``gradient(x)``

        Raises
        ------
        ValueError
            For a loss of another dimension, and a gradient that is not finite. What the loss raises is passed on. The
            learner is then as it was.
        """
        own = loss._loss if isinstance(loss, Loss) else loss
        self._learner.update(own, None if self._noise is None else self._noise._noise)

    def reset(self) -> None:
        """Back to x_1."""
        self._learner.reset()
        self._smoothness = 0.0

    def measured_regrets(self, comparator: ArrayLike) -> NDArray[np.float64]:
        """R_i = Σ⟨g_{t,i}, A_i.play() − u⟩ of every copy, of shape (copies,)."""
        return self._learner.measured_regrets(vector("comparator", comparator))

    def _round(self, loss):
        x = self.predict()
        value = float(loss.value(x))
        self.update(loss)
        smoothness = getattr(loss, "smoothness", None)
        self._smoothness = max(self._smoothness, np.inf if smoothness is None else smoothness)
        return x, value, None

    def _bounds(self, comparators, gradients, rounds, hints):
        return np.full(len(rounds), np.nan)

    def __copy__(self):
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._learner, other._noise = copy.copy(self._learner), copy.deepcopy(self._noise)
        return other

    def __repr__(self):
        return f"{type(self).__name__}({self.decision_set!r}, copies={self.copies}, rounds={self.rounds})"


_PARAMETERS = """
    Parameters
    ----------
    learner : OnlineLearner
        A, of which copies are made: online gradient descent, or one without projections such as
        `FollowThePerturbedLeader`.
    decision_set : Set, optional
        K; that of the learner by default.
    copies : int
    noise : GradientNoise, optional
        Added to every gradient.
"""


class ProjectionFree(_ProjectionFree):
    __doc__ = (
        """Projection-free online convex optimisation (Brukhim, Hazan, 2020, Algorithm 1).

    x^i = (1 − η_i)x^{i−1} + η_i·A_i.play() with η_i = 2/(i + 1); A_i receives the gradient at x^{i−1}; x^N is played.
    For β-smooth losses and exact gradients, Σ ℓ_t(x_t) − ℓ_t(u) ≤ 2βD²T/(N + 1) + max_i R_i, with the measured regret
    R_i of A_i. A round costs N gradients and N rounds of A.
"""
        + _PARAMETERS
        + """
    Examples
    --------
    >>> from ocoboost import oco
    >>> optimiser = oco.OnlineGradientDescent(oco.L2Ball(), dimension=2, step=oco.StepSchedule.power(0.5, 0.5))
    >>> learner = oco.ProjectionFree(optimiser, copies=30)
    >>> record = oco.play(learner, [oco.SquaredLoss([0.5, 0.0])] * 300, at="last")
    >>> bool(abs(learner.predict()[0] - 0.5) < 0.05), record.holds
    (True, True)
    """
    )
    _method = "projection_free"

    def regret_bound(self, comparator: ArrayLike, *, smoothness: float) -> float:
        """2βD²T/(N + 1) + max_i R_i after the rounds so far.

        Parameters
        ----------
        comparator : array of shape (d,)
            u ∈ K.
        smoothness : float
            β.
        """
        slack = 2.0 * number("smoothness", smoothness) * self.decision_set.diameter(self.dimension) ** 2
        return slack * self.rounds / (self.copies + 1) + float(self.measured_regrets(comparator).max())

    def _bounds(self, comparators, gradients, rounds, hints):
        bounds = super()._bounds(comparators, gradients, rounds, hints)
        # The accounts of the copies are those of the last round.
        if len(rounds) and rounds[-1] == self.rounds and np.isfinite(self._smoothness) and self._noise is None:
            bounds[-1] = self.regret_bound(comparators[-1], smoothness=self._smoothness)
        return bounds


class MetaFrankWolfe(_ProjectionFree):
    __doc__ = (
        """Meta-Frank-Wolfe for convex losses (Chen, Harshaw, Hassani, Karbasi, 2018): averaged gradients tame noise.

    x^{k+1} = x^k + η_k(A_k.play() − x^k) with η_k = 1/(k + 3); A_k receives d^k = (1 − ρ_k)d^{k−1} + ρ_k g(x^k) with
    ρ_k = 2/(k + 3)^(2/3). The expected regret is O(√T) with T^(3/2) copies.
"""
        + _PARAMETERS
        + """
    Examples
    --------
    >>> from ocoboost import oco
    >>> optimiser = oco.OnlineGradientDescent(oco.L2Ball(), dimension=1, step=oco.StepSchedule.power(0.5, 0.5))
    >>> learner = oco.MetaFrankWolfe(optimiser, copies=64)
    >>> for _ in range(16):
    ...     learner.update(oco.SquaredLoss([0.5]))
    >>> bool(abs(learner.predict()[0] - 0.5) < 0.1)
    True
    """
    )
    _method = "meta_frank_wolfe"


class Morgfw(_ProjectionFree):
    __doc__ = (
        """MORGFW, meta online Frank–Wolfe with recursive gradients (Xie, Shen, Zhang, Qian, Wang, 2019).

    x^{k+1} = x^k + η_k(A_k.play() − x^k); A_k receives d^k = g(x^k; ξ_k) + (1 − ρ_k)(d^{k−1} − g(x^{k−1}; ξ_k)), with
    η_k = ρ_k = 1/(k + 1). The expected regret is O(√T) with T copies.
"""
        + _PARAMETERS
        + """
    Examples
    --------
    >>> from ocoboost import oco
    >>> optimiser = oco.OnlineGradientDescent(oco.L2Ball(), dimension=1, step=oco.StepSchedule.power(0.5, 0.5))
    >>> learner = oco.Morgfw(optimiser, copies=50)
    >>> for _ in range(50):
    ...     learner.update(oco.SquaredLoss([0.5]))
    >>> bool(abs(learner.predict()[0] - 0.5) < 0.1)
    True
    """
    )
    _method = "morgfw"
