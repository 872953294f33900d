"""Zero-sum games: exact values, and an online learner against an oracle."""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ocoboost import _core
from ocoboost.oco._learners import OnlineLearner
from ocoboost.oco._vectors import number, table, vector, whole


class Equilibrium(NamedTuple):
    """The value of a game, and strategies that attain it up to a gap."""

    value: float
    p: NDArray[np.float64]
    q: NDArray[np.float64]
    gap: float


class Certificate(NamedTuple):
    """What a pair of strategies guarantees: the value of the game lies in [min_p, max_q]."""

    payoff: float
    max_q: float
    min_p: float
    gap: float


class MatrixGame:
    """The game pᵀMq on two simplices: rows minimise, columns maximise.

    Parameters
    ----------
    payoffs : array of shape (n_rows, n_columns)

    Examples
    --------
    >>> from ocoboost import oco
    >>> found = oco.MatrixGame([[3.0, 0.0], [0.0, 1.0]]).equilibrium()
    >>> round(found.value, 12), found.p.round(12).tolist(), found.gap < 1e-12
    (0.75, [0.25, 0.75], True)
    """

    def __init__(self, payoffs: ArrayLike) -> None:
        self._game = _core.MatrixGame(table("payoffs", payoffs))

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """M, of shape (n_rows, n_columns)."""
        return self._game.payoffs

    def equilibrium(self) -> Equilibrium:
        """The value and optimal strategies, by the simplex method, in whole numbers where doubles do not decide."""
        return Equilibrium(*self._game.equilibrium())

    def certificate(self, p: ArrayLike, q: ArrayLike) -> Certificate:
        """What these strategies guarantee.

        Raises
        ------
        ValueError
            For vectors that are no distributions over the rows and the columns.
        """
        return Certificate(*self._game.certificate(vector("p", p), vector("q", q)))

    def best_row(self, q: ArrayLike) -> tuple[int, float]:
        """The first row of the least payoff against q, and that payoff."""
        return self._game.best_row(vector("q", q))

    def best_column(self, p: ArrayLike) -> tuple[int, float]:
        """The first column of the largest payoff against p, and that payoff."""
        return self._game.best_column(vector("p", p))

    def __repr__(self):
        n, m = self.payoffs.shape
        return f"MatrixGame({n}×{m})"


class Outcome(NamedTuple):
    """Why a run ended, after how many rounds in all, and with which certificate of the averages."""

    converged: bool
    rounds: int
    certificate: Certificate


class ZeroSumGame:
    """An online learner A against an oracle B (Brukhim, Chen, Moran, Hazan, 2020, Algorithm 3).

    p_t is A's play, q_t B's answer, and A receives a subgradient of p ↦ pᵀMq_t. The averages approach an equilibrium as
    fast as the average regret of A falls.

    Parameters
    ----------
    game : MatrixGame
    player : OnlineLearner
        Over the simplex of the rows, as `Hedge`; a copy of it plays.
    tremble : float, default 0
        The probability with which B plays a random column instead of the best one.
    seed : int, default 0

    Examples
    --------
    >>> from ocoboost import oco
    >>> game = oco.MatrixGame([[3.0, 0.0], [0.0, 1.0]])
    >>> play = oco.ZeroSumGame(game, oco.Hedge(2, rounds=10_000, largest_loss=3.0))
    >>> found = play.run(10_000, gap=0.05)
    >>> found.converged, found.certificate.min_p <= 0.75 <= found.certificate.max_q
    (True, True)
    """

    def __init__(self, game: MatrixGame, player: OnlineLearner, *, tremble: float = 0.0, seed: int = 0) -> None:
        if not isinstance(game, MatrixGame):
            raise TypeError(f"game = {game!r} is no MatrixGame")
        if not isinstance(player, OnlineLearner):
            raise TypeError(f"player = {player!r} is no learner")
        self.game = game
        own = number("tremble", tremble), whole("seed", seed)
        self._play = _core.ZeroSumGame(game._game, player._learner, *own)

    def round(self) -> float:
        """One round; the payoff p_tᵀMq_t."""
        return self._play.round()

    def run(self, max_rounds: int, *, gap: float) -> Outcome:
        """Plays until the gap of the averages is small enough, or so many rounds were played in all.

        Returns
        -------
        Outcome
        """
        converged, rounds, certificate = self._play.run(whole("max_rounds", max_rounds), number("gap", gap))
        return Outcome(converged, rounds, Certificate(*certificate))

    def certificate(self) -> Certificate:
        """What the averages guarantee."""
        return Certificate(*self._play.certificate())

    @property
    def p_bar(self) -> NDArray[np.float64]:
        """The average of A's plays."""
        return self._play.p_bar

    @property
    def q_bar(self) -> NDArray[np.float64]:
        """The average of B's answers."""
        return self._play.q_bar

    @property
    def average_payoff(self) -> float:
        """The average of the payoffs."""
        return self._play.average_payoff

    @property
    def rounds(self) -> int:
        """The rounds so far."""
        return self._play.rounds

    def regret_against(self, p: ArrayLike) -> float:
        """Σ⟨g_t, p_t − p⟩, the regret of A against a strategy."""
        return self._play.regret_against(vector("p", p))

    def __copy__(self):
        other = object.__new__(type(self))
        other.game, other._play = self.game, copy.copy(self._play)
        return other
