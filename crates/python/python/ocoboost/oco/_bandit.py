"""Learners that receive only the loss of their play."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ocoboost import _core
from ocoboost.oco._learners import size
from ocoboost.oco._sets import Set
from ocoboost.oco._vectors import number, whole


class _Bandit:
    """What the two have in common."""

    _learner: _core.Fkm | _core.MultiPointFkm

    def __init__(
        self, decision_set: Set, dimension: int | None, inner_radius: float, delta: float, step: float
    ) -> None:
        self._size = size(decision_set, dimension)
        self.decision_set, self.inner_radius = decision_set, number("inner_radius", inner_radius)
        self.delta, self.step = number("delta", delta), number("step", step)

    @property
    def dimension(self) -> int:
        """d."""
        return self._size

    @property
    def rounds(self) -> int:
        """The rounds so far."""
        return self._learner.rounds

    def _expected(self, rounds, squares, lipschitz):
        """D²/(2η) + ηTS²/2 + TL(2δ + ξD)."""
        diameter = self.decision_set.diameter(self._size)
        xi = self.delta / self.inner_radius
        bias = rounds * lipschitz * (2.0 * self.delta + xi * diameter)
        return diameter**2 / (2.0 * self.step) + self.step * rounds * squares / 2.0 + bias

    def _bounds(self, comparators, gradients, rounds, hints):
        return np.full(len(rounds), np.nan)

    def __copy__(self):
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._learner = copy.copy(self._learner)
        return other

    def __repr__(self):
        return f"{type(self).__name__}({self.decision_set!r}, dimension={self.dimension}, rounds={self.rounds})"


class BanditGradientDescent(_Bandit):
    """Gradient descent without a gradient, FKM (Flaxman, Kalai, McMahan, 2005).

    It plays x_t = y_t + δv_t with v_t uniform on the unit sphere, observes ℓ_t(x_t), and descends along
    (d/δ)ℓ_t(x_t)v_t in the set (1 − ξ)K, ξ = δ/r, so that every play lies in K. A round costs O(d) and a projection.

    Parameters
    ----------
    decision_set : Set
        It holds the ball of radius r around 0.
    dimension : int, optional
    inner_radius : float
        r.
    delta : float
        δ < r.
    step : float
        η.
    seed : int, default 0

    Examples
    --------
    >>> from ocoboost import oco
    >>> learner = oco.BanditGradientDescent(
    ...     oco.L2Ball(), dimension=2, inner_radius=1.0, delta=0.2, step=0.005, seed=7
    ... )
    >>> for _ in range(3000):
    ...     x = learner.predict()
    ...     learner.update((x[0] - 0.5) ** 2 + x[1] ** 2)
    >>> bool(abs(learner.predict()[0] - 0.5) < 0.5)
    True
    """

    _learner: _core.Fkm

    def __init__(
        self,
        decision_set: Set,
        *,
        dimension: int | None = None,
        inner_radius: float,
        delta: float,
        step: float,
        seed: int = 0,
    ) -> None:
        super().__init__(decision_set, dimension, inner_radius, delta, step)
        numbers = self.inner_radius, self.delta, self.step, whole("seed", seed)
        self._learner = _core.Fkm(decision_set._set, self._size, *numbers)

    def predict(self) -> NDArray[np.float64]:
        """x_t, of shape (d,): the same until its loss is observed."""
        return self._learner.predict()

    def update(self, loss: float) -> None:
        """Takes the number ℓ_t(x_t), possibly with noise of mean 0.

        Raises
        ------
        TypeError, ValueError
            For NaN and infinities, and before `predict`. The learner is then as it was.
        """
        self._learner.update(number("loss", loss))

    def expected_regret_bound(self, rounds: int, *, magnitude: float, lipschitz: float) -> float:
        """D²/(2η) + ηT(dM/δ)²/2 + TL(2δ + ξD), the bound on the expected regret after T rounds.

        Parameters
        ----------
        rounds : int
        magnitude : float
            M ≥ |ℓ_t| on K.
        lipschitz : float
            L.
        """
        squares = (self._size * number("magnitude", magnitude) / self.delta) ** 2
        return self._expected(whole("rounds", rounds), squares, number("lipschitz", lipschitz))

    def _round(self, loss):
        x = self.predict()
        value = float(loss.value(x))
        self.update(value)
        return x, value, None


class MultiPointBanditGradientDescent(_Bandit):
    """FKM with several queries a round (Agarwal, Dekel, Xiao, 2010).

    The learner takes the mean of N estimates of the gradient at y_t, each of one point, (d/δ)ℓ_t(y_t + δv)v, or of two,
    (d/2δ)(ℓ_t(y_t + δv) − ℓ_t(y_t − δv))v. Estimates of two points are at most dL in size, whatever δ is.

    Parameters
    ----------
    decision_set, dimension, inner_radius, delta, step, seed
        As for `BanditGradientDescent`.
    estimates : int, default 1
        N.
    two_points : bool, default True

    Examples
    --------
    >>> from ocoboost import oco
    >>> learner = oco.MultiPointBanditGradientDescent(
    ...     oco.L2Ball(), dimension=2, inner_radius=1.0, delta=1e-3, step=0.05
    ... )
    >>> for _ in range(500):
    ...     mean = learner.update(lambda x: (x[0] - 0.5) ** 2 + x[1] ** 2)
    >>> bool(abs(learner.predict()[0] - 0.5) < 1e-6)
    True
    """

    _learner: _core.MultiPointFkm

    def __init__(
        self,
        decision_set: Set,
        *,
        dimension: int | None = None,
        inner_radius: float,
        delta: float,
        step: float,
        estimates: int = 1,
        two_points: bool = True,
        seed: int = 0,
    ) -> None:
        super().__init__(decision_set, dimension, inner_radius, delta, step)
        if not isinstance(two_points, bool):
            raise TypeError(f"two_points = {two_points!r} is neither True nor False")
        self.estimates, self.two_points = whole("estimates", estimates), two_points
        if self.estimates >= 2**32:
            raise ValueError(f"estimates = {estimates} is outside [1, 2^32)")
        numbers = self.inner_radius, self.delta, self.step, two_points, self.estimates, whole("seed", seed)
        self._learner = _core.MultiPointFkm(decision_set._set, self._size, *numbers)

    def predict(self) -> NDArray[np.float64]:
        """y_t, of shape (d,): the centre of the queries of this round."""
        return self._learner.predict()

    def update(self, loss: Callable[[NDArray[np.float64]], float]) -> float:
        """Asks a callable for the losses of points of shape (d,), and learns.

        Parameters
        ----------
        loss : callable
            x ↦ ℓ_t(x).

        Returns
        -------
        float
            The mean of the answers, which is the loss of the round.

        Raises
        ------
        ValueError
            For an answer that is not finite. What the callable raises is passed on. The learner is then as it was.
        """
        if not callable(loss):
            raise TypeError(f"loss = {loss!r} is no callable: it is asked for the losses of several points")
        return self._learner.update(loss)

    def expected_regret_bound(self, rounds: int, *, magnitude: float, lipschitz: float) -> float:
        """D²/(2η) + ηTS²/2 + TL(2δ + ξD): S = dL for two points, S² = (dM/δ)²/N + L² for one.

        Parameters
        ----------
        rounds, magnitude, lipschitz
            As for `BanditGradientDescent`.
        """
        slope = number("lipschitz", lipschitz)
        squares = (self._size * slope) ** 2
        if not self.two_points:
            squares = (self._size * number("magnitude", magnitude) / self.delta) ** 2 / self.estimates + slope**2
        return self._expected(whole("rounds", rounds), squares, slope)

    def _round(self, loss):
        return self.predict(), self.update(loss.value), None
