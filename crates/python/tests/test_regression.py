"""Regressors of streams, and whole tables in one call."""

import copy
import math
import pickle

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import river.checks
from river import datasets, evaluate, linear_model, metrics, preprocessing
from sklearn.datasets import load_diabetes

from ocoboost.online import BanditRegressor, OnlineBoostingClassifier, OnlineBoostingRegressor

PARAMETERS = list(OnlineBoostingRegressor._unit_test_params())
CHECKS = [
    (parameters, check)
    for parameters in PARAMETERS
    for check in river.checks.yield_checks(OnlineBoostingRegressor(**parameters))
]


@pytest.mark.parametrize(("parameters", "check"), CHECKS)
def test_river(parameters, check):
    check(OnlineBoostingRegressor(**parameters))


def test_progressive_validation():
    model = OnlineBoostingRegressor()
    error = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    peer = preprocessing.StandardScaler() | linear_model.LinearRegression()
    of_peer = evaluate.progressive_val_score(datasets.TrumpApproval(), peer, metrics.MAE())
    assert error.get() < 0.6 < of_peer.get()
    assert "Of 1,001 examples" in str(model) and "no row so far" in str(OnlineBoostingRegressor())


@pytest.mark.parametrize("booster", ["gradient_boosting", "span_boosting", "alone"])
@pytest.mark.parametrize("loss", ["squared", "absolute", "huber"])
def test_every_booster_learns_a_real_table(booster, loss):
    X, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    model = OnlineBoostingRegressor(booster=booster, loss=loss)
    predicted = []
    for row, target in zip(X, y, strict=True):
        predicted.append(model.predict_one(dict(enumerate(row))))
        model.learn_one(dict(enumerate(row)), target)
    late = np.mean(np.square(predicted[100:] - y[100:]))
    assert late < 0.75 * np.var(y), late / np.var(y)


def test_the_average_regret_falls_with_the_learners():
    # Its bound is 2βD²/(N + 1) and what the learners' own regret adds.
    averages, rounds = [], 2000
    for n_learners in (1, 5, 100):
        rng = np.random.default_rng(1)
        x = rng.choice([-1.0, 1.0], size=rounds)
        y = np.clip(0.4 * x + 0.2 * rng.normal(size=rounds), -1, 1)
        model = OnlineBoostingRegressor(n_learners=n_learners, target_range=(-1.0, 1.0))
        total = 0.0
        for one, target in zip(x, y, strict=True):
            total += (model.predict_one({"x": one}) - target) ** 2
            model.learn_one({"x": one}, target)
        design = np.stack([x, np.ones(rounds)], axis=1)
        best = np.linalg.lstsq(design, y, rcond=None)[0]
        averages.append((total - np.square(design @ best - y).sum()) / rounds)
    assert averages[0] > 2 * averages[1] > 4 * averages[2] > 0, averages


def frame(n=300, seed=0):
    rng = np.random.default_rng(seed)
    made = pandas.DataFrame(
        {
            "number": rng.normal(size=n),
            "single": rng.normal(size=n).astype(np.float32),
            "whole": rng.integers(-5, 5, n),
            "flag": rng.uniform(size=n) < 0.5,
            "colour": rng.choice(["red", "green", "blue"], n),
            "kind": pandas.Categorical(rng.choice(["a", "b"], n)),
            "mixed": [None if k == 0 else "x" if k == 1 else k / 2 for k in rng.integers(0, 5, n)],
        },
        index=np.arange(n) * 3,
    )
    made.loc[rng.uniform(size=n) < 0.1, "number"] = np.nan
    y = made["number"].fillna(1.0) + 2.0 * (made["colour"] == "red") + 0.1 * made["whole"]
    return made, y


def models():
    for weak in ("naive_bayes", "logistic", "stumps"):
        yield OnlineBoostingClassifier(n_learners=4, weak_learner=weak), lambda y: y > 1
    yield OnlineBoostingClassifier(n_learners=4, booster="agnostic"), lambda y: np.where(y > 1, "high", "low")
    for parameters in PARAMETERS:
        yield OnlineBoostingRegressor(**parameters), lambda y: y


def test_a_table_is_learnt_bit_for_bit_like_its_rows():
    X, y = frame()
    for model, of in models():
        one_by_one, target = model.clone(), of(y)
        for x, own in zip(X.to_dict(orient="records"), list(target), strict=True):
            one_by_one.learn_one(x, own)
        rows = X.to_dict(orient="records")
        kinds = {
            "pandas": X,
            "polars": polars.from_pandas(X.drop(columns="mixed")),
            "pyarrow": pyarrow.Table.from_pandas(X.drop(columns="mixed"), preserve_index=False),
        }
        for name, table in kinds.items():
            whole = model.clone()
            # In parts, of which one is empty.
            whole.learn_many(table[:100], target[:100])
            whole.learn_many(table[100:100], target[100:100])
            whole.learn_many(table[100:], target[100:])
            if name == "pandas":
                expected = one_by_one
            else:
                expected = model.clone()
                for x, own in zip(rows, list(target), strict=True):
                    expected.learn_one({key: cell for key, cell in x.items() if key != "mixed"}, own)
            assert whole._learner.to_bytes() == expected._learner.to_bytes(), (model, name)
            predicted = list(whole.predict_many(table))
            assert predicted == [
                expected.predict_one({key: cell for key, cell in x.items() if name == "pandas" or key != "mixed"})
                for x in rows
            ]
        if isinstance(model, OnlineBoostingRegressor):
            assert (whole.predict_many(X).index == X.index).all()


def test_an_array_is_learnt_bit_for_bit_like_its_rows():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 4))
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0])
    for model, of in models():
        for table in (X, np.asfortranarray(X), X.astype(np.float32), (X > 0).astype(int), X > 0):
            one_by_one, whole = model.clone(), model.clone()
            for row, own in zip(table, of(y + 1).tolist(), strict=True):
                one_by_one.learn_one(dict(enumerate(row.tolist())), own)
            whole.learn_many(table, of(y + 1))
            assert whole._learner.to_bytes() == one_by_one._learner.to_bytes()
            assert list(whole.predict_many(table)) == [
                one_by_one.predict_one(dict(enumerate(row.tolist()))) for row in table
            ]


def test_nullable_columns_are_missing_cells():
    X = pandas.DataFrame(
        {
            "whole": pandas.array([1, None, 3, 4] * 10, dtype="Int64"),
            "text": pandas.array(["a", "b", None, "b"] * 10, dtype="string"),
            "flag": pandas.array([True, None, False, True] * 10, dtype="boolean"),
        }
    )
    y = [0.0, 1.0, 2.0, 3.0] * 10
    one_by_one, whole = OnlineBoostingRegressor(n_learners=3), OnlineBoostingRegressor(n_learners=3)
    for x, own in zip(X.to_dict(orient="records"), y, strict=True):
        one_by_one.learn_one(x, own)
    whole.learn_many(X, y)
    assert whole._learner.to_bytes() == one_by_one._learner.to_bytes()


def test_a_refused_row_of_a_table_is_named_and_none_is_learnt():
    X, y = frame(60)
    for model, of in models():
        target = of(y)
        fresh = model.clone()
        for start in (fresh, model):
            if start is model:
                start.learn_many(X, target)
            before = None if start._learner is None else start._learner.to_bytes()
            bad = X.copy()
            bad.loc[bad.index[40], "number"] = np.inf
            with pytest.raises(ValueError, match="row 40"):
                start.learn_many(bad, target)
            with pytest.raises(ValueError, match="60 rows, y has 59"):
                start.learn_many(X, target[:59])
            with pytest.raises(ValueError, match="twice"):
                start.learn_many(X.set_axis(["a", "a", "b", "c", "d", "e", "f"], axis=1), target)
            with pytest.raises(TypeError, match="neither a number nor a text"):
                start.learn_many(X.assign(mixed=[[]] * 60), target)
            with pytest.raises(TypeError):
                start.learn_many([1, 2], target)
            with pytest.raises(ValueError):
                start.learn_many(np.zeros(3), target)
            wrong = list(target)
            wrong[50] = "third" if isinstance(start, OnlineBoostingClassifier) else math.nan
            with pytest.raises(ValueError, match="row 50"):
                start.learn_many(X, wrong)
            assert (None if start._learner is None else start._learner.to_bytes()) == before
            known = [] if start is fresh else set(target)
            assert set(getattr(start, "_classes", known)) == set(known)
    assert OnlineBoostingClassifier().predict_many(X) == [None] * 60
    assert (OnlineBoostingRegressor().predict_many(X) == 0).all()


def test_copies_of_a_regressor_go_on_bit_for_bit():
    X, y = frame()
    rows = X.to_dict(orient="records")
    for parameters in PARAMETERS:
        model = OnlineBoostingRegressor(**parameters)
        model.learn_many(X, y)
        others = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
        for one in (model, *others):
            for x, own in zip(rows, y, strict=True):
                one.learn_one(x, own)
        assert len({one._learner.to_bytes() for one in (model, *others)}) == 1


def test_refusals_of_a_regressor():
    model = OnlineBoostingRegressor(n_learners=3, target_range=(0, 10))
    for t in range(30):
        model.learn_one({"x": t}, t % 10)
    before = model._learner.to_bytes()
    for x, y, error in (
        ({"x": 1}, math.nan, ValueError),
        ({"x": 1}, math.inf, ValueError),
        ({"x": 1}, 11, ValueError),
        ({"x": 1}, "1", TypeError),
        ({"x": 1}, None, TypeError),
        ({"x": math.inf}, 1, ValueError),
        ({"x": []}, 1, TypeError),
    ):
        with pytest.raises(error):
            model.learn_one(x, y)
    assert model._learner.to_bytes() == before
    assert 0 <= model.predict_one({"x": 1e9}) <= 10 and model.predict_one({}) == model.predict_one({"y": None})
    for bad in (
        {"n_learners": 0},
        {"booster": "none"},
        {"loss": "none"},
        {"learning_rate": -1.0},
        {"decay": -1.0},
        {"radius": 0.0},
        {"advantage": math.nan},
        {"span_step": 2.0},
        {"target_range": (1.0, 0.0)},
        {"bits": 40},
    ):
        with pytest.raises(ValueError):
            OnlineBoostingRegressor(**bad)


def shop(t):
    """A row, its best price, and the loss of a price."""
    x = {"size": t % 7, "kind": "new" if t % 2 else "old"}
    best = 0.4 + (t % 7) / 10 + 0.3 * (t % 2)
    return x, best, lambda price: (price - best) ** 2


@pytest.mark.parametrize(
    "settings",
    [{}, {"booster": "fkm"}, {"booster": "fkm", "n_queries": 1, "delta": 0.2}, {"stay_inside": True}],
    ids=str,
)
def test_losses_alone_are_enough(settings):
    model, late = BanditRegressor(target_range=(0.0, 2.0), seed=2, **settings), 0.0
    for t in range(4000):
        x, best, loss = shop(t)
        played = model.predict_one(x)
        assert model.predict_one(x) == played
        late += (played - best) ** 2 / 1000 if t >= 3000 else 0.0
        assert model.learn_one(x, loss) == played
    # The middle of the range, 1, loses 0.1.
    assert late < 0.07 and model.n_rounds == 4000


def test_the_loss_of_the_play_is_enough_where_it_is_the_query():
    settings = {"target_range": (0.0, 2.0), "booster": "fkm", "n_queries": 1, "delta": 0.2, "seed": 2}
    by_number, by_callable = BanditRegressor(**settings), BanditRegressor(**settings)
    for t in range(500):
        x, best, loss = shop(t)
        by_number.learn_one(x, loss(by_number.predict_one(x)))
        by_callable.learn_one(x, loss)
    assert by_number._learner.to_bytes() == by_callable._learner.to_bytes()
    with pytest.raises(ValueError, match="several points"):
        BanditRegressor(target_range=(0.0, 2.0)).learn_one({"x": 1}, 0.5)


def test_plays_of_several_numbers():
    model = BanditRegressor(target_range=(-1.0, 1.0), n_outputs=2, seed=4)
    best = np.array([0.5, -0.25])
    for t in range(3000):
        played = model.learn_one({"x": t % 3}, lambda point: float(((point - best) ** 2).sum()))
    assert played.shape == (2,) and np.abs(model.predict_one({"x": 1}) - best).max() < 0.2


def test_refusals_of_a_bandit():
    for settings in ({}, {"booster": "fkm", "n_queries": 3}, {"booster": "fkm", "n_queries": 1}):
        model = BanditRegressor(target_range=(0.0, 2.0), seed=5, **settings)
        for t in range(50):
            x, _, loss = shop(t)
            model.learn_one(x, loss)
        before = model._learner.to_bytes()
        for loss, error in (
            (lambda price: math.nan, ValueError),
            (lambda price: math.inf, ValueError),
            (lambda price: "much", TypeError),
            (lambda price: 1 / 0, ZeroDivisionError),
            (math.nan, ValueError),
            ("much", TypeError),
        ):
            with pytest.raises(error):
                model.learn_one(x, loss)
        with pytest.raises(ValueError):
            model.learn_one({"size": math.inf}, lambda price: 1.0)
        assert model._learner.to_bytes() == before
        twins = [model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
        for twin in twins:
            for t in range(50):
                x, _, loss = shop(t)
                twin.learn_one(x, loss)
        assert len({twin._learner.to_bytes() for twin in twins}) == 1
        assert model.clone().n_rounds == 0 and "100 rounds" in str(model)
    for bad in (
        {"target_range": (1.0, 0.0)},
        {"n_queries": 0},
        {"n_outputs": 0},
        {"delta": 0.0},
        {"delta": 1.0, "stay_inside": True},
        {"booster": "none"},
        {"seed": -1},
        {"radius": math.nan},
    ):
        with pytest.raises(ValueError):
            BanditRegressor(**{"target_range": (0.0, 1.0)} | bad)


def test_a_file_of_a_regressor_goes_on_bit_for_bit(tmp_path):
    X, y = frame()
    for parameters in [*PARAMETERS, {"target_range": (-1e3, 1e3), "loss": "huber", "n_learners": 3, "bits": 5}]:
        model = OnlineBoostingRegressor(**parameters)
        with pytest.raises(ValueError, match="before the first row"):
            model.save(tmp_path / "rows.ocob")
        model.learn_many(X, y)
        model.save(tmp_path / "rows.ocob")
        loaded = OnlineBoostingRegressor.load(str(tmp_path / "rows.ocob"))
        for name in model._settings_names:
            assert getattr(loaded, name) == getattr(model, name), name
        assert str(loaded) == str(model) and type(loaded.clone()) is OnlineBoostingRegressor
        for one in (model, loaded):
            one.learn_many(X, y)
        assert loaded._learner.to_bytes() == model._learner.to_bytes()
    for settings in ({}, {"booster": "fkm", "n_queries": 1}, {"n_outputs": 2, "stay_inside": True, "seed": 2**63}):
        bandit = BanditRegressor(target_range=(0.0, 2.0), **settings)
        with pytest.raises(ValueError, match="before the first row"):
            bandit.save(tmp_path / "prices.ocob")
        rounds = lambda one: [one.learn_one({"size": t % 7}, lambda p: float(np.sum((p - 1.0) ** 2))) for t in range(40)]
        rounds(bandit)
        bandit.save(tmp_path / "prices.ocob")
        loaded = BanditRegressor.load(tmp_path / "prices.ocob")
        for name in bandit._settings_names:
            assert getattr(loaded, name) == getattr(bandit, name), name
        assert loaded.n_rounds == 40 and np.array_equal(rounds(loaded), rounds(bandit))
        assert loaded._learner.to_bytes() == bandit._learner.to_bytes()


def test_other_files_are_no_regressors(tmp_path):
    regressor, bandit = OnlineBoostingRegressor(n_learners=2), BanditRegressor(target_range=(0.0, 1.0))
    classifier = OnlineBoostingClassifier(n_learners=2)
    regressor.learn_one({"x": 1.0}, 2.0)
    bandit.learn_one({"x": 1.0}, lambda price: price)
    classifier.learn_one({"x": 1.0}, True)
    kinds = {
        OnlineBoostingRegressor: (regressor, "a regressor of a stream, not"),
        BanditRegressor: (bandit, "a regressor of a stream that sees losses alone, not"),
        OnlineBoostingClassifier: (classifier, "a learner of a stream, not"),
    }
    for kind, (model, words) in kinds.items():
        path = tmp_path / "any.ocob"
        model.save(path)
        for other in kinds:
            if other is not kind:
                with pytest.raises(ValueError, match=words):
                    other.load(path)
        path.write_bytes(path.read_bytes()[:-7])
        with pytest.raises(ValueError):
            kind.load(path)
        with pytest.raises(OSError):
            kind.load(tmp_path / "none.ocob")
        with pytest.raises(OSError):
            model.save(tmp_path / "none" / "any.ocob")
