"""Boosted classifiers."""

import copy
import io
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import NotFittedError
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


def test_a_true_answer_ends_the_fit_at_that_round():
    X, y = load_breast_cancer(return_X_y=True)
    for _ in range(20):
        seen = []
        ends = lambda event: seen.append(event["round"]) or len(seen) == 3
        fitted = AdaBoostClassifier(n_estimators=30, max_depth=1, callbacks=[ends]).fit(X, y)
        assert seen == [1, 2, 3] and fitted.n_estimators_ == 3


def program(*arguments):
    """What the program says; 0 and 3 are its answers."""
    found = subprocess.run([sys.executable, "-m", "ocoboost", *map(str, arguments)], capture_output=True, text=True)
    assert found.returncode in (0, 3) and not found.stderr, found
    return found.stdout


@pytest.mark.parametrize("booster", ALL)
def test_the_program_takes_a_classifier_and_it_comes_back(booster, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    names = np.where(y == 1, "benign", "malignant")
    fitted = booster(n_estimators=15, max_depth=2).fit(X[::2], names[::2])
    path = tmp_path / "cancer.ocob"
    with pytest.raises(NotFittedError):
        booster().save(path)
    fitted.save(path)
    loaded = booster.load(path)
    assert loaded.get_params() == fitted.set_params(n_estimators=fitted.n_estimators_).get_params()
    assert loaded.classes_.tolist() == ["benign", "malignant"] and loaded.n_features_in_ == 30
    assert (loaded.decision_function(X) == fitted.decision_function(X)).all()
    assert (loaded.decision_function(X[X.columns[::-1]].assign(more=1.0)) == fitted.decision_function(X)).all()
    assert (loaded.predict_proba(X.to_numpy()) == fitted.predict_proba(X)).all()
    assert loaded.feature_importances_ == pytest.approx(fitted.feature_importances_)
    assert [(one == two).all() for one, two in zip(loaded.staged_predict(X), fitted.staged_predict(X))] == [True] * len(fitted.edges_)
    assert (loaded.margins(X, names) == fitted.margins(X, names)).all()
    assert loaded.judgement_.startswith(f"It was not judged. {fitted.n_estimators_} rounds of ")
    assert (pickle.loads(pickle.dumps(loaded)).predict(X) == fitted.predict(X)).all()
    # The program answers as it does, and judges it.
    X.assign(kind=names).to_csv(tmp_path / "cancer.csv", index=False)
    out = program("predict", path, tmp_path / "cancer.csv", "--quiet")
    assert pandas.read_csv(io.StringIO(out))["class"].tolist() == fitted.predict(X).tolist()
    error = json.loads(program("evaluate", path, tmp_path / "cancer.csv", "--label", "kind", "--format", "json", "--quiet"))["error"]
    assert error["value"] == pytest.approx(1 - fitted.score(X, names))
    assert "It was not judged." in program("inspect", path)
    # What was loaded is written as it was.
    loaded.save(tmp_path / "again.ocob")
    assert (tmp_path / "again.ocob").read_bytes() == path.read_bytes()
    for other in set(ALL) - {booster}:
        with pytest.raises(ValueError, match=f"{booster.__name__}.load reads"):
            other.load(path)


def test_a_classifier_of_the_program_is_loaded(tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"size": rng.uniform(size=600), "colour": rng.choice(["red", "blue", "grey"], 600)})
    frame.loc[rng.uniform(size=600) < 0.1, "size"] = np.nan
    frame["since"] = pandas.date_range("2026-01-01", periods=600).strftime("%Y-%m-%d")
    kinds = np.where(frame["size"].isna(), "lost", np.where((frame["size"] > 0.5) == (frame["colour"] == "red"), "big", "small"))
    frame.assign(kind=kinds).to_csv(tmp_path / "kinds.csv", index=False)
    path = tmp_path / "kinds.ocob"
    train = ["--label", "kind", "--algorithm", "adaboost", "--rounds", "20", "--max-depth", "3", "--quiet"]
    program("boost", tmp_path / "kinds.csv", "-o", path, *train)
    loaded = AdaBoostClassifier.load(path)
    assert loaded.classes_.tolist() == ["big", "lost", "small"] and loaded.max_depth == 3
    assert set(loaded.feature_names_in_) == {"size", "colour", "since"}
    out = pandas.read_csv(io.StringIO(program("predict", path, tmp_path / "kinds.csv", "--quiet")))
    # By columns in any order, with texts, dates and missing values.
    shuffled = frame[["colour", "since", "size"]]
    assert loaded.predict(shuffled).tolist() == out["class"].tolist()
    assert (loaded.predict(shuffled) == kinds).mean() > 0.95
    assert loaded.feature_importances_.sum() == pytest.approx(1) and loaded.feature_importances_.shape == (3,)
    assert loaded.judgement_.startswith("On 150 rows that had no part in the choice")
    loaded.save(tmp_path / "again.ocob")
    assert (tmp_path / "again.ocob").read_bytes() == path.read_bytes()
    with pytest.raises(ValueError, match="AdaBoostClassifier.load reads"):
        SmoothBoostClassifier.load(path)
    with pytest.raises(ValueError, match="column"):
        loaded.predict(frame[["size", "colour"]])
    with pytest.raises(ValueError, match="X has 2 features"):
        loaded.predict(np.zeros((4, 2)))
    # A fit replaces what was loaded.
    X, y = load_breast_cancer(return_X_y=True)
    loaded.fit(X, y)
    assert not hasattr(loaded, "judgement_") and loaded.score(X, y) > 0.95
    loaded.save(tmp_path / "again.ocob")
    assert AdaBoostClassifier.load(tmp_path / "again.ocob").classes_.tolist() == ["0", "1"]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError):
        AdaBoostClassifier.load(path)
    with pytest.raises(OSError):
        AdaBoostClassifier.load(tmp_path / "none.ocob")
