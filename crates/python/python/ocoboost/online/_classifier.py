"""Classifiers in River's manner."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Hashable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ocoboost import _core, _data, _files
from ocoboost.online._columns import columns, labels

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Self

try:
    from river.base import Classifier as _Base
except ImportError:

    class _Base:
        """What River's classifiers have that this one needs, without River."""

        def clone(self):
            return type(self)(**{name: copy.copy(getattr(self, name)) for name in _SETTINGS})


_SETTINGS = ("booster", "weak_learner", "n_learners", "advantage", "bits", "seed")


def _text(y):
    """A label as a text: that of a whole number is the same for every type of numbers."""
    is_whole = isinstance(y, Real) and not isinstance(y, bool) and (isinstance(y, Integral) or float(y).is_integer())
    return str(int(y)) if is_whole else str(y)


class OnlineBoostingClassifier(_Base):
    """An online booster of two classes, with the coding of its rows.

    Rows are dicts: a number is a coordinate of its column, a date the days since 1970, a text one of its own, a missing
    value (``None`` or NaN) one that says so. Columns and labels may come and go. The third class is refused.

    Parameters
    ----------
    booster : {"online_bbm", "ada_boost_ol", "os_boost", "agnostic", "realizable", "alone"}
        Online BBM and AdaBoost.OL (Beygelzimer, Kale, Luo, 2015), OSBoost (Chen, Lin, Lu, 2012), online agnostic
        and realizable boosting (Brukhim, Chen, Hazan, Moran, 2020), or one learner alone.
    weak_learner : {"naive_bayes", "logistic", "stumps"}
    n_learners : int, default 20
    advantage : float, optional
        γ, the edge of a weak learner over guessing; chosen by progressive validation where it is not given.
    bits : int, optional
        There are 2^bits coordinates; by the first row where it is not given.
    seed : int or None, default 0
        ``None`` for a fresh one.

    Examples
    --------
    >>> from ocoboost.online import OnlineBoostingClassifier
    >>> model = OnlineBoostingClassifier(n_learners=5, seed=1)
    >>> wrong = 0
    >>> for t in range(500):
    ...     x, y = {"x": t * 37 % 100, "colour": "red" if t % 2 else "blue"}, t * 37 % 100 > 30
    ...     wrong += model.predict_one(x) != y
    ...     model.learn_one(x, y)
    >>> wrong < 100
    True
    """

    def __init__(
        self,
        booster: str = "online_bbm",
        weak_learner: str = "naive_bayes",
        n_learners: int = 20,
        advantage: float | None = None,
        bits: int | None = None,
        seed: int | None = 0,
    ) -> None:
        self.booster = booster
        self.weak_learner = weak_learner
        self.n_learners = n_learners
        self.advantage = advantage
        self.bits = bits
        self.seed = seed
        self._learner = None
        self._classes = []
        # Settings are refused here, and not at the first row.
        self._begin(1)

    @classmethod
    def _unit_test_params(cls):
        yield {"n_learners": 5}
        yield {"n_learners": 5, "booster": "ada_boost_ol"}

    def _begin(self, cells):
        fresh = int.from_bytes(os.urandom(4), "little")
        settings = {
            "booster": _data.text("booster", self.booster),
            "weak_learner": _data.text("weak_learner", self.weak_learner),
            "learners": _data.whole("n_learners", self.n_learners),
            "advantage": None if self.advantage is None else _data.real("advantage", self.advantage),
            "bits": None if self.bits is None else _data.whole("bits", self.bits, below=2**32),
            "seed": fresh if self.seed is None else _data.whole("seed", self.seed),
        }
        return _core.Stream(_data.as_json(settings), cells)

    def _text(self, y):
        """How Rust knows a class: labels that are equal, as ``True`` and 1, are one."""
        return _text(next((known for known in self._classes if known == y), y))

    def _know(self, y, text):
        """Keeps the label of a class that was learnt, in its place among Rust's."""
        if y in self._classes:
            return
        place = self._learner.classes.index(text)
        # A file has texts for labels.
        self._classes[place : place + 1] = [y]

    def learn_one(self, x: dict[Any, Any], y: Hashable) -> None:
        """Learns a row.

        Parameters
        ----------
        x : dict
        y : hashable
            Its class.

        Raises
        ------
        ValueError
            For a class that is missing, a third class, and numbers that are infinite. The learner is then as it was.
        """
        if _data._is_missing(y):
            raise ValueError(f"y = {y!r} is no class: a row without one is not learnt from")
        learner = self._begin(len(x)) if self._learner is None else self._learner
        text = self._text(y)
        learner.learn(x, text)
        self._learner = learner
        self._know(y, text)

    def predict_one(self, x: dict[Any, Any]) -> Any:
        """The class of a row; ``None`` before any class is known.

        Parameters
        ----------
        x : dict
        """
        place = None if self._learner is None else self._learner.predict(x)
        return None if place is None else self._classes[place]

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        """1 for the class that is predicted: a vote of classes, and no probability. ½ each before any is known.

        Until another class is seen, the classes count as ``False`` and ``True``.

        Parameters
        ----------
        x : dict

        Returns
        -------
        dict
        """
        predicted, known = self.predict_one(x), self._classes
        if all(own in (False, True) for own in known):
            known = (False, True)
        return {own: 1.0 / len(known) if predicted is None else float(own == predicted) for own in known}

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
        y = labels(y, n)
        # Labels that are equal, as ``True`` and 1, are one key.
        texts, order, codes = {}, {}, np.empty(n, dtype=np.uint32)
        for row, own in enumerate(y):
            if own not in texts:
                if _data._is_missing(own):
                    raise ValueError(f"row {row}: y = {own!r} is no class: a row without one is not learnt from")
                texts[own] = self._text(own)
            codes[row] = order.setdefault(texts[own], len(order))
        learner = self._begin(len(named)) if self._learner is None else self._learner
        learner.learn_many(named, codes, list(order))
        if n:
            self._learner = learner
        for own, text in texts.items():
            self._know(own, text)

    def predict_many(self, X: Any) -> list[Any]:
        """The classes of the rows of a table, in one call.

        Parameters
        ----------
        X : as for `learn_many`

        Returns
        -------
        list
            ``None`` before any class is known.
        """
        named, n = columns(X)
        if self._learner is None:
            return [None] * n
        return [None if place is None else self._classes[place] for place in self._learner.predict_many(named, n)]

    def __str__(self):
        return f"{type(self).__name__}: {'no row so far' if self._learner is None else self._learner.sentence}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, which Rust and the program read too.

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
        """Reads a model file. Classes are texts then, and the settings those by which the learner was made.

        Raises
        ------
        OSError, ValueError
            For a file that cannot be read, or holds something else.
        """
        path = os.fspath(path)
        with _files.reading(path):
            learner = _core.Stream.load(path)
        model = cls(**json.loads(learner.settings))
        model._learner, model._classes = learner, learner.classes
        return model
