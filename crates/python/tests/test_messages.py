"""What is refused is refused in the words of whoever typed it; what is doubtful is said."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from conftest import Log

from ocoboost import oco
from ocoboost.boost import AdaBoostClassifier, SmoothBoostClassifier
from ocoboost.offpolicy import PolicyBooster, RewardBooster, compare, evaluate
from ocoboost.online import BanditRegressor, OnlineBoostingClassifier, OnlineBoostingRegressor


def quick(kind=PolicyBooster, **settings):
    return kind(**{"time_budget": None, "n_candidates": 1, "n_estimators": 8, **settings})


def priced(**settings):
    return BanditRegressor(**{"target_range": (0.0, 1.0), **settings})


@pytest.fixture(scope="module")
def log():
    return Log(n=400)


# Classes and files.


@pytest.mark.parametrize("missing", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT], ids=repr)
def test_a_missing_class_is_no_class(missing):
    model = OnlineBoostingClassifier(n_learners=3)
    with pytest.raises(ValueError, match="is no class"):
        model.learn_one({"x": 1.0}, missing)
    assert model.predict_one({"x": 1.0}) is None
    for t in range(6):
        model.learn_one({"x": t % 2}, t % 2)
    before = model._learner.to_bytes()
    with pytest.raises(ValueError, match="is no class"):
        model.learn_one({"x": 1.0}, missing)
    with pytest.raises(ValueError, match="row 2: y = .* is no class"):
        model.learn_many(pd.DataFrame({"x": [0.0, 1.0, 1.0]}), [0, 1, missing])
    assert model._learner.to_bytes() == before


def test_a_file_is_loaded_by_the_class_that_writes_it(log, tmp_path):
    quick(objective="ips").fit(*log.columns).save(tmp_path / "ips.ocob")
    quick(RewardBooster).fit(*log.columns).save(tmp_path / "rewards.ocob")
    stream = OnlineBoostingClassifier(n_learners=2)
    stream.learn_one({"x": 1}, True)
    stream.save(tmp_path / "stream.ocob")
    assert isinstance(RewardBooster.load(tmp_path / "rewards.ocob"), RewardBooster)
    # A search may choose a regression of rewards as well.
    assert PolicyBooster.load(tmp_path / "rewards.ocob").n_estimators_ >= 1
    with pytest.raises(ValueError, match=r"objective 'ips', and no model of rewards: PolicyBooster\.load reads it"):
        RewardBooster.load(tmp_path / "ips.ocob")
    for kind in (PolicyBooster, RewardBooster):
        with pytest.raises(ValueError, match=r"a learner of a stream.*OnlineBoostingClassifier\.load reads it"):
            kind.load(tmp_path / "stream.ocob")
    with pytest.raises(ValueError, match=r"a policy.*PolicyBooster\.load reads it"):
        OnlineBoostingClassifier.load(tmp_path / "ips.ocob")


@pytest.mark.parametrize("objective", ["ips", "reward_regression"])
def test_a_file_over_candidates_is_loaded_by_the_class_that_writes_it(log, objective, tmp_path):
    x, a, r, p = log.columns
    quick(objective=objective).fit(x, a, r, p, action_context=np.eye(2)).save(tmp_path / "policy.ocob")
    if objective == "reward_regression":
        assert RewardBooster.load(tmp_path / "policy.ocob").n_estimators_ >= 1
    else:
        with pytest.raises(ValueError, match=r"no model of rewards: PolicyBooster\.load reads it"):
            RewardBooster.load(tmp_path / "policy.ocob")


# Settings.


@pytest.mark.parametrize(
    ("make", "settings", "words"),
    [
        (OnlineBoostingClassifier, {"booster": "none"}, "booster = 'none' is none of 'agnostic', 'realizable', 'os_boost'"),
        (OnlineBoostingClassifier, {"weak_learner": "trees"}, "weak_learner = 'trees' is none of 'stumps', 'naive_bayes', 'logistic'"),
        (OnlineBoostingClassifier, {"n_learners": 0}, "^n_learners = 0 is outside 1, …, 1000"),
        (OnlineBoostingClassifier, {"bits": 2**40}, r"bits = 1099511627776 is not below 2\^32"),
        (OnlineBoostingClassifier, {"seed": 2**70}, r"seed = .* is not below 2\^64"),
        (OnlineBoostingRegressor, {"booster": "none"}, "booster = 'none' is none of 'gradient_boosting', 'span_boosting', 'alone'"),
        (OnlineBoostingRegressor, {"loss": "l2"}, "loss = 'l2' is none of 'squared', 'absolute', 'huber'"),
        (OnlineBoostingRegressor, {"n_learners": 1001}, "^n_learners = 1001 is outside 1, …, 1000"),
        (OnlineBoostingRegressor, {"radius": float("nan")}, "radius = nan is not finite"),
        (OnlineBoostingRegressor, {"learning_rate": -1.0}, "^learning_rate = -1.0 is not > 0"),
        (OnlineBoostingRegressor, {"decay": -1.0}, "^decay = -1.0 is outside"),
        (OnlineBoostingRegressor, {"target_range": 3.0}, "target_range = 3.0 is no pair of numbers"),
        (priced, {"booster": "none"}, "booster = 'none' is none of 'gradient_boosting', 'fkm'"),
        (priced, {"n_queries": 0}, "^n_queries = 0 is outside 1, …, 1000"),
        (priced, {"n_outputs": 0}, "^n_outputs = 0 is outside 1, …, 1000"),
        (priced, {"target_range": (1.0, 0.0)}, r"^target_range = \(1.0, 0.0\) is no interval"),
        (priced, {"target_range": None}, "target_range = None is no pair of numbers"),
        (priced, {"booster": "fkm", "learning_rate": -1.0}, "^learning_rate = -1.0 is not > 0"),
    ],
)
def test_a_setting_is_refused_by_its_name_and_what_it_may_be(make, settings, words):
    with pytest.raises(ValueError, match=words):
        make(**settings)


@pytest.mark.parametrize(
    ("make", "settings", "words"),
    [
        (OnlineBoostingClassifier, {"n_learners": 2.5}, "n_learners = 2.5 is no whole number"),
        (OnlineBoostingRegressor, {"n_learners": 2.5}, "n_learners = 2.5 is no whole number"),
        (OnlineBoostingRegressor, {"loss": None}, "loss = None is no text"),
        (OnlineBoostingRegressor, {"decay": "slow"}, "decay = 'slow' is no number"),
        (priced, {"n_queries": None}, "n_queries = None is no whole number"),
        (priced, {"stay_inside": 1}, "stay_inside = 1 is neither True nor False"),
    ],
)
def test_a_setting_of_another_type_is_refused_by_its_name(make, settings, words):
    with pytest.raises(TypeError, match=words):
        make(**settings)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_of_boosting_are_finite(number, log):
    with pytest.raises(ValueError, match=f"smoothness = {number} is not finite"):
        SmoothBoostClassifier(smoothness=number).fit(log.context, log.action)
    with pytest.raises(ValueError, match=f"min_weight_fraction_leaf = {number} is not finite"):
        AdaBoostClassifier(min_weight_fraction_leaf=number).fit(log.context, log.action)


def test_a_learner_that_asks_says_what_it_needs():
    with pytest.raises(ValueError, match='loss is a number.*a callable is needed, or booster="fkm" with n_queries=1'):
        priced(n_queries=3).learn_one({"x": 1}, 0.5)


# Online convex optimisation.

BALL = oco.L2Ball()
BANDIT = {"dimension": 2, "inner_radius": 1.0, "delta": 0.2, "step": 0.01}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: oco.Hedge(2), "step is needed, or rounds, by which it is chosen"),
        (lambda: oco.Hedge(2, step=1.0, rounds=9), "step = 1.0 is given, and rounds = 9 chooses one: leave one of them out"),
        (lambda: oco.Hedge(2, step=-1.0), "^step = -1.0 is not > 0"),
        (lambda: oco.Hedge(0, step=1.0), "experts = 0"),
        (lambda: oco.OnlineGradientDescent(BALL, dimension=2), "step is needed, or lipschitz, by which it is chosen"),
        (lambda: oco.OnlineGradientDescent(BALL, dimension=2, step=-1.0), "^step = -1.0 is not > 0"),
        (lambda: oco.OnlineGradientDescent(BALL, dimension=2, lipschitz=0.0), "^lipschitz = 0.0 is not > 0"),
        (lambda: oco.OnlineFrankWolfe(BALL, dimension=2), "step is needed, or rounds and lipschitz"),
        (lambda: oco.OnlineFrankWolfe(BALL, dimension=2, step=0.1, rounds=3), "step = 0.1 is given, and rounds and lipschitz"),
        (lambda: oco.Winnow(2, margin=0.5), "step is needed, or margin and largest_feature"),
        (lambda: oco.Winnow(2, step=0.0), "^step = 0.0 is not > 0"),
        (lambda: oco.StepSchedule.constant(0.0), "^eta = 0.0 is not > 0"),
        (lambda: oco.StepSchedule.power(0.0, 1.0), "^scale = 0.0 is not > 0"),
        (lambda: oco.StepSchedule.power(1.0, -1.0), "^exponent = -1.0 is outside"),
        (lambda: oco.StepSchedule.tuned(1.0, 1.0, 2**40), r"^rounds = 1099511627776 is outside \[1, 2\^32\)"),
        (lambda: oco.MirrorDescent(oco.Simplex(), dimension=2, step=0.0), "^step = 0.0 is not > 0"),
        (lambda: oco.AdaGrad(oco.Box(0.0, 1.0, dimension=2), scale=0.0), "^scale = 0.0 is not > 0"),
        (lambda: oco.BanditGradientDescent(BALL, **BANDIT | {"step": -1.0}), "^step = -1.0 is not > 0"),
        (lambda: oco.BanditGradientDescent(BALL, **BANDIT | {"inner_radius": 0.0}), "^inner_radius = 0.0 is not > 0"),
        (lambda: oco.BanditGradientDescent(BALL, **BANDIT | {"delta": 2.0}), r"^delta = 2.0 is outside \(0, inner_radius\)"),
        (lambda: oco.MultiPointBanditGradientDescent(BALL, **BANDIT | {"step": 0.0}), "^step = 0.0 is not > 0"),
        (lambda: oco.Simplex(0.0), "^mass = 0.0 is not > 0"),
        (lambda: oco.L2Ball(0.0), "^radius = 0.0 is not > 0"),
        (lambda: oco.TraceNormBall(2, 2, 0.0), "^radius = 0.0 is not > 0"),
        (lambda: oco.Spectrahedron(2, 0.0), "^trace = 0.0 is not > 0"),
        (lambda: oco.Box([0.0, 0.0], [1.0, 1.0], dimension=3), "^lower has 2 coordinates, and dimension = 3"),
        (lambda: oco.project([np.nan, 1.0], onto=oco.Simplex()), r"^x\[0\] is NaN"),
        (lambda: oco.project([[0.0, 1.0], [np.nan, 1.0]], onto=oco.Simplex()), r"^row 1: x\[0\] is NaN"),
        (lambda: oco.project([1.0], onto=oco.Box([0.0, 0.0], [1.0, 1.0])), "^x: expected 2 coordinates, got 1"),
        (lambda: oco.Box([0.0], [1.0]).diameter(2), "^dimension: expected 1 coordinates, got 2"),
        (lambda: oco.OnlineGradientDescent(oco.Box([0.0], [1.0]), dimension=2, step=1.0), "^dimension: expected 1 coord"),
        (lambda: oco.Simplex().project([np.nan, 1.0]), r"^y\[0\] is NaN"),
        (lambda: oco.Simplex().lmo([np.nan, 1.0]), r"^gradient\[0\] is NaN"),
        (lambda: oco.Simplex().lmo([[0.0, 1.0], [np.inf, 1.0]]), r"^row 1: gradient\[0\] is inf"),
    ],
)
def test_parameters_have_the_names_of_python(make, words):
    with pytest.raises(ValueError, match=words):
        make()


# Learners of files.


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"booster": "agnostic", "weak_learner": "stumps", "n_learners": 3, "advantage": 0.3, "bits": 6, "seed": 7},
        {"booster": "os_boost", "advantage": 0.25, "n_learners": 2},
        {"booster": "ada_boost_ol", "weak_learner": "logistic", "n_learners": 4, "bits": 9},
        {"booster": "alone", "seed": 2**63 + 1},
    ],
)
def test_a_learner_of_a_file_has_its_settings(settings, tmp_path):
    model = OnlineBoostingClassifier(**settings)
    for t in range(8):
        model.learn_one({"x": t % 3, "y": "a"}, t % 2)
    model.save(tmp_path / "stream.ocob")
    loaded = OnlineBoostingClassifier.load(tmp_path / "stream.ocob")
    names = ("booster", "weak_learner", "n_learners", "advantage", "bits", "seed")
    assert [getattr(loaded, name) for name in names] == [getattr(model, name) for name in names]
    one, other = model.clone(), loaded.clone()
    for t in range(8):
        one.learn_one({"x": t % 3}, str(t % 2))
        other.learn_one({"x": t % 3}, str(t % 2))
    assert one._learner.to_bytes() == other._learner.to_bytes()


def test_a_drawn_seed_is_kept_with_the_learner(tmp_path):
    model = OnlineBoostingClassifier(seed=None, n_learners=2)
    model.learn_one({"x": 1}, True)
    model.save(tmp_path / "stream.ocob")
    loaded = OnlineBoostingClassifier.load(tmp_path / "stream.ocob")
    assert isinstance(loaded.seed, int) and loaded.seed == json.loads(model._learner.settings)["seed"]


# What a judgement says beside its numbers.


def test_an_estimate_that_no_policy_earns_is_named():
    action = np.arange(400) % 2
    # The second action pays 1, and the log says that it was taken less often than it was.
    log = (np.zeros((400, 1)), action, action.astype(float), np.where(action == 1, 0.45, 0.5))
    second = np.tile([0.0, 1.0], (400, 1))
    found = evaluate(second, *log, reward_model=False)
    assert found.estimates["ips"]["value"] > 1.1
    words = "IPS says 1.111, and no reward is above 1"
    assert words in found.warnings and not any("SNIPS" in one for one in found.warnings)
    assert f"warning: {words}" in repr(found) and f"<p>warning: {words}</p>" in found._repr_html_()
    compared = compare({"second": second}, *log, reward_model=False)
    assert words in compared.judgements["second"].warnings and compared.judgements["logged"].warnings == ()
    assert words not in evaluate(second, *log, reward_model=False, reward_range=(0, 2)).warnings


def test_few_rows_that_count_are_few_for_the_doubly_robust_estimate_too():
    rng = np.random.default_rng(0)
    x, action = rng.uniform(size=(2000, 1)), (rng.uniform(size=2000) < 0.005).astype(int)
    log = (x, action, rng.uniform(size=2000), np.where(action == 1, 0.005, 0.995))
    second = np.tile([0.0, 1.0], (2000, 1))
    found = evaluate(second, *log)
    words = [one for one in found.warnings if one.startswith("the interval of DR")]
    assert len(words) == 1 and f"by {found.effective_sample_size:.0f} rows" in words[0]
    assert not any("DR" in one for one in evaluate(second, *log, reward_model=False).warnings)
    assert not any("DR" in one for one in evaluate("uniform", *Log(n=800).columns).warnings)


def test_the_differences_of_a_comparison_are_a_frame(log, monkeypatch):
    found = compare({"even": "uniform", "second": np.tile([0.0, 1.0], (400, 1))}, *log.columns, reward_range=(0, 1))
    frame = found.to_frame()
    assert list(frame.columns) == ["first", "second", "value", "lower", "upper", "is_shown"]
    assert frame.to_dict("records") == found.differences
    assert frame["is_shown"].tolist() == [one["lower"] > 0 or one["upper"] < 0 for one in found.differences]
    assert len(frame) == 3
    judged = found.judgements["even"]
    monkeypatch.setitem(sys.modules, "pandas", None)
    for one in (found, judged, judged.certificate):
        with pytest.raises(ImportError, match="pip install pandas"):
            one.to_frame()


# Dates.

DAYS = pd.date_range("2026-01-01 06:30", periods=400, freq="7h")
FORMS = {
    "pandas": list(DAYS),
    "zone": list(DAYS.tz_localize("UTC").tz_convert("Asia/Tokyo")),
    "datetime": [day.to_pydatetime() for day in DAYS],
    "numpy": list(DAYS.to_numpy()),
    "seconds": list(DAYS.to_numpy().astype("datetime64[s]")),
    "text": [day.isoformat() for day in DAYS],
}


@pytest.fixture(scope="module")
def dated():
    log = Log(n=400)
    reward = (log.action == (np.arange(400) < 200)).astype(float)
    frame = pd.DataFrame({"when": DAYS, "x": log.context[:, 0]})
    return quick(n_estimators=20).fit(frame, log.action, reward, log.pscore), frame


@pytest.mark.parametrize("form", FORMS)
def test_dates_of_one_row_are_those_of_a_frame(dated, form):
    policy, frame = dated
    expected = policy.predict(frame).tolist()
    assert len(set(expected)) == 2
    rows = [{"when": when, "x": x} for when, x in zip(FORMS[form], frame["x"], strict=True)]
    assert [policy.predict_one(row) for row in rows] == expected


def test_a_date_and_a_time_that_is_none(dated):
    policy, frame = dated
    midnight = frame.assign(when=DAYS.normalize())
    expected = policy.predict(midnight).tolist()
    for days in ([day.date() for day in DAYS], list(DAYS.to_numpy().astype("datetime64[D]"))):
        rows = [{"when": when, "x": x} for when, x in zip(days, frame["x"], strict=True)]
        assert [policy.predict_one(row) for row in rows] == expected
    for missing in (None, pd.NaT, np.datetime64("NaT")):
        with pytest.raises(ValueError, match='no value for column "when"'):
            policy.predict_one({"when": missing, "x": 0.5})


def test_dates_where_numbers_are_expected_are_refused(log):
    policy = quick().fit(pd.DataFrame(log.context, columns=["x", "y", "z"]), *log.columns[1:])
    for date in (DAYS[0], DAYS[0].date(), DAYS[0].to_datetime64()):
        with pytest.raises(ValueError, match='column "x".*2026-01-01'):
            policy.predict_one({"x": date, "y": 0.5, "z": 0.5})
        with pytest.raises(TypeError, match="column 1 is a date: hand in a dict"):
            quick().fit(*log.columns).predict_one([0.5, date, 0.5])
    with pytest.raises(TypeError, match="column 0 is a text: hand in a dict"):
        policy.predict_one(["a", 0.5, 0.5])
    with pytest.raises(TypeError, match="column x holds timedelta64, neither a number nor a text nor a date"):
        policy.predict_one({"x": np.timedelta64(1, "D"), "y": 0.5, "z": 0.5})
    with pytest.raises(TypeError, match="column x holds time, neither"):
        policy.predict_one({"x": DAYS[0].time(), "y": 0.5, "z": 0.5})
    column = DAYS.to_numpy().reshape(-1, 1)
    objects = np.array(list(DAYS), dtype=object).reshape(-1, 1)
    for context, words in ((column, r"context holds datetime64.*data frame"), (objects, "texts or dates")):
        with pytest.raises(ValueError, match=words):
            quick().fit(context, *log.columns[1:])
        with pytest.raises(ValueError, match="holds"):
            policy.predict(np.repeat(context, 3, axis=1))


@pytest.mark.parametrize("form", ["pandas", "zone", "datetime", "numpy", "seconds"])
@pytest.mark.parametrize("library", ["dict", "pandas", "polars", "pyarrow", "array"])
def test_a_stream_counts_dates_in_days(form, library):
    import polars
    import pyarrow

    days, classes = FORMS[form], (DAYS.hour < 12).tolist()
    of_day = 86_400_000_000_000
    numbers = [day.value // of_day + day.value % of_day / 86_400e9 for day in DAYS]
    expected, model = (OnlineBoostingClassifier(n_learners=3, seed=1) for _ in range(2))
    name = "0" if library == "array" else "when"
    expected.learn_many(pd.DataFrame({name: numbers}), classes)
    match library:
        case "dict":
            for day, own in zip(days, classes, strict=True):
                model.learn_one({name: day}, own)
        case "array":
            own = np.array(days, dtype=object) if form in ("zone", "pandas", "datetime") else np.array(days)
            model.learn_many(own.reshape(-1, 1), classes)
        case "pandas":
            model.learn_many(pd.DataFrame({name: days}), classes)
        case "polars":
            model.learn_many(polars.DataFrame({name: [pd.Timestamp(day).to_pydatetime() for day in days]}), classes)
        case "pyarrow":
            model.learn_many(pyarrow.Table.from_pandas(pd.DataFrame({name: days})), classes)
    assert model._learner.to_bytes() == expected._learner.to_bytes()


def test_durations_of_a_table_are_no_numbers():
    with pytest.raises(TypeError, match="durations"):
        OnlineBoostingClassifier().learn_many(pd.DataFrame({"x": DAYS - DAYS[0]}), [True] * 400)


# Rows.


@pytest.mark.parametrize("column", ["reward", "pscore"])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_rows_are_counted_from_0_in_arrays_and_in_frames(log, column, library):
    import polars
    import pyarrow

    given = {"action": log.action, "reward": log.reward, "pscore": log.pscore}
    given[column] = given[column].copy()
    given[column][7] = np.inf if column == "reward" else 0.0
    with pytest.raises(ValueError, match=r"\brow 7\b"):
        quick().fit(log.context, **given)
    make = {"pandas": lambda frame: frame, "polars": polars.from_pandas, "pyarrow": pyarrow.Table.from_pandas}[library]
    with pytest.raises(ValueError, match=r"the data frame, row 7\b"):
        quick().fit(make(log.frame()), **given)
    with pytest.raises(ValueError, match=r"the data frame, row 7\b"):
        quick().fit(make(log.frame().assign(**given)), "action", "reward", "pscore")
    numbers, table = log.context.copy(), log.frame()
    policy = quick().fit(table, log.action, log.reward, log.pscore)
    table.loc[7, "y"] = np.inf
    with pytest.raises(ValueError, match=r"the data frame, row 7\b"):
        policy.predict(make(table))
    numbers[7, 1] = np.inf
    with pytest.raises(ValueError, match=r"\brow 7\b"):
        quick().fit(*log.columns).predict(numbers)


# What a policy was trained on.


@pytest.mark.parametrize("kind", ["array", "frame", "loaded", "estimated"])
def test_the_log_of_the_training_is_noticed_in_any_order(kind, tmp_path):
    log, order = Log(n=400, seed=3), np.random.default_rng(0).permutation(400)
    x, a, r, p = log.frame() if kind == "frame" else log.context, log.action, log.reward, log.pscore
    policy = quick().fit(x, a, r, None if kind == "estimated" else p)
    if kind == "loaded":
        policy.save(tmp_path / "policy.ocob")
        policy, a = PolicyBooster.load(tmp_path / "policy.ocob"), a.astype(str)
    turned = x.iloc[order] if kind == "frame" else x[order], a[order], r[order], p[order]
    found = evaluate(policy, *turned)
    assert found.verdict == "cannot_answer" and "own_log" in json.dumps(found.details)
    with pytest.raises(ValueError, match="was trained on this log"):
        compare({"own": policy}, *turned)
    # One reward that is another one is another log.
    r = r.copy()
    r[0] += 0.5
    assert "own_log" not in json.dumps(evaluate(policy, turned[0], a[order], r[order], p[order]).details)


def test_the_choices_of_the_training_are_noticed_in_any_order():
    log, order = Log(n=400, seed=3), np.random.default_rng(0).permutation(400)
    x, a, r, p = log.columns
    policy = quick().fit(x, a, r, p, action_context=np.eye(2))
    assert "own_log" in json.dumps(evaluate(policy, x[order], a[order], r[order], p[order]).details)
    assert "own_log" not in json.dumps(evaluate(policy, *Log(n=400, seed=4).columns).details)


def test_what_was_made_of_a_column_is_not_that_column(log):
    frame = pd.DataFrame({"age": log.context[:, 0] > 0.5, "kind": log.kind, "x": log.context[:, 1]})
    action = pd.Series(log.action)
    reward = ((action == 1) == frame["age"]).astype(float).rename("age")
    made = quick().fit(frame, log.action, reward, log.pscore)
    assert made.n_features_in_ == 3
    other = frame.assign(age=~frame["age"])
    assert evaluate("logged", frame, log.action, reward, log.pscore).value == pytest.approx(reward.mean())
    polars = pytest.importorskip("polars")
    assert len(quick().fit(polars.from_pandas(frame), log.action, reward, log.pscore).classes_) == 2
    # The column itself is refused in whatever type: it would be a feature as well.
    same = frame["age"].astype(float)
    for call in (quick().fit, lambda *own: evaluate("logged", *own)):
        call(other, log.action, same, log.pscore)
        with pytest.raises(ValueError, match="reward is the column 'age', which context has as well"):
            call(frame, log.action, same, log.pscore)
        with pytest.raises(ValueError, match="action is the column 'kind', which context has as well"):
            call(frame, frame["kind"].astype("category"), log.reward, log.pscore)


@pytest.fixture(scope="module")
def savers(log):
    stream, regressor, seller = OnlineBoostingClassifier(n_learners=2), OnlineBoostingRegressor(n_learners=2), priced()
    stream.learn_one({"x": 1}, True)
    regressor.learn_one({"x": 1}, 1.0)
    seller.learn_one({"x": 1}, lambda price: price)
    booster = AdaBoostClassifier(n_estimators=2).fit(log.context, log.action)
    return [quick().fit(*log.columns), booster, stream, regressor, seller]


def test_a_wrong_path_is_refused_as_open_does_it(savers, tmp_path):
    missing, under_file = tmp_path / "missing" / "model.ocob", tmp_path / "file" / "model.ocob"
    (tmp_path / "file").write_bytes(b"something else")
    (tmp_path / "folder").mkdir()
    exports = [lambda path: savers[0].export(path=path)]
    loads = [type(saver).load for saver in savers] + [RewardBooster.load]
    for path, kind in ((missing, FileNotFoundError), (under_file, NotADirectoryError), (tmp_path / "folder", IsADirectoryError)):
        for call in [*loads, *(saver.save for saver in savers), *exports]:
            with pytest.raises(kind) as refused:
                call(path)
            assert refused.value.errno and refused.value.filename in (path, str(path)), (call, path)
            assert str(path) in str(refused.value) and "os error" not in str(refused.value)
    for load in loads:
        with pytest.raises(ValueError, match="not a model file"):
            load(tmp_path / "file")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "folder"]


def test_a_classifiers_file_names_its_class(savers, log, tmp_path):
    smooth = SmoothBoostClassifier(n_estimators=2).fit(log.context, log.action)
    for booster in (savers[1], smooth):
        path = tmp_path / "classifier.ocob"
        booster.save(path)
        for own in (PolicyBooster, OnlineBoostingClassifier, OnlineBoostingRegressor, BanditRegressor):
            with pytest.raises(ValueError, match=f"holds a classifier, .*: boost.{type(booster).__name__}.load reads it"):
                own.load(path)


@pytest.mark.parametrize("split", ["time", "groups"])
def test_columns_that_the_fit_left_out_are_not_told_of_again(log, split, recwarn):
    frame = log.frame().assign(day=np.arange(400.0), junk=1.0, done=log.action, paid=log.reward, p=log.pscore)
    fitted = quick().fit(frame, "done", "paid", "p", ignore=["junk"], **{split: "day"})
    other = frame.assign(x=frame["x"] ** 2)
    expected = evaluate(fitted, other[["x", "y", "z", "kind"]], log.action, log.reward, log.pscore)
    for named in (("done", "paid", "p"), (log.action, log.reward, log.pscore)):
        assert evaluate(fitted, other, *named).estimates == expected.estimates
    # A column that was left out may have a role now.
    assert evaluate(fitted, other, "done", "junk", "p").value == pytest.approx(1.0)
    fitted.predict(other), fitted.predict_proba(other), fitted.score(other, "done", "paid", "p")
    compare({"fitted": fitted, "even": "uniform"}, other, "done", "paid", "p")
    assert not recwarn.list
    evaluate(fitted, other.assign(more=1.0), "done", "paid", "p")
    assert [str(told.message) for told in recwarn] == ['columns that the model does not know left out: "more"']


def test_of_candidates_neither(log, recwarn):
    frame = log.frame().assign(day=np.arange(400.0), done=log.action, paid=log.reward, p=log.pscore)
    offers = pd.DataFrame({"price": [1.0, 2.0]})
    fitted = quick().fit(frame, "done", "paid", "p", action_context=offers, time="day")
    other = frame.assign(x=frame["x"] ** 2)
    evaluate(fitted, other, "done", "paid", "p")
    compare({"fitted": fitted, "even": "uniform"}, other, "done", "paid", "p")
    fitted.predict(other)
    assert not recwarn.list
    fitted.predict(other.assign(more=1.0))
    assert any('"more"' in str(told.message) for told in recwarn)


def test_a_range_that_is_turned_round_is_told_in_its_own_words(log):
    turned = r"_range = \(1, 0\) is no interval: its first number is above its second"
    for call in (
        lambda: quick(reward_range=(1, 0)).fit(*log.columns),
        lambda: evaluate("logged", *log.columns, reward_range=(1, 0)),
        lambda: compare({"even": "uniform"}, *log.columns, reward_range=(1, 0)),
    ):
        with pytest.raises(ValueError, match="reward" + turned):
            call()
    for kind in (OnlineBoostingRegressor, BanditRegressor):
        with pytest.raises(ValueError, match="target" + turned):
            kind(target_range=(1, 0))
        with pytest.raises(ValueError, match=r"target_range = \(1, 1\) is no interval: its first number is not below its second"):
            kind(target_range=(1, 1))
        kind(target_range=(0, 1))


def test_one_callback_stands_for_a_list_of_it(log):
    events = []
    # What `append` returns is no true answer.
    quick(callbacks=events.append).fit(*log.columns)
    AdaBoostClassifier(n_estimators=3, max_depth=1, callbacks=events.append).fit(log.context, log.action)
    assert {"boosting"} < {event["stage"] for event in events}
    for wrong in (5, [5], "print"):
        for kind in (quick(callbacks=wrong), AdaBoostClassifier(callbacks=wrong)):
            with pytest.raises(TypeError, match=r"callbacks = .* is neither a callable nor a list of them"):
                kind.fit(*log.columns[:2 if isinstance(kind, AdaBoostClassifier) else 4])


def test_a_loss_that_is_none_is_told():
    seller, untouched = priced(), priced()
    with pytest.raises(TypeError, match="loss = None is neither a callable nor a number"):
        seller.learn_one({"x": 1.0}, None)
    for found in (None, "1.5", [1.0]):
        with pytest.raises(TypeError, match=r"loss returned .* for the point .*, and no number"):
            seller.learn_one({"x": 1.0}, lambda price: found)
    with pytest.raises(TypeError, match=r"loss returned None for the point array\("):
        priced(n_outputs=2).learn_one({"x": 1.0}, lambda point: None)
    with pytest.raises(ZeroDivisionError):
        seller.learn_one({"x": 1.0}, lambda price: 1 / 0)
    for model in (seller, untouched):
        model.learn_one({"x": 1.0}, lambda price: np.float32(price) ** 2)
    assert seller.predict_one({"x": 1.0}) == untouched.predict_one({"x": 1.0})
