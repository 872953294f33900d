"""Convex losses of a vector."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ocoboost import _core
from ocoboost.oco._sets import Set
from ocoboost.oco._vectors import number, table, vector


class HasGradient(Protocol):
    """What the learners without projections ask of a loss."""

    def gradient(self, x: NDArray[np.float64], /) -> ArrayLike: ...


class HasValueAndGradient(HasGradient, Protocol):
    """What may take the place of a `Loss`."""

    def value(self, x: NDArray[np.float64], /) -> float: ...


class Loss:
    """A convex loss ℓ with a subgradient.

    Anything with ``value(x)`` and ``gradient(x)`` may take the place of one: this class is for those of the crate.
    """

    _loss: _core.Loss

    @property
    def dimension(self) -> int:
        """d."""
        return self._loss.dimension

    @property
    def smoothness(self) -> float | None:
        """β with ‖∇ℓ(x) − ∇ℓ(y)‖ ≤ β‖x − y‖; ``None`` for a loss that is not smooth."""
        return self._loss.smoothness

    def value(self, x: ArrayLike) -> float:
        """ℓ(x).

        Raises
        ------
        ValueError
            For NaN, infinities and another dimension.
        """
        return self._loss.value(vector("x", x))

    def gradient(self, x: ArrayLike) -> NDArray[np.float64]:
        """Some g ∈ ∂ℓ(x), of shape (d,)."""
        return self._loss.gradient(vector("x", x))

    def lipschitz_on(self, decision_set: Set) -> float:
        """A Lipschitz constant on a set, from a ball around it."""
        return self._constants_on(decision_set)[0]

    def magnitude_on(self, decision_set: Set) -> float:
        """A bound of |ℓ| on a set, from a ball around it."""
        return self._constants_on(decision_set)[1]

    def _constants_on(self, decision_set):
        if not isinstance(decision_set, Set):
            raise TypeError(f"decision_set = {decision_set!r} is no set")
        return self._loss.constants_on(decision_set._set)


class LinearLoss(Loss):
    """ℓ(x) = ⟨g, x⟩.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.LinearLoss([2.0, -1.0]).value([3.0, 4.0])
    2.0
    """

    def __init__(self, slope: ArrayLike) -> None:
        self.slope = vector("slope", slope)
        self._loss = _core.Loss.linear(self.slope)


class SquaredLoss(Loss):
    """ℓ(x) = ‖x − target‖².

    Examples
    --------
    >>> from ocoboost import oco
    >>> loss = oco.SquaredLoss([1.0, 0.0])
    >>> loss.value([3.0, -1.0]), loss.gradient([3.0, -1.0]).tolist(), loss.smoothness
    (5.0, [4.0, -2.0], 2.0)
    """

    def __init__(self, target: ArrayLike) -> None:
        self.target = vector("target", target)
        self._loss = _core.Loss.squared(self.target)


class QuadraticLoss(Loss):
    """ℓ(x) = ½xᵀAx + ⟨b, x⟩ + c with A symmetric and positive semidefinite. A call costs O(d³), for the check of A.

    Raises
    ------
    ValueError
        For an A with a negative eigenvalue, and one that is not symmetric.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.QuadraticLoss([[2.0, 1.0], [1.0, 2.0]], [-3.0, 0.0], 1.0).value([2.0, -1.0])
    -2.0
    """

    def __init__(self, A: ArrayLike, b: ArrayLike, c: float = 0.0) -> None:
        self._loss = _core.Loss.quadratic(table("A", A), vector("b", b), number("c", c))


class AbsoluteLoss(Loss):
    """ℓ(w) = |⟨w, x⟩ − y|.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.AbsoluteLoss([2.0, 1.0], 5.0).value([1.0, 1.0])
    2.0
    """

    def __init__(self, x: ArrayLike, y: float) -> None:
        self._loss = _core.Loss.absolute(vector("x", x), number("y", y))


class HingeLoss(Loss):
    """ℓ(w) = max(0, threshold − y⟨w, x⟩) for a label y = ±1; the Perceptron's with the threshold 0.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.HingeLoss([3.0, 4.0], -1).value([0.0, 0.25])
    2.0
    """

    def __init__(self, x: ArrayLike, y: float, *, threshold: float = 1.0) -> None:
        self._loss = _core.Loss.hinge(vector("x", x), number("y", y), number("threshold", threshold))


class LogisticLoss(Loss):
    """ℓ(w) = log(1 + exp(−y⟨w, x⟩)) for a label y = ±1.

    Examples
    --------
    >>> from ocoboost import oco
    >>> round(oco.LogisticLoss([1.0], 1).value([0.0]), 6)
    0.693147
    """

    def __init__(self, x: ArrayLike, y: float) -> None:
        self._loss = _core.Loss.logistic(vector("x", x), number("y", y))


class HuberLoss(Loss):
    """ℓ(w) = ½r² where |r| ≤ δ, else δ(|r| − δ/2), with r = ⟨w, x⟩ − y.

    Examples
    --------
    >>> from ocoboost import oco
    >>> [oco.HuberLoss([1.0], 0.0, delta=2.0).value([w]) for w in (1.0, 10.0)]
    [0.5, 18.0]
    """

    def __init__(self, x: ArrayLike, y: float, *, delta: float = 1.0) -> None:
        self._loss = _core.Loss.huber(vector("x", x), number("y", y), number("delta", delta))


class LogPortfolioLoss(Loss):
    """ℓ(x) = −log⟨r, x⟩ for price relatives r ≥ 0: minus the growth of the portfolio x.

    Parameters
    ----------
    relatives : array of shape (d,)
    floor : float, optional
        A lower bound of ⟨r, x⟩, for the constants; min r by default, which is one on the simplex.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.LogPortfolioLoss([2.0, 0.5]).value([0.0, 1.0]) > 0
    True
    """

    def __init__(self, relatives: ArrayLike, *, floor: float | None = None) -> None:
        own = vector("relatives", relatives)
        floor = min(own.tolist(), default=math.nan) if floor is None else number("floor", floor)
        self._loss = _core.Loss.log_portfolio(own, floor)
