"""Boosted classifiers."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from ocoboost.boost import AdaBoostClassifier, MadaBoostClassifier, SmoothBoostClassifier, SparseBoostClassifier

ALL = [AdaBoostClassifier, MadaBoostClassifier, SmoothBoostClassifier, SparseBoostClassifier]


@parametrize_with_checks([booster(n_estimators=8) for booster in ALL])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("booster", ALL)
def test_the_bounds_of_every_round_hold(booster):
    X, y = load_breast_cancer(return_X_y=True)
    fitted = booster(n_estimators=40, max_depth=2).fit(X, y)
    only = fitted.rounds_[0]
    assert len(only["edges"]) == fitted.n_estimators_ > 0
    assert (fitted.training_errors_ <= fitted.training_error_bounds_ + 1e-12).all()
    assert (only["min_margins"] >= np.nan_to_num(only["margin_bounds"], nan=-1) - 1e-12).all()
    assert only["weights"].sum() == pytest.approx(1) and (only["weights"] >= 0).all()
    # The margins and errors of the record are those of the answers.
    margins = fitted.margins(X, y)
    assert margins == pytest.approx(only["margins"] / only["etas"].sum())
    assert (margins <= 0).mean() == pytest.approx(fitted.training_errors_[-1])
    assert fitted.score(X, y) >= 1 - fitted.training_errors_[-1]
    assert fitted.feature_importances_.sum() == pytest.approx(1)


def test_the_first_edge_is_that_of_the_first_tree():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = AdaBoostClassifier(n_estimators=1, max_depth=1).fit(X, y)
    wrong = (fitted.predict(X) != y).mean()
    assert fitted.edges_[0] == pytest.approx(1 - 2 * wrong)
    gamma = fitted.edges_[0]
    assert fitted.estimator_weights_[0] == pytest.approx(0.5 * np.log((1 + gamma) / (1 - gamma)))


@pytest.mark.parametrize("booster", ALL)
def test_many_classes(booster):
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {k}" for k in range(10)])
    fitted = booster(n_estimators=20).fit(X[::2], names[y[::2]])
    assert len(fitted.rounds_) == 10 and fitted.score(X[1::2], names[y[1::2]]) > 0.8
    assert fitted.decision_function(X[:3]).shape == (3, 10)
    assert ((fitted.margins(X, names[y]) > 0) == (fitted.predict(X) == names[y])).mean() > 0.999


def test_a_weight_of_two_is_a_row_twice():
    X, y = load_breast_cancer(return_X_y=True)
    # Few values a column: the cuts do not depend on how often a row is there.
    X = np.round(X / X.max(axis=0), 2)
    weight = np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(len(y)), weight.astype(int))
    weighted = AdaBoostClassifier(n_estimators=5).fit(X, y, weight)
    repeated = AdaBoostClassifier(n_estimators=5).fit(X[twice], y[twice])
    assert weighted.edges_ == pytest.approx(repeated.edges_, abs=1e-9)


def test_smoothness_caps_the_weights():
    X, y = load_breast_cancer(return_X_y=True)
    for k in (1.5, 4.0):
        weights = SmoothBoostClassifier(n_estimators=30, smoothness=k).fit(X, y).rounds_[0]["weights"]
        assert weights.max() <= k / len(y) + 1e-12
    zeros = SparseBoostClassifier(n_estimators=60).fit(X, y).rounds_[0]["zeros"]
    assert zeros[-1] > 0


def test_copies_answer_alike_and_threads_change_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = AdaBoostClassifier(n_estimators=10, n_jobs=1).fit(X, y)
    expected = fitted.decision_function(X)
    others = [pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)]
    others.append(AdaBoostClassifier(n_estimators=10, n_jobs=2).fit(X, y))
    assert all((other.decision_function(X) == expected).all() for other in others)
    *_, last = fitted.staged_predict(X)
    assert (last == fitted.predict(X)).all()


def test_what_is_refused_leaves_the_estimator_as_it_was():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = AdaBoostClassifier(n_estimators=5).fit(X, y)
    state = dict(vars(fitted))
    for bad in (np.full_like(X, np.nan), np.full_like(X, np.inf), X[:-1]):
        with pytest.raises(ValueError):
            fitted.fit(bad, y)
    with pytest.raises(ValueError, match="one class"):
        fitted.fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError):
        fitted.fit(X, y, -np.ones(len(y)))
    assert all(vars(fitted)[name] is value for name, value in state.items() if name.endswith("_"))
    settings = [{"n_estimators": 0}, {"max_depth": 0}, {"min_weight_fraction_leaf": 0.7}, {"n_jobs": 0}]
    for bad in settings:
        with pytest.raises(ValueError):
            AdaBoostClassifier(**bad).fit(X, y)
    for k in (0.5, float("nan")):
        with pytest.raises(ValueError):
            SmoothBoostClassifier(smoothness=k).fit(X, y)


@pytest.mark.parametrize("booster", ALL)
def test_shares_of_the_vote_are_ordered_as_the_vote_is(booster):
    X, y = load_breast_cancer(return_X_y=True)
    fitted = booster(n_estimators=15, max_depth=2).fit(X, y)
    shares, votes = fitted.predict_proba(X), fitted.decision_function(X)
    assert shares.shape == (len(y), 2) and (shares >= 0).all() and shares.sum(axis=1) == pytest.approx(1)
    assert shares[:, 1] == pytest.approx((1 + votes) / 2)
    assert (fitted.classes_[shares.argmax(axis=1)] == fitted.predict(X)).all()
    X, y = load_digits(return_X_y=True)
    fitted = booster(n_estimators=5).fit(X, y)
    shares, votes = fitted.predict_proba(X), fitted.decision_function(X)
    assert shares.shape == (len(y), 10) and shares.sum(axis=1) == pytest.approx(1)
    assert shares == pytest.approx((1 + votes) / (1 + votes).sum(axis=1, keepdims=True))
    assert (fitted.classes_[shares.argmax(axis=1)] == fitted.predict(X)).all()
