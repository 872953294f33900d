"""Learners of labelled examples with a bound on their mistakes."""

from __future__ import annotations

import copy
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ocoboost import _core
from ocoboost.oco._vectors import number, vector, whole


class _MistakeBound:
    """What the three have in common: labels are ±1, and a score of 0 counts as a mistake."""

    _learner: _core.MistakeBound
    dimension: int

    @property
    def weights(self) -> NDArray[np.float64]:
        """w_t, of shape (d,)."""
        return self._learner.weights

    @property
    def mistakes(self) -> int:
        """The mistakes so far."""
        return self._learner.mistakes

    def predict(self, x: ArrayLike) -> float:
        """The sign of ⟨w_t, x⟩: −1.0, 0.0 or 1.0.

        Parameters
        ----------
        x : array of shape (d,)
        """
        return self._learner.predict(vector("x", x))

    def update(self, x: ArrayLike, y: float) -> bool:
        """Learns an example.

        Parameters
        ----------
        x : array of shape (d,)
        y : {-1, 1}

        Returns
        -------
        bool
            Whether it was a mistake.

        Raises
        ------
        TypeError, ValueError
            For NaN, another dimension and another label. The learner is then as it was.
        """
        return self._learner.update(vector("x", x), number("y", y))

    def __copy__(self):
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._learner = copy.copy(self._learner)
        return other

    def __repr__(self):
        return f"{type(self).__name__}(dimension={self.dimension}, mistakes={self.mistakes})"


class Perceptron(_MistakeBound):
    """The Perceptron: w ← w + yx after a mistake. If a unit vector u has y⟨u, x⟩ ≥ γ and ‖x‖ ≤ R for every example, at
    most (R/γ)² mistakes (Novikoff, 1962).

    Examples
    --------
    >>> from ocoboost import oco
    >>> perceptron = oco.Perceptron(2)
    >>> perceptron.update([1.0, 1.0], 1), perceptron.update([-1.0, 2.0], -1), perceptron.update([3.0, 0.0], 1)
    (True, True, False)
    >>> perceptron.weights.tolist(), perceptron.mistakes
    ([2.0, -1.0], 2)
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = whole("dimension", dimension)
        self._learner = _core.MistakeBound.perceptron(self.dimension)

    @staticmethod
    def mistake_bound(*, radius: float, margin: float) -> float:
        """(R/γ)²."""
        return (number("radius", radius) / number("margin", margin)) ** 2


class Winnow(_MistakeBound):
    """Winnow (Littlestone, 1988), normalised: w ∝ exp(ηΣ yx), summed over the mistakes.

    If a distribution u has y⟨u, x⟩ ≥ γ and ‖x‖_∞ ≤ X for every example, at most (log d/η)/(γ − ηX²/2) mistakes,
    which is 2X² log d/γ² for the step η = γ/X².

    Parameters
    ----------
    dimension : int
        d.
    step : float, optional
    margin, largest_feature : float, optional
        γ and X, instead of a step.

    Examples
    --------
    >>> from ocoboost import oco
    >>> winnow = oco.Winnow(2, margin=0.5, largest_feature=1.0)
    >>> winnow.update([1.0, -1.0], 1), bool(winnow.weights[0] > winnow.weights[1])
    (True, True)
    """

    _ratio = 1

    def __init__(
        self,
        dimension: int,
        *,
        step: float | None = None,
        margin: float | None = None,
        largest_feature: float | None = None,
    ) -> None:
        self.dimension = whole("dimension", dimension)
        others = margin, largest_feature
        if step is None and None in others:
            raise ValueError("step is needed, or margin and largest_feature, by which it is chosen")
        if step is not None and others != (None, None):
            raise ValueError(
                f"step = {step} is given, and margin and largest_feature choose one: leave those out, or the step"
            )
        if step is None:
            largest = number("largest_feature", largest_feature)
            if largest <= 0:
                raise ValueError(f"largest_feature = {largest} is not > 0")
            step = number("margin", margin) / largest / largest
        self.step = number("step", step)
        self._learner = self._make(self.dimension, self.step)

    _make = staticmethod(_core.MistakeBound.winnow)

    def mistake_bound(self, *, margin: float, largest_feature: float) -> float:
        """(log n/η)/(γ − ηX²/2), or infinity for η ≥ 2γ/X². n is d, and 2d for the balanced form."""
        left = number("margin", margin) - 0.5 * self.step * number("largest_feature", largest_feature) ** 2
        return math.log(self._ratio * self.dimension) / self.step / left if left > 0 else math.inf


class BalancedWinnow(Winnow):
    """Winnow on the doubled row (x, −x): it competes with every linear function of ‖u‖₁ ≤ 1, by at most
    2X² log(2d)/γ² mistakes for the step η = γ/X².

    Examples
    --------
    >>> from ocoboost import oco
    >>> winnow = oco.BalancedWinnow(2, step=0.5)
    >>> winnow.update([2.0, -1.0], -1), winnow.predict([2.0, -1.0])
    (True, -1.0)
    """

    _ratio = 2
    _make = staticmethod(_core.MistakeBound.balanced_winnow)
