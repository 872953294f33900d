"""Regressors in River's manner, of targets and of losses alone."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ocoboost import _core, _data, _files
from ocoboost.online._columns import columns, labels, of_rows

if TYPE_CHECKING:
    from typing_extensions import Self

try:
    from river.base import Regressor as _Regressor
except ImportError:

    class _Regressor:
        """What River's regressors have that this one needs, without River."""

        def clone(self):
            return _clone(self)


def _clone(model):
    return type(model)(**{name: copy.copy(getattr(model, name)) for name in model._settings_names})


class _Saved:
    """Model files of regressors."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, which Rust reads too.

        Raises
        ------
        ValueError
            Before the first row.
        OSError
            An old file is then untouched.
        """
        if self._learner is None:
            raise ValueError("there is nothing to save before the first row")
        path = os.fspath(path)
        with _files.writing(path):
            self._learner.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a model file, with its settings. The regressor goes on bit for bit as the one that was saved.

        Raises
        ------
        OSError, ValueError
            For a file that cannot be read, or holds something else.
        """
        path = os.fspath(path)
        with _files.reading(path):
            learner = cls._native.load(path)
        own = {of_rust: name for name, of_rust in cls._names_in_rust.items()}
        settings = {own.get(name, name): value for name, value in json.loads(learner.settings).items()}
        if settings["target_range"] is not None:
            settings["target_range"] = tuple(settings["target_range"])
        model = cls(**settings)
        model._learner = learner
        return model


class OnlineBoostingRegressor(_Saved, _Regressor):
    """Online gradient boosting of regression, over linear learners, with the coding of its rows.

    Rows are dicts, as those of `OnlineBoostingClassifier`; numbers are in units of their deviations over the rows so
    far. Every weak learner learns the gradient of the loss at the prediction of those before it.

    Parameters
    ----------
    booster : {"gradient_boosting", "span_boosting", "alone"}
        Online gradient boosting over the convex hull of the learners, or over their span (Beygelzimer, Hazan, Kale,
        Luo, 2015, Algorithms 2 and 1), or one linear model by online gradient descent.
    loss : {"squared", "absolute", "huber"}
        In the unit of the target. The absolute loss is not smooth, and no theorem of boosting holds for it.
    n_learners : int, default 20
        N. With weak learners of advantage γ, the regret of gradient boosting on β-smooth losses is at most
        2βD²T/(γ²(N + 1)) + max_i R_i/γ, with R_i that of learner i and D the diameter of the predictions.
    learning_rate : float, default 0.5
        The step of a weak learner in round t is ``learning_rate``·t^(−``decay``).
    decay : float, default 0.5
    radius : float, default 1
        The largest norm of a weak learner's weights, in units of deviations.
    advantage : float, default 1
        γ: what weak learners predict is divided by it.
    span_step : float, default 0.1
        η of span boosting.
    target_range : (float, float), optional
        The interval that every target lies in, as the theorems want it. Without one, targets are in units of their
        deviation from their mean so far.
    bits : int, optional
        There are 2^bits coordinates; by the first row where it is not given.

    Examples
    --------
    >>> from ocoboost.online import OnlineBoostingRegressor
    >>> model = OnlineBoostingRegressor(n_learners=10)
    >>> for t in range(2000):
    ...     model.learn_one({"x": t * 37 % 100}, 3.0 * (t * 37 % 100) + 5.0)
    >>> abs(model.predict_one({"x": 50}) - 155.0) < 15.0
    True
    """

    _native = _core.Regressor
    _names_in_rust = {"n_learners": "learners"}
    _settings_names = (
        "booster",
        "loss",
        "n_learners",
        "learning_rate",
        "decay",
        "radius",
        "advantage",
        "span_step",
        "target_range",
        "bits",
    )

    def __init__(
        self,
        booster="gradient_boosting",
        loss="squared",
        n_learners=20,
        learning_rate=0.5,
        decay=0.5,
        radius=1.0,
        advantage=1.0,
        span_step=0.1,
        target_range=None,
        bits=None,
    ):
        self.booster = booster
        self.loss = loss
        self.n_learners = n_learners
        self.learning_rate = learning_rate
        self.decay = decay
        self.radius = radius
        self.advantage = advantage
        self.span_step = span_step
        self.target_range = target_range
        self.bits = bits
        # Settings are refused here, and not at the first row.
        self._begin(1)
        self._learner = None

    @classmethod
    def _unit_test_params(cls):
        yield {"n_learners": 5}
        yield {"booster": "span_boosting", "n_learners": 5}
        yield {"booster": "alone"}

    def _begin(self, cells):
        settings = {
            "booster": _data.text("booster", self.booster),
            "loss": _data.text("loss", self.loss),
            "learners": _data.whole("n_learners", self.n_learners),
            "target_range": None if self.target_range is None else _range(self.target_range),
            "bits": None if self.bits is None else _data.whole("bits", self.bits, below=2**32),
        }
        for name in ("learning_rate", "decay", "radius", "advantage", "span_step"):
            settings[name] = _data.real(name, getattr(self, name))
        return self._native(_data.as_json(settings), cells)

    def learn_one(self, x: Mapping[str, Any], y: float) -> None:
        """Learns a row.

        Parameters
        ----------
        x : dict
        y : float

        Raises
        ------
        TypeError, ValueError
            For a y that is no finite number or outside ``target_range``, and for numbers that are infinite. The
            regressor is then as it was.
        """
        learner = self._begin(len(x)) if self._learner is None else self._learner
        learner.learn(x, _number("y", y))
        self._learner = learner

    def predict_one(self, x: Mapping[str, Any]) -> float:
        """The value of a row; before any row 0, or the middle of the range.

        Parameters
        ----------
        x : dict

        Returns
        -------
        float
        """
        learner = self._begin(len(x)) if self._learner is None else self._learner
        return learner.predict(x)

    def learn_many(self, X: Any, y: Any) -> None:
        """Learns the rows of a table in turn, in one call: bit for bit like `learn_one` on every row.

        Parameters
        ----------
        X : data frame of pandas, polars, pyarrow or duckdb, or array of shape (n, m)
            The rows of an array count as ``dict(enumerate(row))``.
        y : series or array of shape (n,)

        Raises
        ------
        TypeError, ValueError
            With the row that is refused. None of the rows is learnt then, nor after Ctrl-C.
        """
        named, n = columns(X)
        y = np.ascontiguousarray([_number("y", own) for own in labels(y, n)], dtype=np.float64)
        learner = self._begin(len(named)) if self._learner is None else self._learner
        learner.learn_many(named, y)
        if n:
            self._learner = learner

    def predict_many(self, X: Any) -> Any:
        """The values of the rows of a table, in one call.

        Parameters
        ----------
        X : as for `learn_many`

        Returns
        -------
        pandas.Series for a data frame of pandas, else array of shape (n,)
        """
        named, n = columns(X)
        learner = self._begin(len(named)) if self._learner is None else self._learner
        return of_rows(X, learner.predict_many(named, n), None)

    def __str__(self):
        return f"{type(self).__name__}: {'no row so far' if self._learner is None else self._learner.sentence}"


class BanditRegressor(_Saved):
    """Values that are learnt from what they cost: online gradient boosting with noisy bandit feedback.

    It predicts a value for a row, and never sees a target: after every round it is told the losses of the points
    that it asks about, or the loss of its play alone. What is drawn for a round is drawn before it, so `predict_one`
    changes nothing.

    Parameters
    ----------
    target_range : (float, float)
        The interval that values are learnt in. Queries, and with one query plays, may lie up to δ beyond its ends,
        unless they are to ``stay_inside``.
    booster : {"gradient_boosting", "fkm"}
        Online boosting with bandit feedback (Brukhim, Hazan, 2020, Algorithm 2), over as many linear learners as
        queries: learner i learns the gradient of the loss at the prediction of those before it, estimated by one query
        (d/δ)ℓ(y + δv)v in a random direction v. Or one linear model with the mean of as many estimates (Flaxman, Kalai,
        McMahan, 2005).
    n_queries : int, default 10
        Losses that a round asks for. With ``booster="fkm"`` and one query the play itself is the query:
        `predict_one` then explores, and `learn_one` takes the loss that was observed.
    n_outputs : int, default 1
        d. Values are floats for 1, else arrays of shape (d,).
    delta : float, default 0.5
        δ, in halves of the range. A small one makes noisy estimates, a large one asks about far points.
    stay_inside : bool, default False
        Whether every query lies in the range; δ is below 1 then, and plays keep so far from its ends.
    learning_rate, decay : float, default 0.05 and 0.25
        The step of a learner in round t is ``learning_rate``·t^(−``decay``), for losses of a size about 1.
    radius : float, default 0.5
        The largest norm of a learner's weights, in units of deviations.
    advantage : float, default 1
        γ: what the learners predict is divided by it.
    bits : int, optional
        There are 2^bits coordinates; by the first row where it is not given.
    seed : int, default 0

    Examples
    --------
    A price for every customer; only what a price loses is known, and no best price.

    >>> from ocoboost.online import BanditRegressor
    >>> model, late = BanditRegressor(target_range=(0.0, 2.0), seed=1), 0.0
    >>> for t in range(3000):
    ...     x, best = {"size": t % 7}, 0.4 + (t % 7) / 5
    ...     late += (model.predict_one(x) - best) ** 2 / 1000 if t >= 2000 else 0.0
    ...     played = model.learn_one(x, lambda price: (price - best) ** 2)
    >>> late < 0.1
    True
    """

    _native = _core.Bandit
    _names_in_rust = {"target_range": "range", "n_queries": "queries", "n_outputs": "outputs"}
    _settings_names = (
        "target_range",
        "booster",
        "n_queries",
        "n_outputs",
        "delta",
        "stay_inside",
        "learning_rate",
        "decay",
        "radius",
        "advantage",
        "bits",
        "seed",
    )

    def __init__(
        self,
        target_range,
        booster="gradient_boosting",
        n_queries=10,
        n_outputs=1,
        delta=0.5,
        stay_inside=False,
        learning_rate=0.05,
        decay=0.25,
        radius=0.5,
        advantage=1.0,
        bits=None,
        seed=0,
    ):
        self.target_range = target_range
        self.booster = booster
        self.n_queries = n_queries
        self.n_outputs = n_outputs
        self.delta = delta
        self.stay_inside = stay_inside
        self.learning_rate = learning_rate
        self.decay = decay
        self.radius = radius
        self.advantage = advantage
        self.bits = bits
        self.seed = seed
        # Settings are refused here, and not at the first row.
        self._begin(1)
        self._learner = None

    def clone(self) -> Self:
        """The same settings, before the first row."""
        return _clone(self)

    def _begin(self, cells):
        settings = {
            "range": _range(self.target_range),
            "booster": _data.text("booster", self.booster),
            "queries": _data.whole("n_queries", self.n_queries),
            "outputs": _data.whole("n_outputs", self.n_outputs),
            "stay_inside": _data.truth("stay_inside", self.stay_inside),
            "bits": None if self.bits is None else _data.whole("bits", self.bits, below=2**32),
            "seed": _data.whole("seed", self.seed),
        }
        for name in ("delta", "learning_rate", "decay", "radius", "advantage"):
            settings[name] = _data.real(name, getattr(self, name))
        return self._native(_data.as_json(settings), cells)

    def predict_one(self, x: Mapping[str, Any]) -> Any:
        """What is played for a row.

        Parameters
        ----------
        x : dict

        Returns
        -------
        float, or array of shape (n_outputs,)
        """
        learner = self._begin(len(x)) if self._learner is None else self._learner
        return self._value(learner.predict(x))

    def learn_one(self, x: Mapping[str, Any], loss: Any) -> Any:
        """Learns from what values cost for a row.

        Parameters
        ----------
        x : dict
        loss : callable or float
            A callable of a value, a float or an array of shape (n_outputs,), that returns its loss; it is called
            ``n_queries`` times. Or the observed loss of ``predict_one(x)``, where the play is the one query.

        Returns
        -------
        float, or array of shape (n_outputs,)
            What was played.

        Raises
        ------
        TypeError, ValueError
            For a loss that is not finite, and a number where several losses are needed. What a callable raises is
            passed on. The learner and its random stream are then as they were.
        """
        learner = self._begin(len(x)) if self._learner is None else self._learner
        if callable(loss):
            played = learner.learn(x, lambda point: _loss(loss, self._value(point)))
        elif loss is None:
            raise TypeError("loss = None is neither a callable nor a number")
        else:
            played = learner.observe(x, _number("loss", loss))
        self._learner = learner
        return self._value(played)

    @property
    def n_rounds(self) -> int:
        """The rounds so far."""
        return 0 if self._learner is None else self._learner.rounds

    def _value(self, played):
        return played.item() if self.n_outputs == 1 else played

    def __str__(self):
        return f"{type(self).__name__}: {self.n_rounds:,} rounds"


def _range(target_range):
    return _data.interval("target_range", target_range, may_be_point=False)


def _loss(loss, point):
    """What a point loses."""
    found = loss(point)
    try:
        # A text is no number, though Python would read one from it.
        if not isinstance(found, (str, bytes)):
            return _data.double("what loss returned", found)
    except TypeError:
        pass
    raise TypeError(f"loss returned {found!r} for the point {point!r}, and no number")


def _number(name, value):
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, (Real, np.bool_)):
        raise TypeError(f"{name} = {value!r} is no number")
    return _data.double(name, value)
