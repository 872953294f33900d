"""Classifiers in scikit-learn's manner."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ocoboost import _core, _data, _files
from ocoboost._progress import Callbacks

if TYPE_CHECKING:
    from typing_extensions import Self

_PARAMETERS = """
    Parameters
    ----------
    n_estimators : int, default 100
        The most rounds; fewer where no tree has an edge any more.
    max_depth : int, default 3
        Of a tree; 1 for stumps.
    min_weight_fraction_leaf : float, default 0
        The least share of the weight in a leaf, in [0, 0.5].
    n_jobs : int, optional
        Threads of the fit; all cores by default and for −1, all but one for −2. No result depends on it.
    verbose : int, default 0
        1 shows progress, with tqdm if it is there.
    callbacks : callable, or list of them, optional
        Each is called with a dict after every round; a true answer ends the boosting.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : array of str, for data frames only
    rounds_ : list of dict
        A record for every column of the code: one column for two classes, else one a class, against the
        others. Arrays over the rounds: ``edges`` γ_t, ``etas`` η_t, ``errors`` (the share of the training
        weight with a margin of at most 0), ``bounds`` (the theorem's bound on it), ``min_margins``,
        ``margin_bounds`` (NaN without one), ``zeros``; and the last round's ``weights`` and ``margins``, of
        the rows whose sample weight is not 0.
    edges_, estimator_weights_, training_errors_, training_error_bounds_ : array of shape (n_rounds,)
        Of the only column, for two classes.
    feature_importances_ : array of shape (n_features_in_,)
"""


def _or_nothing(fit):
    """A fit that leaves the estimator as it was where it does not end well."""

    @functools.wraps(fit)
    def whole(self, *arguments, **named):
        state = dict(vars(self))
        try:
            return fit(self, *arguments, **named)
        except BaseException:
            vars(self).clear()
            vars(self).update(state)
            raise

    return whole


#: The algorithms as files name them.
_IN_FILES = {"ada": "ada_boost", "mada": "mada_boost", "sparse": "sparse", "smooth": "smooth"}


def _facts_of(records, codes):
    """What a file says of a fit: a margin is a row's score of a column, by the sign of its side."""
    places = [1] if len(records) == 1 else range(len(records))
    votes = np.column_stack(
        [
            np.where(codes == place, 1.0, -1.0) * one["margins"]
            for place, one in zip(places, records, strict=True)
        ]
    )
    answers = (votes[:, 0] > 0).astype(int) if votes.shape[1] == 1 else votes.argmax(axis=1)
    return {
        "rows": len(codes),
        "commonest": int(np.bincount(codes).argmax()),
        "training_error": float((answers != codes).mean()),
        "bound": float(sum(one["bounds"][-1] if len(one["bounds"]) else 1.0 for one in records)),
    }


class _Boosted(ClassifierMixin, BaseEstimator):
    _algorithm = "ada"
    # What was loaded, and the columns that it takes.
    _file, _columns = None, None

    @_or_nothing
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Boosts trees.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, m)
        y : array of shape (n,)
            Labels of any kind.
        sample_weight : array of shape (n,), optional
            The start distribution, in proportion. Rows of weight 0 are left out, and a class of which no other
            row is left is none of ``classes_``.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For what is refused. The estimator stays as it was.
        KeyboardInterrupt
            After Ctrl-C, within a round.
        """
        settings = self._settings()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            kept = sample_weight > 0
            if not kept.any():
                raise ValueError("sample_weight is 0 everywhere")
            if not kept.all():
                X, y, sample_weight = X[kept], y[kept], np.ascontiguousarray(sample_weight[kept])
            if (sample_weight == sample_weight[0]).all():
                sample_weight = None
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y has one class, {classes[0]!r}; two are the least")
        with Callbacks(self) as callback, _data.reading(X) as (context, is_lent):
            vote, records = _core.Vote.fit(
                _data.matrix(context)[0],
                np.ascontiguousarray(codes, dtype=np.uint32),
                len(classes),
                sample_weight,
                json.dumps(settings),
                n_jobs=_data.threads(self.n_jobs),
                callback=callback,
                is_lent=is_lent,
            )
        of_before = ("edges_", "estimator_weights_", "training_errors_", "training_error_bounds_", "judgement_")
        for name in (*of_before, "_file", "_columns"):
            # Of an earlier fit.
            vars(self).pop(name, None)
        self.classes_, self.vote_, self.rounds_ = classes, vote, records
        self._facts = _facts_of(records, codes)
        self.n_estimators_ = max(vote.trees)
        self.feature_importances_ = vote.importances(X.shape[1])
        if len(records) == 1:
            only = records[0]
            self.edges_, self.estimator_weights_ = only["edges"], only["etas"]
            self.training_errors_, self.training_error_bounds_ = only["errors"], only["bounds"]
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, which Rust and the program read too: ``ocoboost predict``, ``evaluate``, ``inspect``.

        Columns are those of the data frame of the fit, or x0, x1, …, and classes are texts. The file says that the
        classifier was not judged on rows apart, and its probabilities in the program are not calibrated. What was
        loaded is written as it is.

        Raises
        ------
        ValueError
            For columns or classes of one name.
        OSError
            An old file is then untouched.
        """
        check_is_fitted(self)
        path = os.fspath(path)
        if self._file is not None:
            with _files.writing(path):
                _core.Vote.write(path, self._file)
            return
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]
        settings = self._settings()
        facts = {
            "algorithm": _IN_FILES[self._algorithm],
            "smoothness": settings["smoothness"] if self._algorithm == "smooth" else None,
            "max_depth": settings["max_depth"],
            "min_weight_fraction_leaf": settings["min_weight_fraction_leaf"],
            **self._facts,
        }
        classes = [_data.spelt(name) for name in self.classes_.tolist()]
        with _files.writing(path):
            self.vote_.save(path, names, classes, json.dumps(facts))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a model file: of `save`, of Rust, or of the program's ``boost``.

        Classes are texts then. ``judgement_`` says in words how it was judged. Of the training the file has the
        trees and their weights, so that ``rounds_`` has ``etas`` alone, and there is neither ``edges_`` nor
        ``training_errors_``. `predict` and the other methods take what the table of the training had: its columns by
        name from a data frame, texts and dates among them, in any order and among others; or an array of numbers in
        their order, with NaN where values were missing. `predict_proba` has shares of the vote, as after `fit`, and not
        the calibrated probabilities of the program.

        Raises
        ------
        OSError, ValueError
            For a file that cannot be read, holds something else, or a classifier of another algorithm.
        """
        with open(path, "rb") as file:
            data = file.read()
        vote, facts = _core.Vote.of_file(data)
        facts = json.loads(facts)
        record = facts["record"]
        own = {name: algorithm for algorithm, name in _IN_FILES.items()}.get(record["algorithm"])
        if own != cls._algorithm:
            name = _files.CLASSIFIERS.get(record["algorithm"])
            hint = "which has no class here" if name is None else f"which {name}.load reads"
            raise ValueError(f"the file holds a classifier by {record['algorithm']!r}, {hint}")
        settings = {"n_estimators": record["rounds_planned"], "max_depth": record["max_depth"]}
        settings["min_weight_fraction_leaf"] = record["min_weight_fraction_leaf"]
        if own == "smooth":
            settings["smoothness"] = record["smoothness"]
        booster = cls(**settings)
        names = [next(iter(column.values()))["name"] for column in facts["columns"]]
        booster.classes_, booster.vote_ = np.asarray(facts["classes"]), vote
        booster.rounds_ = [{"etas": np.asarray(etas, dtype=np.float64)} for etas in facts["etas"]]
        booster.n_estimators_, booster.n_features_in_ = max(vote.trees), len(names)
        if names != [f"x{j}" for j in range(len(names))]:
            booster.feature_names_in_ = np.asarray(names, dtype=object)
        if len(booster.rounds_) == 1:
            booster.estimator_weights_ = booster.rounds_[0]["etas"]
        shares = np.zeros(len(names))
        places = np.repeat(np.arange(len(names)), facts["widths"])
        np.add.at(shares, places, vote.importances(len(places)))
        booster.feature_importances_ = shares
        booster.judgement_ = facts["sentence"]
        booster._columns, booster._file = json.dumps(facts["columns"]), data
        return booster

    def _rows(self, X):
        """Rows by the columns of a file."""
        if _data.is_frame(X):
            frame, beside = _data._stream(X)
            found = _core.Features.from_frame(frame, beside, "{}", "rows", self._columns)
            _data.tell(found.notes, stacklevel=5)
            return found
        rows, (_, width) = _data.matrix(X, "X")
        if width != self.n_features_in_:
            raise ValueError(
                f"X has {width} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"
            )
        return _core.Features.from_array(rows, [f"x{j}" for j in range(width)], self._columns)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The normalised vote, in [−1, 1].

        Returns
        -------
        array of shape (n,) for two classes, else (n, n_classes)
        """
        return self._votes(X, None)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the largest vote.

        Returns
        -------
        array of shape (n,)
        """
        return self._answers(self._votes(X, None))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The classes' shares of the vote.

        For two classes (1 ± v)/2 of the normalised vote v, so that a share is that of the trees which name the
        class, by their weights; else (1 + v_k)/Σ_j (1 + v_j). The order of rows is that of `decision_function`,
        and the largest share is that of the answer. A share is no calibrated probability, and mostly too near
        1/K: on the halves of Spambase that were not learnt from, the shares of AdaBoost (100 trees of depth 2)
        have a Brier score of 0.153, and 0.043 behind scikit-learn's ``CalibratedClassifierCV``.

        Returns
        -------
        array of shape (n, n_classes)
            Rows sum to 1; in the order of ``classes_``.
        """
        votes = self._votes(X, None)
        if votes.ndim == 1:
            return 0.5 * np.column_stack([1.0 - votes, 1.0 + votes])
        shares = 1.0 + votes
        sums = shares.sum(axis=1, keepdims=True)
        # All trees against all classes: nothing is known.
        return np.divide(shares, sums, out=np.full_like(shares, 1.0 / shares.shape[1]), where=sums > 0)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """The answers after every round.

        Yields
        ------
        array of shape (n,)
        """
        check_is_fitted(self)
        if self._columns is None:
            X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
            rows = _data.matrix(X)[0]
        else:
            rows = self._rows(X)
        for rounds, scores in enumerate(self.vote_.staged(rows), start=1):
            yield self._answers(self._shares(scores, rounds))

    def margins(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """By how much the vote of the right class exceeds the largest other one, halved: in [−1, 1].

        Returns
        -------
        array of shape (n,)
            Negative where the answer is wrong.
        """
        votes, y = self._votes(X, None), np.asarray(y)
        if y.shape != (len(votes),):
            raise ValueError(f"y has shape {y.shape}, X has {len(votes)} rows")
        # Those of a file may have an order of their own.
        order = np.argsort(self.classes_)
        places = np.searchsorted(self.classes_, y, sorter=order)
        places = order[np.clip(places, 0, len(self.classes_) - 1)]
        if not np.array_equal(self.classes_[places], y):
            raise ValueError("y holds a class that the classifier does not know")
        if votes.ndim == 1:
            return np.where(places == 1, votes, -votes)
        own = votes[np.arange(len(votes)), places].copy()
        votes[np.arange(len(votes)), places] = -np.inf
        return 0.5 * (own - votes.max(axis=1))

    def _votes(self, X, rounds):
        check_is_fitted(self)
        if self._columns is not None:
            return self._shares(self.vote_.scores(self._rows(X), rounds), rounds)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        with _data.reading(X) as (context, is_lent):
            scores = self.vote_.scores(_data.matrix(context)[0], rounds, is_lent=is_lent)
        return self._shares(scores, rounds)

    def _shares(self, scores, rounds):
        """The scores over the sum of the weights of so many rounds."""
        sizes = np.array([one["etas"][:rounds].sum() for one in self.rounds_])
        scores /= np.where(sizes > 0, sizes, 1.0) if scores.shape[1] == 1 else max(sizes.max(), 1e-300)
        # A vote of all trees is 1 up to rounding.
        np.clip(scores, -1.0, 1.0, out=scores)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _answers(self, votes):
        places = (votes > 0).astype(int) if votes.ndim == 1 else votes.argmax(axis=1)
        return self.classes_[places]

    def _settings(self):
        def whole(name, least, most):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, Integral):
                raise TypeError(f"{name} = {number!r} is no whole number")
            if not least <= number <= most:
                raise ValueError(f"{name} = {number} is outside [{least}, {most}]")
            return int(number)

        return {
            "algorithm": self._algorithm,
            "smoothness": _data.real("smoothness", getattr(self, "smoothness", 1.0)),
            "rounds": whole("n_estimators", 1, 100_000),
            "max_depth": whole("max_depth", 1, 32),
            "min_weight_fraction_leaf": _data.real("min_weight_fraction_leaf", self.min_weight_fraction_leaf),
        }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class AdaBoostClassifier(_Boosted):
    __doc__ = (
        """AdaBoost (Freund, Schapire, 1997) over trees, with its bounds.

    A boosted vote of trees; the training error is at most Π√(1 − γ_t²).
"""
        + _PARAMETERS
        + """
    Examples
    --------
    >>> import numpy as np
    >>> from ocoboost.boost import AdaBoostClassifier
    >>> X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) // 10 % 2
    >>> booster = AdaBoostClassifier(n_estimators=20, max_depth=1).fit(X, y)
    >>> booster.score(X, y), bool((booster.training_errors_ <= booster.training_error_bounds_).all())
    (1.0, True)
    """
    )

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int = 3,
        min_weight_fraction_leaf: float = 0.0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callbacks: Callable[[dict[str, Any]], object] | Sequence[Callable[[dict[str, Any]], object]] | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks


class MadaBoostClassifier(AdaBoostClassifier):
    __doc__ = (
        """MadaBoost (Domingo, Watanabe, 2000; Naghibi, Pfister, 2014, Algorithm 3) over trees.

    No row weighs more than at the start, which helps where labels are wrong.
"""
        + _PARAMETERS
    )
    _algorithm = "mada"


class SparseBoostClassifier(AdaBoostClassifier):
    __doc__ = (
        """Sparse boosting (Naghibi, Pfister, 2014) over trees: most rows get the weight 0.

    ``rounds_[0]["zeros"]`` counts them.
"""
        + _PARAMETERS
    )
    _algorithm = "sparse"


class SmoothBoostClassifier(_Boosted):
    __doc__ = (
        """Smooth boosting (Naghibi, Pfister, 2014) over trees: no row weighs more than k times its share.

    ``smoothness``, k ≥ 1, bounds what a wrong label can do: with k = 1 all rows weigh the same, with a large
    k it is near AdaBoost. A training error below 1/k is not promised.
"""
        + _PARAMETERS
    )
    _algorithm = "smooth"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        smoothness: float = 5.0,
        max_depth: int = 3,
        min_weight_fraction_leaf: float = 0.0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callbacks: Callable[[dict[str, Any]], object] | Sequence[Callable[[dict[str, Any]], object]] | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.smoothness = smoothness
        self.max_depth = max_depth
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks
