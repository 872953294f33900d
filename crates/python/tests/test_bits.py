"""Results of the package are Rust's to the bit, whatever the rows come in.

`crates/ocoboost/tests/bits.rs` makes the same rows and is held against the same digests, in bits.json.
"""

import hashlib
import json
import pathlib

import numpy as np
import pytest

from ocoboost.boost import AdaBoostClassifier
from ocoboost.offpolicy import PolicyBooster
from ocoboost.online import OnlineBoostingClassifier

BITS = json.loads(pathlib.Path(__file__).with_name("bits.json").read_text(encoding="utf-8"))
FAST = {"time_budget": None, "n_candidates": 2, "n_estimators": 60}


def made(rows):
    """Made-up rows (synthetic): x, actions, rewards and noise. Numbers are multiples of 2^-10, as a single holds."""
    state, found = 1, []
    for _ in range(rows):
        draws = []
        for _ in range(6):
            state = (state * 1103515245 + 12345) % 2**31
            draws.append(state >> 16)
        found.append(draws)
    draws = np.array(found)
    x, action, noise = draws[:, :4] % 1024 / 1024.0, draws[:, 4] % 3, draws[:, 5]
    reward = np.where(third(x[:, 0]) == action, 1.0, (noise % 4 == 0) / 4.0)
    return x, action, reward, noise


def third(x):
    return (x >= 1 / 3).astype(int) + (x >= 2 / 3).astype(int)


def digest(*parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()


def doubles(values):
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


def of_policy(context, action, reward, pscore, *, asked=None):
    policy = PolicyBooster(**FAST).fit(context, action, reward, pscore)
    scores = policy.decision_function(context if asked is None else asked)
    trees = policy.n_estimators_.to_bytes(8, "little")
    return digest(doubles(scores), policy.policy_.judgement[0].encode(), trees)


@pytest.fixture(scope="module")
def log():
    x, action, reward, _ = made(1200)
    return x, action, reward, np.array([0.25, 0.25, 0.5])[action]


def containers():
    """Of rows of numbers: what is handed in, by its name."""
    import scipy.sparse

    return {
        "numpy": lambda x: x,
        "read-only": lambda x: frozen(x.copy()),
        "Fortran": np.asfortranarray,
        "a view of every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
        "single": lambda x: x.astype(np.float32),
        "single, Fortran": lambda x: np.asfortranarray(x, dtype=np.float32),
        "other bytes": lambda x: x.astype(x.dtype.newbyteorder()),
        "not aligned": not_aligned,
        "memory of Python": lambda x: np.frombuffer(bytearray(x.tobytes())).reshape(x.shape),
        "lists": lambda x: x.tolist(),
        "CSR": scipy.sparse.csr_array,
        "COO": scipy.sparse.coo_matrix,
    }


def frozen(x):
    x.flags.writeable = False
    return x


def not_aligned(x):
    found = np.frombuffer(bytearray(1) + x.tobytes(), dtype=np.float64, offset=1).reshape(x.shape)
    assert not found.flags.aligned
    return found


def frames():
    import duckdb
    import pandas
    import polars
    import pyarrow

    names = ["x0", "x1", "x2", "x3"]
    return {
        "pandas": lambda x: pandas.DataFrame(x, columns=names),
        "pandas, single": lambda x: pandas.DataFrame(x.astype(np.float32), columns=names),
        "polars": lambda x: polars.DataFrame(x, schema=names),
        "pyarrow": lambda x: pyarrow.table(dict(zip(names, x.T.copy()))),
        "duckdb": lambda x: duckdb.from_arrow(pyarrow.table(dict(zip(names, x.T.copy())))),
    }


@pytest.mark.parametrize("name", containers())
def test_a_policy_is_that_of_rust(name, log):
    x, *rest = log
    assert of_policy(containers()[name](x), *rest) == BITS["policy"]


@pytest.mark.parametrize("name", frames())
def test_a_policy_of_a_frame_is_that_of_rust(name, log):
    x, *rest = log
    assert of_policy(frames()[name](x), *rest) == BITS["policy"]


@pytest.mark.parametrize("name", containers())
def test_a_vote_is_that_of_rust(name):
    x, action, _, noise = made(600)
    two = ((x[:, 0] > x[:, 1]) != (noise % 8 == 0)).astype(int)
    three = np.where(noise % 8 == 0, action, third(x[:, 2]))
    for key, y in (("vote of two", two), ("vote of three", three)):
        fitted = AdaBoostClassifier(n_estimators=20).fit(containers()[name](x), y)
        edges = [doubles(column["edges"]) for column in fitted.rounds_]
        assert digest(*edges, fitted.vote_.to_bytes()) == BITS[key]


def test_a_stream_is_that_of_rust():
    model, said = OnlineBoostingClassifier(n_learners=8, seed=3), ""
    rows, action, _, noise = made(1000)
    for x, kind, drawn in zip(rows.tolist(), action.tolist(), noise.tolist()):
        row = {
            "x": x[0],
            "y": None if drawn % 16 == 0 else x[1],
            "colour": ["red", "green", "blue"][kind],
            "flag": x[3] > 0.5,
        }
        said += str(model.predict_one(row))
        model.learn_one(row, "yes" if (x[0] > x[1]) != (drawn % 8 == 0) else "no")
    assert digest((said + model._learner.sentence).encode()) == BITS["stream"]


def test_one_row_is_answered_as_many_are(log):
    x, action, reward, pscore = log
    policy = PolicyBooster(**FAST).fit(x, np.array(["a", "b", "c"])[action], reward, pscore)
    expected = policy.predict(x[:200]).tolist()
    for rows in (x, x.astype(np.float32), x.tolist(), np.asfortranarray(x), [tuple(row) for row in x]):
        assert [policy.predict_one(row) for row in rows[:200]] == expected
    assert [policy.predict_one(dict(zip(["x3", "x0", "x1", "x2"], row[[3, 0, 1, 2]]))) for row in x[:200]] == expected
    available = np.tile([True, False, True], (200, 1))
    among = policy.predict(x[:200], available).tolist()
    assert [policy.predict_one(row, available[0].tolist()) for row in x[:200]] == among and "b" not in among
    refused = [([0.5] * 3, None, "columns"), ([0.5, 0.5, 0.5, np.nan], None, "NaN"), ([np.inf] * 4, None, "inf")]
    refused += [({"x0": 1.0}, None, "x1"), ([0.5] * 4, [True], "entries"), ([0.5] * 4, [False] * 3, "on offer")]
    for row, offers, message in refused:
        with pytest.raises(ValueError, match=message):
            policy.predict_one(row, offers)
    for row in ("text", 3.0, ["a"] * 4, None):
        with pytest.raises((TypeError, ValueError)):
            policy.predict_one(row)


def test_one_row_of_a_frame_is_answered_as_many_are(log):
    import pandas

    x, action, reward, pscore = log
    frame = pandas.DataFrame({"x": x[:, 0], "kind": np.where(x[:, 1] > 0.5, "up", "down"), "y": x[:, 2]})
    frame.loc[::7, "y"] = np.nan
    policy = PolicyBooster(**FAST).fit(frame, action, reward, pscore)
    rows = frame.to_dict(orient="records")[:200]
    assert [policy.predict_one(row) for row in rows] == policy.predict(frame[:200]).tolist()
    with pytest.warns(UserWarning, match='"kind" are not known'):
        policy.predict_one({"x": 0.5, "kind": "sideways", "y": None})
    with pytest.raises(ValueError, match="dict"):
        policy.predict_one([0.5, 1.0, 0.5])
