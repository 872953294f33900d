"""Input of every kind is read as it is meant, or refused by name; a refusal leaves things as they were."""

import datetime
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from conftest import Log

from ocoboost import _core, _data
from ocoboost.boost import AdaBoostClassifier
from ocoboost.offpolicy import Judgement, PolicyBooster, RewardBooster, compare, evaluate, from_bandit_feedback
from ocoboost.online import OnlineBoostingClassifier


def quick(**settings):
    return PolicyBooster(**{"time_budget": None, "n_candidates": 1, "n_estimators": 8, **settings})


@pytest.fixture(scope="module")
def other():
    return Log(n=400, seed=5)


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(*Log(n=400).columns)


# Columns beside a data frame.


@pytest.mark.parametrize("change", [lambda v: np.append(v, v[:7]), lambda v: v[:-3]], ids=["longer", "shorter"])
@pytest.mark.parametrize("column", ["action", "reward", "pscore", "time", "groups"])
def test_columns_beside_a_frame_have_its_length(other, change, column):
    given = {"action": other.action, "reward": other.reward, "pscore": other.pscore}
    given[column] = change(given.get(column, np.arange(len(other.action))))
    with pytest.raises(ValueError, match=rf"context has 400 rows, {column} has \d+"):
        quick().fit(other.frame(), **given)


def test_the_native_module_refuses_columns_of_two_lengths(other):
    import pyarrow

    table = pyarrow.Table.from_pandas(other.frame())
    options = json.dumps({"outcome": {"reward": "reward"}, "action": "action"})
    texts = [str(a) for a in other.action]
    for actions, rewards, words in (
        (texts, other.reward[:-1], "reward has 399 entries, action has 400"),
        (texts, np.append(other.reward, 1.0), "reward has 401 entries, action has 400"),
        (texts[:-1], other.reward[:-1], "context has 400 rows, action has 399"),
        ([*texts, "1"], np.append(other.reward, 1.0), "context has 400 rows, action has 401"),
    ):
        with pytest.raises(ValueError, match=words):
            _core.Log.from_frame(table, [("action", actions), ("reward", rewards)], options)


def test_sets_on_offer_count_where_propensities_are_estimated(other):
    available = np.ones((len(other.action), 2), dtype=bool)
    # In a third of the rows there was nothing else to do.
    available[::3] = False
    available[np.arange(len(other.action)), other.action] = True
    frame = other.frame().drop(columns="kind")
    of_frame = evaluate("uniform", frame, other.action, other.reward, available=available, reward_model=False)
    of_array = evaluate("uniform", other.context, other.action, other.reward, available=available, reward_model=False)
    assert of_frame.estimates == of_array.estimates
    with pytest.raises(ValueError, match="available has shape"):
        evaluate("uniform", frame, other.action, other.reward, available=available[:, :1])
    with pytest.raises(ValueError, match="available has shape"):
        evaluate("uniform", frame, other.action, other.reward, available=available[1:])


def test_times_beside_a_frame_are_read_as_columns_are(other):
    import pandas

    days = pandas.date_range("2026-01-01", periods=len(other.action), tz="Europe/Berlin")
    texts, dates = [str(day.date()) for day in days], [day.date() for day in days]
    named = quick().fit(other.frame().assign(day=texts), *other.columns[1:], time="day")
    expected = named.decision_function(other.frame())
    for time in (texts, dates, list(days), days.tz_localize(None).to_numpy(), np.arange(len(days))):
        found = quick().fit(other.frame(), *other.columns[1:], time=time)
        assert found.record_["split"] == "by time"
        assert (found.decision_function(other.frame()) == expected).all()


# Memory.


def packed(values):
    rows = np.zeros(len(values), dtype=[("head", "i4"), ("value", values.dtype)])
    rows["value"] = values
    return rows["value"]


def shifted(values):
    buffer = np.frombuffer(b"\0" + np.ascontiguousarray(values).tobytes(), dtype=values.dtype, offset=1)
    assert not buffer.flags.aligned
    return buffer.reshape(values.shape)


def test_numbers_that_are_not_aligned_are_read_as_they_are(other):
    x, a, r, p = other.columns
    expected = quick().fit(x, a, r, p).decision_function(x)
    assert (quick().fit(shifted(x), a, packed(r), shifted(p)).decision_function(shifted(x)) == expected).all()
    table = np.tile([0.25, 0.75], (len(a), 1))
    plain = evaluate(table, x, a, r, p, reward_model=False).estimates
    assert evaluate(shifted(table), x, a, packed(r), packed(p), reward_model=False).estimates == plain
    frame = other.frame()
    of_frame = quick().fit(frame, a, r, p).decision_function(frame)
    assert (quick().fit(frame, a, packed(r), shifted(p)).decision_function(frame) == of_frame).all()
    single = x.astype(np.float32)
    boosted = AdaBoostClassifier(n_estimators=3).fit(single, a).decision_function(single)
    assert (AdaBoostClassifier(n_estimators=3).fit(shifted(single), a).decision_function(shifted(single)) == boosted).all()


def test_the_native_module_refuses_what_is_not_aligned(other):
    x, a, r, p = other.columns
    arguments = [x, ["x0", "x1", "x2"], a.astype(np.uint32), ["0", "1"], r, p]
    _core.Log.from_arrays(*arguments)
    for place in (0, 2, 4, 5):
        bad = list(arguments)
        bad[place] = shifted(bad[place])
        with pytest.raises((TypeError, ValueError), match="aligned"):
            _core.Log.from_arrays(*bad)
    beside = [("action", [str(one) for one in a]), ("reward", shifted(r))]
    with pytest.raises(ValueError, match="aligned"):
        _core.Log.from_frame(other.frame(), beside, "{}")
    with pytest.raises(ValueError, match="aligned"):
        _core.Policy.fit(_core.Log.from_arrays(*arguments), '{"split": "time"}', time=shifted(p))
    with pytest.raises(ValueError, match="aligned"):
        _core.evaluate(_core.Log.from_arrays(*arguments), shifted(np.tile([0.5, 0.5], (len(a), 1))), "{}")


def test_a_sparse_matrix_stays_as_it_was(other, fitted):
    rows = scipy.sparse.csr_array(
        (np.array([1.0, 2.0, 3.0, 0.5]), np.array([2, 0, 0, 1]), np.array([0, 3, 4])), shape=(2, 3)
    )
    before = [part.copy() for part in (rows.data, rows.indices, rows.indptr)]
    expected = fitted.decision_function(rows.toarray())
    assert (fitted.decision_function(rows) == expected).all()
    assert all((part == old).all() for part, old in zip((rows.data, rows.indices, rows.indptr), before, strict=True))
    for part in (rows.data, rows.indices, rows.indptr):
        part.flags.writeable = False
    assert (fitted.decision_function(rows) == expected).all()


# Actions and their names.


def test_classes_beside_a_model_are_its_actions(other, fitted):
    plain = evaluate(fitted, *other.columns)
    assert evaluate(fitted, *other.columns, classes=[0, 1]).estimates == plain.estimates
    for bad in ([1, 0], [0, 1, 2], ["no", "yes"]):
        with pytest.raises(ValueError, match="classes"):
            evaluate(fitted, *other.columns, classes=bad)


def spread(n=1200):
    rng = np.random.default_rng(3)
    return np.array([0, 1, 2, 10])[rng.integers(4, size=n)], rng.uniform(size=n), np.full(n, 0.25)


@pytest.mark.parametrize("kind", [int, float, "object", "whole"])
@pytest.mark.parametrize("is_frame", [False, True])
def test_whole_numbers_are_sorted_as_numbers(kind, is_frame):
    import pandas

    action, reward, pscore = spread()
    given = {"object": action.astype(object), "whole": np.array([float(a) for a in action], dtype=object)}
    given = given[kind] if isinstance(kind, str) else action.astype(kind)
    x = np.random.default_rng(1).uniform(size=(len(action), 2))
    context = pandas.DataFrame(x, columns=["x", "y"]) if is_frame else x
    policy = quick().fit(context, given, reward, pscore)
    assert policy.classes_.tolist() == [0, 1, 2, 10] and policy.classes_.dtype.kind == "i"
    if is_frame:
        named = quick().fit(context.assign(shown=given), "shown", reward, pscore)
        assert named.classes_.tolist() == [0, 1, 2, 10]


@pytest.mark.parametrize("bad", [np.inf, -np.inf, 2.0**63, -1e300, np.nan, 0.5])
def test_numbers_that_are_no_actions_are_refused(other, bad):
    action = other.action.astype(float)
    action[7] = bad
    for context in (other.context, other.frame()):
        with pytest.raises(ValueError, match="action"):
            quick().fit(context, action, other.reward, other.pscore)
        with pytest.raises(ValueError, match="action"):
            quick().fit(context, action.astype(object), other.reward, other.pscore)


@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb", "pyarrow"])
def test_actions_of_a_frame_keep_their_type(other, library):
    import duckdb
    import polars
    import pyarrow

    whole, truth = other.action + 1, other.action == 1
    for action in (whole, truth, whole.astype(float)):
        frame = other.frame().assign(shown=action)
        context = {
            "pandas": lambda: frame,
            "polars": lambda: polars.from_pandas(frame),
            "duckdb": lambda: duckdb.from_arrow(pyarrow.Table.from_pandas(frame)),
            "pyarrow": lambda: pyarrow.Table.from_pandas(frame),
        }[library]()
        policy = quick().fit(context, "shown", other.reward, other.pscore)
        assert policy.classes_.tolist() == sorted(set(action.tolist()))
        assert not isinstance(policy.classes_[0], str)


def test_actions_of_a_loaded_model_are_found_by_their_texts(other, tmp_path):
    truth = other.action == 1
    for context in (other.context, other.frame()):
        policy = quick().fit(context, truth, other.reward, other.pscore)
        policy.save(tmp_path / "truth.ocob")
        loaded, later = PolicyBooster.load(tmp_path / "truth.ocob"), Log(n=300, seed=9)
        context = later.context if context is other.context else later.frame()
        arguments = (context, later.action == 1, later.reward, later.pscore)
        assert evaluate(loaded, *arguments).estimates == evaluate(policy, *arguments).estimates


def test_classes_are_found_whatever_the_type_of_their_numbers(other):
    for classes in ([0.0, 1.0, 2.0], np.arange(3, dtype=object), ["0", "1", "2"], np.float32([0, 1, 2])):
        policy = quick(classes=classes).fit(*other.columns)
        assert policy.predict_proba(other.context).shape[1] == 3
        assert (policy.predict(other.context).astype(float) < 2).all()


def test_dictionaries_name_actions_that_were_never_taken(other):
    feedback = {"n_actions": 4, "context": other.context, "action": other.action, "reward": other.reward}
    feedback |= {"pscore": other.pscore, "position": None}
    taken = from_bandit_feedback(feedback)
    policy = quick().fit(**taken)
    assert policy.classes_.tolist() == [0, 1, 2, 3]
    assert policy.predict_proba(other.context, obp=True).shape == (len(other.action), 4, 1)
    later = Log(n=300, seed=9)
    feedback |= {"context": later.context, "action": later.action, "reward": later.reward, "pscore": later.pscore}
    assert evaluate(policy, **from_bandit_feedback(feedback)).value is not None
    with pytest.raises(ValueError, match="not one of the classes"):
        quick().fit(**from_bandit_feedback(feedback | {"n_actions": 1}))


# What a policy was trained on.


def test_the_log_of_the_training_shows_nothing_whatever_the_propensities(other):
    x, a, r, p = other.columns
    policy = quick(random_state=7).fit(x, a, r)
    assert evaluate(policy, x, a, r).verdict == "cannot_answer"
    assert "own_log" in json.dumps(evaluate(policy, x, a, r).details)
    assert "own_log" in json.dumps(evaluate(policy, x, a, r, p).details)
    with pytest.raises(ValueError, match="was trained on this log"):
        compare({"own": policy}, x, a, r)
    with_p = quick().fit(x, a, r, p)
    assert "own_log" in json.dumps(evaluate(with_p, x, a, r).details)
    assert "own_log" not in json.dumps(evaluate(policy, *Log(n=300, seed=9).columns).details)


def test_a_table_of_probabilities_is_judged_as_the_policy_that_it_is_of(other, fitted):
    greedy = fitted.predict_proba(other.context, parameter=0.0)
    found = [evaluate(one, *other.columns).estimates for one in (fitted, greedy)]
    assert set(found[0]) == set(found[1]) and "dr" in found[0]
    for name, one in found[0].items():
        assert found[1][name] == one, name


def test_probabilities_are_refused_in_their_own_words(other):
    table = np.tile([0.25, 0.75], (len(other.action), 1))
    single = np.tile(np.float32([0.1, 0.3, 0.6]), (len(other.action), 1))
    for sums_to_one in (table * (1 + 4e-7), table.astype(np.float32), single[:, :2] / np.float32(0.4)):
        assert evaluate(sums_to_one, *other.columns).value is not None
    for bad, words in (
        (table * 1.4, "sum to 1.4"),
        (np.tile([-0.5, 1.5], (len(table), 1)), "negative"),
        (np.full_like(table, np.nan), "NaN|number"),
        (table[:3], "shape"),
    ):
        with pytest.raises(ValueError, match=words):
            evaluate(bad, *other.columns)


# Estimators.


def test_a_loaded_model_is_played_as_it_was(other, tmp_path):
    policy = quick(epsilon=0.35).fit(*other.columns)
    policy.save(tmp_path / "policy.ocob")
    loaded = PolicyBooster.load(tmp_path / "policy.ocob")
    assert loaded.epsilon == 0.35
    assert (loaded.predict_proba(other.context) == policy.predict_proba(other.context)).all()


def test_names_of_features_are_those_of_the_policy(other, tmp_path):
    frame = other.frame().assign(propensity=other.pscore, paid=other.reward, user=[f"u{i}" for i in range(len(other.action))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        policy = quick().fit(frame, other.action, "paid")
    # The propensities are no column of the contexts, and the column of identifiers is left out.
    assert policy.feature_names_in_.tolist() == ["x", "y", "z", "kind"] and policy.n_features_in_ == 4
    policy.save(tmp_path / "policy.ocob")
    loaded = PolicyBooster.load(tmp_path / "policy.ocob")
    assert loaded.feature_names_in_.tolist() == ["x", "y", "z", "kind"] and loaded.n_features_in_ == 4
    plain = quick().fit(*other.columns)
    plain.save(tmp_path / "plain.ocob")
    assert not hasattr(plain, "feature_names_in_") and plain.n_features_in_ == 3
    assert not hasattr(PolicyBooster.load(tmp_path / "plain.ocob"), "feature_names_in_")


def test_nothing_of_an_earlier_fit_is_left(other):
    x, y = other.context, other.action
    booster = AdaBoostClassifier(n_estimators=4).fit(x, y)
    assert hasattr(booster, "edges_")
    booster.fit(x, np.arange(len(y)) % 3)
    for name in ("edges_", "estimator_weights_", "training_errors_", "training_error_bounds_"):
        assert not hasattr(booster, name), name


def test_a_refused_fit_changes_no_attribute(other):
    import pandas

    frame = pandas.DataFrame(other.context, columns=["x", "y", "z"])
    booster = AdaBoostClassifier(n_estimators=4).fit(frame, other.action)
    state = dict(vars(booster))
    refused = [
        (frame.rename(columns={"x": "w"}), np.zeros(len(frame))),
        (frame[["x", "y"]], np.zeros(len(frame))),
        (frame[["x", "y"]].to_numpy(), np.linspace(0, 1, len(frame))),
    ]
    for X, y in refused:
        with pytest.raises(ValueError):
            booster.fit(X, y)
        assert vars(booster).keys() == state.keys()
        assert all(vars(booster)[name] is value for name, value in state.items())
    assert len(booster.predict(frame)) == len(frame)


# Streams.


def test_a_label_of_a_stream_has_one_place(tmp_path):
    model = OnlineBoostingClassifier(n_learners=2)
    for t in range(20):
        model.learn_one({"x": t % 2}, bool(t % 2))
    model.save(tmp_path / "stream.ocob")
    loaded = OnlineBoostingClassifier.load(tmp_path / "stream.ocob")
    loaded.learn_one({"x": 1}, True)
    loaded.learn_one({"x": 0}, False)
    assert loaded._classes == model._classes and loaded.predict_one({"x": 1}) is True
    assert set(loaded.predict_proba_one({"x": 1})) == {False, True}


def test_equal_labels_of_a_stream_are_one():
    model = OnlineBoostingClassifier(n_learners=2)
    for t in range(20):
        model.learn_one({"x": t % 2}, (t % 2, float(t % 2), bool(t % 2), np.int64(t % 2))[t // 2 % 4])
    assert len(model._classes) == 2 and model.predict_one({"x": 1}) == 1 and model.predict_one({"x": 0}) == 0
    with pytest.raises(ValueError, match="third class"):
        model.learn_one({"x": 1}, 2)


# Pandas without pyarrow.


def test_every_column_of_pandas_is_read_without_pyarrow_as_with_it(other, monkeypatch):
    import decimal

    import pandas

    n = len(other.action)
    rng = np.random.default_rng(2)
    some = pandas.array(rng.integers(5, size=n), dtype="Int64")
    some[::7] = pandas.NA
    flags = pandas.array(rng.uniform(size=n) < 0.5, dtype="boolean")
    flags[::9] = pandas.NA
    moments = pandas.Series(pandas.date_range("2026-01-01", periods=n, freq="h"))
    moments[3] = pandas.NaT
    frame = other.frame().assign(
        flag=rng.uniform(size=n) < 0.5,
        flags=flags,
        some=some,
        big=(2**60 + rng.integers(3, size=n)),
        when=moments,
        zoned=moments.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
        day=[datetime.date(2026, 1, 1 + i % 28) for i in range(n)],
        level=pandas.Categorical(rng.integers(3, size=n)),
        mixed=[None if i % 5 == 0 else i % 3 for i in range(n)],
        truth=np.array([None if i % 5 == 0 else i % 3 == 0 for i in range(n)], dtype=object),
        price=[decimal.Decimal(i % 4) / 4 for i in range(n)],
        shown=2**60 + other.action,
    )

    def fitted(frame):
        return quick().fit(frame, "shown", other.reward, other.pscore)

    policy = fitted(frame)
    expected = policy.decision_function(frame)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    without = fitted(frame)
    assert json.loads(without.policy_.columns) == json.loads(policy.policy_.columns)
    assert without.classes_.tolist() == policy.classes_.tolist() == [2**60, 2**60 + 1]
    assert (without.decision_function(frame) == expected).all()


# Settings.


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_estimators": 200.0}, "n_estimators"),
        ({"max_depth": -1}, "max_depth"),
        ({"max_depth": "3"}, "max_depth"),
        ({"n_candidates": True}, "n_candidates"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"learning_rate": "0.1"}, "learning_rate"),
        ({"reward_range": (0.0, float("inf"))}, "reward_range"),
        ({"reward_range": 1.0}, "reward_range"),
        ({"time_budget": float("nan")}, "time_budget"),
        ({"time_budget": "60"}, "time_budget"),
        ({"confidence": None}, "confidence"),
        ({"epsilon": None}, "epsilon"),
        ({"objective": 3}, "objective"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": 1.5}, "n_jobs"),
        ({"random_state": "seven"}, "random_state|seed"),
        ({"random_state": 1.5}, "random_state|seed"),
    ],
)
def test_settings_are_refused_by_their_names(other, settings, words):
    with pytest.raises((ValueError, TypeError), match=words):
        quick(**settings).fit(*other.columns)


def test_settings_of_numpy_are_taken(other):
    reward, single = other.reward, np.float32(0.5)
    policy = quick(
        max_depth=np.int64(4),
        n_estimators=np.int32(8),
        learning_rate=single,
        reward_range=(reward.min(), reward.max()),
        time_budget=float("inf"),
        n_jobs=np.int64(1),
    ).fit(*other.columns)
    plain = quick(max_depth=4, learning_rate=0.5, reward_range=(0, 1)).fit(*other.columns)
    assert (policy.decision_function(other.context) == plain.decision_function(other.context)).all()
    found = evaluate(
        "uniform", *other.columns, confidence=np.float64(0.9), clip=np.float32(5), reward_range=np.array([0.0, 1.0])
    )
    assert found.details["delta"] == pytest.approx(0.1)
    model = OnlineBoostingClassifier(n_learners=np.int64(3), seed=np.uint32(1), bits=np.int8(10))
    model.learn_one({"x": 1}, True)
    assert OnlineBoostingClassifier(seed=None).seed is None
    for bad in ({"n_learners": 2.0}, {"bits": "10"}, {"advantage": float("inf")}, {"seed": 0.5}, {"booster": 1}):
        with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
            OnlineBoostingClassifier(**bad)


@pytest.mark.parametrize("n_jobs", [-1, -2, -100, None, 1, np.int64(2)])
def test_numbers_of_threads_are_those_of_scikit_learn(other, fitted, n_jobs):
    expected = evaluate(fitted, *other.columns, n_jobs=1).estimates
    assert evaluate(fitted, *other.columns, n_jobs=n_jobs).estimates == expected
    assert compare({"own": fitted}, *other.columns, n_jobs=n_jobs).differences
    quick(n_jobs=n_jobs).fit(*other.columns).score(*Log(n=300, seed=9).columns)
    with pytest.raises(ValueError, match="n_jobs"):
        evaluate(fitted, *other.columns, n_jobs=0)


def test_states_of_random_numbers_are_taken(other):
    def scores(random_state):
        return quick(random_state=random_state).fit(*other.columns).decision_function(other.context)

    assert (scores(np.random.RandomState(3)) == scores(np.random.RandomState(3))).all()
    assert (scores(np.random.default_rng(3)) == scores(np.random.default_rng(3))).all()
    scores(None)
    for random_state in (None, np.random.RandomState(1), np.int64(4)):
        assert evaluate("uniform", *other.columns, random_state=random_state).value is not None
    policy = quick().fit(*other.columns)
    drawn = [policy.sample(other.context, random_state=np.random.RandomState(2))[0] for _ in range(2)]
    assert (drawn[0] == drawn[1]).all()


def test_what_is_not_fitted_says_so(other):
    for attempt in (
        lambda: evaluate(PolicyBooster(), *other.columns),
        lambda: compare({"a": PolicyBooster()}, *other.columns),
        lambda: PolicyBooster().score(*other.columns),
        lambda: next(AdaBoostClassifier().staged_predict(other.context)),
    ):
        with pytest.raises(NotFittedError):
            attempt()


# Streams and cells.


def test_python_code_of_a_cell_may_use_the_model():
    model = OnlineBoostingClassifier(n_learners=2)
    model.learn_one({"x": 1.0}, True)
    seen = []

    class Nosy:
        def __float__(self):
            seen.append(pickle.loads(pickle.dumps(model)).predict_one({"x": 1.0}))
            return 1.0

    model.learn_one({"x": Nosy()}, False)
    model.predict_one({"x": Nosy()})
    assert seen == [True, True] or len(seen) == 2


def test_rows_of_another_number_than_labels_are_not_learnt():
    import pandas

    model = OnlineBoostingClassifier(n_learners=2)
    model.learn_one({"x": 1.0}, True)
    before = model._learner.to_bytes()
    for labels in ([True], [True, False, True]):
        with pytest.raises(ValueError):
            model.learn_many(pandas.DataFrame({"x": [0.0, 1.0]}), pandas.Series(labels))
        assert model._learner.to_bytes() == before
    rows = [{"x": pandas.NA, "when": pandas.NaT}, {"x": None, "when": None}]
    others = [pickle.loads(pickle.dumps(model)) for _ in rows]
    for own, row in zip(others, rows, strict=True):
        own.learn_one(row, False)
    assert others[0]._learner.to_bytes() == others[1]._learner.to_bytes()


# Words.


def test_notes_are_told_where_the_call_is(other):
    import pandas

    n = len(other.action)
    frame = other.frame().assign(user=[f"u{i}" for i in range(n)])
    policy = quick()
    with pytest.warns(UserWarning, match="user") as told:
        policy.fit(frame, *other.columns[1:])
    assert {one.filename for one in told} == {__file__}
    with pytest.warns(UserWarning, match="user") as told:
        policy.predict(frame)
    assert {one.filename for one in told} == {__file__}
    later = Log(n=300, seed=9)
    strange = later.frame().assign(kind="c")
    for call in (
        lambda: evaluate(policy, strange, *later.columns[1:]),
        lambda: compare({"own": policy}, strange, *later.columns[1:]),
    ):
        with pytest.warns(UserWarning, match="not known to the model") as told:
            call()
        assert {one.filename for one in told} == {__file__}
    kept = quick()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="user"):
            kept.fit(frame, *other.columns[1:])
    # The training is not lost.
    assert len(kept.predict(pandas.DataFrame(other.frame()))) == n


def test_columns_of_labels_and_columns_to_ignore_are_named(other):
    user = [f"u{i % 200}" for i in range(len(other.action))]
    frame = other.frame().assign(user=user, place=np.arange(len(user)) % 3, noise=1.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        policy = quick().fit(frame, *other.columns[1:], labels=["user", "place"], ignore=["noise", "z"])
    assert policy.feature_names_in_.tolist() == ["x", "y", "kind", "user", "place"]
    kinds = {name: kind for column in json.loads(policy.policy_.columns) for kind, name in
             [(next(iter(column)), next(iter(column.values()))["name"])]}
    assert kinds["user"] == kinds["place"] == "labels"
    with pytest.raises(ValueError, match="nowhere"):
        quick().fit(frame, *other.columns[1:], labels=["nowhere"])
    with pytest.raises(TypeError, match="labels"):
        quick().fit(frame, *other.columns[1:], labels="user")
    for named in ({"labels": ["x0"]}, {"ignore": ["x0"]}):
        with pytest.raises(ValueError, match="data frame"):
            quick().fit(*other.columns, **named)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_series_is_no_frame(other, library):
    import pandas
    import polars
    import pyarrow

    column = other.context[:, 0]
    series = {"pandas": pandas.Series, "polars": polars.Series, "pyarrow": pyarrow.array}[library](column)
    with pytest.raises(ValueError, match="reshape"):
        quick().fit(series, *other.columns[1:])


def test_progress_is_shown_without_tqdm(other, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    AdaBoostClassifier(n_estimators=30, max_depth=6, verbose=1).fit(other.context, np.arange(400) % 2)
    shown = capsys.readouterr().out.splitlines()
    assert 2 <= len(shown) <= 30 and "round" in shown[0]
    quick(verbose=1).fit(*other.columns)
    assert "tried" in capsys.readouterr().out


def test_rows_of_weight_zero_are_left_out_with_their_class(other):
    y = np.arange(len(other.action)) % 3
    booster = AdaBoostClassifier(n_estimators=3).fit(other.context, y, (y != 2).astype(float))
    assert booster.classes_.tolist() == [0, 1] and len(booster.rounds_[0]["weights"]) == (y != 2).sum()
    assert "weight 0" in AdaBoostClassifier.fit.__doc__ and "class" in AdaBoostClassifier.fit.__doc__


def test_large_tables_are_predicted_alike_on_any_number_of_threads(fitted):
    x = np.random.default_rng(0).uniform(size=(80_000, 3))
    expected = PolicyBooster.decision_function(fitted, x)
    fitted.n_jobs = 1
    try:
        assert (fitted.decision_function(x) == expected).all()
    finally:
        fitted.n_jobs = None


# Comparisons, importances, files.


def test_policies_tables_and_names_are_compared(other, fitted):
    later = Log(n=300, seed=9)
    table = fitted.predict_proba(later.context, parameter=0.0)
    policies = {"model": fitted, "its table": table, "obp": table[:, :, np.newaxis], "even": "uniform"}
    found = compare(policies, *later.columns, reward_range=(0, 1))
    assert list(found.judgements) == ["model", "its table", "obp", "even", "logged"]
    assert all(isinstance(one, Judgement) for one in found.judgements.values())
    assert found.judgements["model"].estimates == found.judgements["its table"].estimates
    assert found.judgements["even"].estimates["ips"]["value"] == evaluate("uniform", *later.columns).estimates["ips"]["value"]
    assert found.judgements["model"].sentence and len(found.differences) == 10
    plain = compare({"model": fitted}, *later.columns, reward_model=False, clip=2.0)
    assert "dr" not in plain.judgements["model"].estimates
    alone = evaluate(fitted, *later.columns, reward_model=False, clip=2.0)
    assert plain.judgements["model"].estimates["clipped_ips"] == alone.estimates["clipped_ips"]
    assert compare({"table": table}, *later.columns, classes=[0, 1]).differences
    for bad, words in (({"logged": fitted}, "logged"), ({"a": "none"}, "none"), ({}, "0 policies")):
        with pytest.raises(ValueError, match=words):
            compare(bad, *later.columns)
    with pytest.raises(ValueError, match="shape"):
        compare({"a": table[:, :1]}, *later.columns)


def test_importances_of_a_policy_are_those_of_its_columns(other):
    policy = quick(n_estimators=40).fit(other.frame(), *other.columns[1:])
    shares = policy.feature_importances_
    assert shares.shape == (policy.n_features_in_,) and shares.argmax() == 0 and (shares >= 0).all()
    of_actions = sum(share for _, share in policy.record_["importance"]["actions"])
    assert shares.sum() + of_actions == pytest.approx(1)
    context = other.context.copy()
    context[::3, 1] = np.nan
    missing = quick(n_estimators=40).fit(context, *other.columns[1:])
    assert missing.feature_importances_.shape == (3,)


def test_a_policy_is_exported(fitted, tmp_path):
    found = json.loads(fitted.export())
    assert found and json.loads(fitted.export("xgboost", tmp_path / "policy.json"))["learner"]
    assert json.loads((tmp_path / "policy.json").read_text(encoding="utf-8"))["learner"]
    with pytest.raises(ValueError, match="format"):
        fitted.export("onnx")
    with pytest.raises(NotFittedError):
        PolicyBooster().export()


@pytest.mark.parametrize("classes", [2, 3])
def test_answers_of_every_round_are_those_of_the_vote_so_far(other, classes):
    y = np.arange(len(other.action)) // 3 % classes
    booster = AdaBoostClassifier(n_estimators=12, max_depth=2).fit(other.context, y)
    found = list(booster.staged_predict(other.context))
    assert len(found) == booster.n_estimators_ > 1
    for rounds, answers in enumerate(found, start=1):
        assert (answers == booster._answers(booster._votes(other.context, rounds))).all()
    assert (found[-1] == booster.predict(other.context)).all()


def test_public_functions_are_annotated():
    import inspect

    import ocoboost
    from ocoboost import boost, oco, offpolicy, online

    def public(module):
        for name in module.__all__:
            own = getattr(module, name)
            yield from [own] if inspect.isfunction(own) else [
                getattr(method, "__func__", method) for name, method in vars(own).items() if not name.startswith("_")
            ]

    def of_oco():
        """Constructors, properties, and what public classes have from private ones too."""
        for own in (getattr(oco, name) for name in oco.__all__):
            if inspect.isfunction(own):
                yield own
                continue
            for base in own.__mro__:
                if base.__module__.startswith("ocoboost."):
                    for name, one in vars(base).items():
                        if name in ("__init__", "__call__") or not name.startswith("_"):
                            yield one.fget if isinstance(one, property) else getattr(one, "__func__", one)

    pictures = (ocoboost.plot_policy, ocoboost.plot_learning_curve, ocoboost.plot_margins)
    checked = [one for module in (boost, offpolicy, online) for one in public(module)]
    for one in [*checked, *of_oco(), *pictures]:
        if inspect.isfunction(one):
            assert "return" in one.__annotations__, one.__qualname__
            missing = set(inspect.signature(one).parameters) - set(one.__annotations__) - {"self", "cls"}
            assert not missing, (one.__qualname__, missing)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("work", ["propensities", "evaluate", "compare"])
def test_ctrl_c_ends_judgements_and_estimated_propensities(work):
    program = textwrap.dedent("""
        import sys
        import time
        import numpy as np
        from ocoboost import _data
        from ocoboost.offpolicy import compare, evaluate
        rng = np.random.default_rng(0)
        n, k = 20000, 8
        x, a, r = rng.uniform(size=(n, 40)), rng.integers(k, size=n), rng.uniform(size=n)
        rest = {"classes": None, "coding": None, "seed": 0}
        work = {
            "propensities": lambda: _data.log_of(x, a, r, None, None, None, None, **rest),
            "evaluate": lambda: evaluate("uniform", x, a, r, np.full(n, 1 / k)),
            "compare": lambda: compare({"even": "uniform"}, x, a, r, np.full(n, 1 / k)),
        }[sys.argv[1]]
        begun = time.monotonic()
        work()
        whole = time.monotonic() - begun
        print("begun", flush=True)
        begun = time.monotonic()
        try:
            work()
        except KeyboardInterrupt:
            print((time.monotonic() - begun) / whole)
    """)
    child = subprocess.Popen([sys.executable, "-c", program, work], stdout=subprocess.PIPE, text=True)
    child.stdout.readline()
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=120)
    assert float(out) < 0.6


def test_a_column_of_the_frame_is_no_feature_when_it_is_handed_in_beside():
    frame = pd.DataFrame({"x": np.arange(40.0), "rew": np.arange(40) % 2, "act": np.arange(40) % 2})
    with pytest.raises(ValueError, match="reward is the column 'rew'"):
        PolicyBooster().fit(frame, "act", frame["rew"], np.full(40, 0.5))
    with pytest.raises(ValueError, match="action is the column 'act'"):
        evaluate("uniform", frame, frame["act"], frame["rew"], np.full(40, 0.5))


def test_settings_are_refused_by_the_names_that_were_typed():
    for settings, words in [
        ({"objective": "dr"}, "objective = 'dr' is none of 'ips'"),
        ({"confidence": 95}, r"confidence = 95 is outside \(0, 1\)"),
        ({"holdout_fraction": 1.5}, r"holdout_fraction = 1.5 is outside"),
    ]:
        with pytest.raises(ValueError, match=words):
            PolicyBooster(**settings).fit(np.zeros((40, 1)), np.arange(40) % 2, np.arange(40) % 2, np.full(40, 0.5))


def test_what_is_no_policy_is_refused():
    log = (np.zeros((40, 1)), np.arange(40) % 2, np.arange(40) % 2, np.full(40, 0.5))
    with pytest.raises(TypeError, match="is a function"):
        evaluate(lambda x: x, *log)
    with pytest.raises(TypeError, match="LogisticRegression is no policy booster"):
        evaluate(LogisticRegression(), *log)
    with pytest.raises(TypeError, match="no dict"):
        compare(["uniform"], *log)


def test_a_candidate_without_a_feature_is_said_to_be_there():
    features = np.ones((40, 3, 1))
    features[7, 2] = np.nan
    log = (None, np.arange(40) % 2, np.arange(40) % 2, np.full(40, 1 / 3))
    with pytest.raises(ValueError, match="candidate 2 of row 7 is NaN throughout"):
        evaluate("uniform", *log, action_context=features)
    evaluate("uniform", *log, action_context=features, available=np.ones((40, 3), dtype=bool))
    import ocoboost

    assert "plot_policy" in dir(ocoboost)


def test_a_truth_value_is_one_label_however_it_is_written():
    rng = np.random.default_rng(3)
    vip, action = rng.integers(2, size=400).astype(bool), rng.integers(2, size=400)
    frame, reward = pd.DataFrame({"vip": vip, "x": rng.uniform(size=400)}), (action == vip).astype(float)
    policy = quick().fit(frame, action, reward, np.full(400, 0.5))
    expected = policy.decision_function(frame)
    assert np.ptp(expected) > 0.1
    for true, false in [("True", "False"), ("TRUE", "FALSE"), ("true", "false")]:
        written = frame.assign(vip=np.where(vip, true, false))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert (policy.decision_function(written) == expected).all()
            one = [policy.predict_one(row) for row in frame.to_dict("records")[:50]]
            other = [policy.predict_one(row) for row in written.to_dict("records")[:50]]
        assert one == other == policy.predict(frame)[:50].tolist()
    with pytest.warns(UserWarning, match="not known"):
        policy.decision_function(frame.assign(vip="yes"))
