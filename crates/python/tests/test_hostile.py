"""What nobody does on purpose: memory that changes hands, code of Python at every turn, odd bytes and odd types."""

import os
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.lib.stride_tricks import as_strided

from conftest import Log

from ocoboost import _core, _lent, oco
from ocoboost.boost import AdaBoostClassifier
from ocoboost.offpolicy import PolicyBooster
from ocoboost.online import BanditRegressor, OnlineBoostingClassifier, OnlineBoostingRegressor


def quick(**settings):
    return PolicyBooster(**{"time_budget": None, "n_candidates": 1, "n_estimators": 8, **settings})


@pytest.fixture(scope="module")
def other():
    return Log(n=400, seed=5)


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(*Log(n=400).columns)


def in_process(program):
    """Runs a program of its own: what ends a process ends that one."""
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr[-2000:]
    return found.stdout.strip()


# Memory.


@pytest.mark.parametrize(
    "hidden",
    [
        lambda owner: as_strided(owner, writeable=False),
        lambda owner: np.frombuffer(memoryview(owner).cast("B").toreadonly()).reshape(owner.shape),
    ],
    ids=["as_strided", "memoryview"],
)
def test_a_read_only_view_that_hides_an_open_array_is_copied(other, hidden):
    x, *rest = other.columns
    expected = quick().fit(x, *rest).decision_function(x)
    owner = x.copy()

    def writes(event):
        owner[:] = 0.25

    policy = quick(callbacks=[writes]).fit(hidden(owner), *rest)
    assert (owner == 0.25).all() and (policy.decision_function(x) == expected).all()


def test_bytes_and_mapped_files_are_read_in_place(other, tmp_path):
    x = np.ascontiguousarray(other.context)
    x.tofile(tmp_path / "x")
    for fixed in (np.frombuffer(x.tobytes()).reshape(x.shape), np.asarray(np.memmap(tmp_path / "x", float, "r", shape=x.shape))):
        with _lent.lent(fixed) as is_lent:
            assert is_lent
    for written in (np.memmap(tmp_path / "x", float, "r+", shape=x.shape), np.frombuffer(bytearray(x.tobytes()))):
        with _lent.lent(written) as is_lent:
            assert not is_lent
        written.flags.writeable = False
        with _lent.lent(written) as is_lent:
            assert not is_lent


def test_a_view_whose_owner_was_closed_after_it_stays_open(other):
    x, *rest = other.columns
    owner = x.copy()
    view = owner[:]
    owner.flags.writeable = False
    expected = quick().fit(x, *rest).decision_function(x)
    assert (quick().fit(view, *rest).decision_function(view) == expected).all()
    assert view.flags.writeable and not owner.flags.writeable


def test_a_lent_array_is_not_resized(other):
    x, *rest = other.columns
    expected = quick().fit(x, *rest).decision_function(x)
    owner, refused = x.copy(), []

    def resizes(event):
        try:
            owner.resize((1, 1), refcheck=False)
        except ValueError as error:
            refused.append(error)

    policy = quick(callbacks=[resizes]).fit(owner, *rest)
    assert refused and owner.shape == x.shape and (policy.decision_function(x) == expected).all()
    owner.resize((1, 1), refcheck=False)


def test_an_interrupted_loan_leaves_nothing_closed():
    x = np.zeros((3, 2))
    with pytest.raises(KeyboardInterrupt), _lent.lent(x) as is_lent:
        assert is_lent and not x.flags.writeable
        raise KeyboardInterrupt
    assert x.flags.writeable and not _lent._LENT


RESIZED = """
    import numpy as np
    from ocoboost.boost import AdaBoostClassifier
    from ocoboost.offpolicy import PolicyBooster

    rng = np.random.default_rng(0)
    x, y = rng.uniform(size=(300, 2)), np.arange(300) % 2
    weights, time = rng.uniform(1, 2, size=300), np.arange(300.0)

    def resizes(event):
        for array in (weights, time):
            array.resize(array.size + 1, refcheck=False)

    AdaBoostClassifier(n_estimators=3, callbacks=[resizes]).fit(x, y, weights)
    settings = {"time_budget": None, "n_candidates": 1, "n_estimators": 5}
    time.resize(300, refcheck=False)
    PolicyBooster(callbacks=[resizes], **settings).fit(x, y, rng.uniform(size=300), np.full(300, 0.5), time=time)
    print(len(weights) > 303)
"""


def test_other_arrays_may_be_resized_while_rust_works():
    assert in_process(RESIZED) == "True"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are of POSIX")
def test_a_fork_within_a_fit_and_after_it_answers():
    program = """
        import os, sys, warnings
        import numpy as np
        from ocoboost.offpolicy import PolicyBooster

        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        x, action = rng.uniform(size=(300, 2)), np.arange(300) % 2
        columns = (x, action, rng.uniform(size=300), np.full(300, 0.5))
        quick = {"time_budget": None, "n_candidates": 1, "n_estimators": 5, "n_jobs": 2}

        def child(work):
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                try:
                    work()
                    os._exit(0)
                except BaseException as error:
                    print(repr(error), file=sys.stderr, flush=True)
                    os._exit(1)
            assert os.waitpid(pid, 0)[1] == 0

        def alone():
            x[0, 0] = 0.5
            policy = PolicyBooster(**quick).fit(*columns)
            assert x.flags.writeable
            policy.predict(np.tile(x, (400, 1)))

        seen = []
        policy = PolicyBooster(callbacks=[lambda event: seen or seen.append(child(alone))], **quick).fit(*columns)
        policy.predict(np.tile(x, (400, 1)))
        child(alone)
        print(len(seen), x.flags.writeable)
    """
    assert in_process(program) == "1 True"


@pytest.mark.skipif(sys.platform != "linux", reason="a limit of the address space, and /proc")
def test_memory_that_is_not_there_is_an_error():
    program = """
        import resource
        import numpy as np
        from ocoboost.offpolicy import PolicyBooster

        rng = np.random.default_rng(0)
        x, action = rng.uniform(size=(500, 1)), np.arange(500) % 50
        quick = {"time_budget": None, "n_candidates": 1, "n_estimators": 2, "n_jobs": 1}
        policy = PolicyBooster(**quick).fit(x, action, rng.uniform(size=500), np.full(500, 0.02))
        many, wide = np.zeros((2_000_000, 1)), np.broadcast_to(x[:1], (2**45, 1))
        with open("/proc/self/statm") as found:
            used = int(found.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, used + 2**28))
        for ask in (policy.decision_function, policy.predict_proba):
            for rows in (many, wide):
                try:
                    ask(rows)
                except MemoryError as error:
                    print("no memory" in str(error))
    """
    assert in_process(program).split() == ["True"] * 4


def test_an_export_is_written_whole_or_not_at_all(fitted, tmp_path):
    path, kept = tmp_path / "policy.json", tmp_path / "kept.json"
    path.write_text("old")
    os.link(path, kept)
    text = fitted.export(path=path)
    # The old file was replaced, and not emptied first.
    assert path.read_text() == text and kept.read_text() == "old"
    with pytest.raises(OSError):
        fitted.export(path=tmp_path / "none" / "policy.json")
    assert sorted(tmp_path.iterdir()) == [kept, path]


# Odd bytes and types.


def test_truth_values_of_any_byte_are_true(other, fitted):
    x, *rest = other.columns
    available = np.ones((len(x), 2), dtype=bool)
    available[::3, 0] = False
    odd = np.where(available, 2, 0).astype(np.uint8).view(bool)
    assert (fitted.predict(x, odd) == fitted.predict(x, available)).all()
    assert (fitted.predict_proba(x, odd) == fitted.predict_proba(x, available)).all()
    choices = [_core.Contexts.from_arrays(x, own, fitted.policy_.coding) for own in (odd, available)]
    scored = [fitted.policy_.predict(own, 1) for own in choices]
    assert (scored[0] == scored[1]).all()
    frame = other.frame()
    of_frame = quick().fit(frame, *rest)
    assert (of_frame.predict(frame, odd) == of_frame.predict(frame, available)).all()


def test_truth_values_of_numpy_are_those_of_python():
    rng = np.random.default_rng(3)
    vip, action = rng.integers(2, size=400).astype(bool), rng.integers(2, size=400)
    frame, reward = pd.DataFrame({"vip": vip, "x": rng.uniform(size=400)}), (action == vip).astype(float)
    policy = quick().fit(frame, action, reward, np.full(400, 0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = [{"vip": np.bool_(one), "x": x} for one, x in zip(vip, frame["x"], strict=True)]
        assert [policy.predict_one(row) for row in rows] == policy.predict(frame).tolist()


def test_complex_numbers_are_refused_wherever_they_are(other):
    x, a, r, p = other.columns
    with pytest.raises(ValueError, match="complex"):
        quick().fit(scipy.sparse.csr_array(x + 1j), a, r, p)
    for place, name in ((2, "reward"), (3, "pscore")):
        bad = [x, a, r, p]
        bad[place] = bad[place] + 1j
        with pytest.raises(ValueError, match=f"{name} holds complex"):
            quick().fit(*bad)


def test_columns_beyond_32_bits_are_refused(fitted):
    wide = scipy.sparse.csr_array((np.ones(1), (np.array([0]), np.array([2**32]))), shape=(1, 2**32 + 3))
    with pytest.raises(ValueError, match="4294967299 columns"):
        fitted.predict(wide)
    with pytest.raises(ValueError, match="shape"):
        fitted.predict(scipy.sparse.coo_array(np.ones(3)))


def test_masked_values_are_missing(other):
    x, a, r, p = other.columns
    mask = np.zeros(x.shape, dtype=bool)
    mask[::4, 1] = True
    masked, missing = np.ma.array(x, mask=mask), np.where(mask, np.nan, x)
    policy = quick().fit(masked, a, r, p)
    assert (policy.decision_function(masked) == quick().fit(missing, a, r, p).decision_function(missing)).all()
    for place in (1, 2, 3):
        bad = [x, a, r, p]
        bad[place] = np.ma.array(bad[place], mask=mask[:, 1])
        with pytest.raises(ValueError):
            quick().fit(*bad)


def test_items_have_one_name_whatever_the_type_of_their_numbers():
    rng = np.random.default_rng(0)
    context, features, item = rng.uniform(size=(300, 1)), rng.uniform(size=(300, 3, 1)), rng.integers(9, size=(300, 3))
    action = rng.integers(3, size=300)
    reward = (item[np.arange(300), action] % 2).astype(float)
    settings = {"action_context": features, "item": item}
    policy = quick().fit(context, action, reward, np.full(300, 1 / 3), **settings)
    expected = policy.decision_function(context, **settings)
    assert (policy.decision_function(context, action_context=features, item=item.astype(float)) == expected).all()
    table, names = rng.uniform(size=(3, 1)), [10, 20, 30]
    own = {"action_context": table, "classes": names}
    of_items = quick().fit(context, np.take(names, action), reward, np.full(300, 1 / 3), **own)
    of_floats = quick().fit(context, np.take(names, action).astype(float), reward, np.full(300, 1 / 3), **own)
    assert (of_items.decision_function(context) == of_floats.decision_function(context)).all()


def test_features_of_candidates_are_read_as_contexts_are():
    rng = np.random.default_rng(0)
    context, features, action = rng.uniform(size=(300, 1)), rng.uniform(size=(300, 3, 2)), rng.integers(3, size=300)
    columns = (context, action, features[np.arange(300), action, 0], np.full(300, 1 / 3))
    with pytest.raises(ValueError, match="complex"):
        quick().fit(*columns, action_context=features + 1j)
    with pytest.raises(ValueError, match="no features"):
        quick().fit(*columns, action_context=features[:, :, :0])
    mask = np.zeros(features.shape, dtype=bool)
    mask[::3, :, 1] = True
    of_masked = quick().fit(*columns, action_context=np.ma.array(features, mask=mask))
    of_missing = quick().fit(*columns, action_context=np.where(mask, np.nan, features))
    assert of_masked.policy_.export("xgboost") == of_missing.policy_.export("xgboost")


def test_labels_of_pyarrow_are_those_of_python():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"x": [0.0, 1.0, 2.0, 3.0], "y": ["a", "b", "a", "b"]})
    model = OnlineBoostingClassifier(n_learners=2)
    model.learn_many(table.select(["x"]), table["y"])
    assert set(model.predict_many(table.select(["x"]))) <= {"a", "b"}
    assert {type(label) for label in model._classes} == {str}


def test_margins_are_of_as_many_labels_as_rows(other):
    booster = AdaBoostClassifier(n_estimators=3).fit(other.context, other.action)
    n = len(other.action)
    assert booster.margins(other.context, other.action.tolist()).shape == (n,)
    for bad in (other.action[:1], other.action.reshape(-1, 1), other.action[:-1], 1):
        with pytest.raises(ValueError, match="y has shape"):
            booster.margins(other.context, bad)


def test_a_gradient_that_is_not_aligned_is_read_as_it_is():
    class Own:
        def __init__(self, packed):
            self.packed = packed

        def value(self, x):
            return float(np.square(x - 0.25).sum())

        def gradient(self, x):
            found = np.zeros(len(x), dtype=[("head", "i1"), ("value", "f8")])
            found["value"] = 2.0 * (x - 0.25)
            return found["value"] if self.packed else found["value"].copy()

    points = [oco.best_in_hindsight([Own(packed)] * 2, oco.L2Ball(), dimension=3).point for packed in (False, True)]
    assert (points[0] == points[1]).all() and np.allclose(points[0], 0.25)
    ball = oco.L2Ball()._set
    packed = np.zeros(3, dtype=[("head", "i1"), ("value", "f8")])["value"]
    for ask in (ball.lmo, ball.lmo_accuracy, lambda x: ball.contains(x, 0.0), lambda x: ball.project(x, oco.Euclidean()._map)):
        with pytest.raises(ValueError, match="aligned"):
            ask(packed)


def test_a_set_is_not_shrunk_without_end():
    shrunk = oco.Box([-1.0], [1.0])
    for _ in range(32):
        shrunk = shrunk.shrunk(0.01)
    assert type(shrunk._set).from_bytes(shrunk._set.to_bytes()).equals(shrunk._set)
    with pytest.raises(ValueError, match="32 times"):
        shrunk.shrunk(0.01)


# Code of Python at every turn.


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_callback_that_has_raised_is_not_called_again(other, error):
    for booster in (quick, lambda callbacks: AdaBoostClassifier(n_estimators=5, callbacks=callbacks)):
        calls = []

        def raises(event, calls=calls):
            calls.append(event)
            raise error("enough")

        estimator = booster(callbacks=[raises])
        with pytest.raises(error, match="enough"):
            estimator.fit(other.context, other.action, *(other.columns[2:] if isinstance(estimator, PolicyBooster) else ()))
        assert len(calls) == 1 and not hasattr(estimator, "classes_")


def test_a_loss_that_has_raised_is_not_asked_again():
    calls = []

    def raises(point):
        calls.append(point)
        raise RuntimeError("enough")

    model = BanditRegressor(target_range=(0.0, 1.0), n_queries=5)
    with pytest.raises(RuntimeError, match="enough"):
        model.learn_one({"x": 1.0}, raises)
    assert len(calls) == 1


def test_callbacks_may_fit_and_predict(other):
    x, *rest = other.columns
    expected = quick().fit(x, *rest).decision_function(x)
    booster = quick().fit(x, *rest)
    inner = []

    def works(event):
        if not inner:
            inner.append(None)
            inner[0] = (booster.decision_function(x), booster.fit(x, *rest).decision_function(x))

    booster.set_params(callbacks=[works])
    assert (booster.fit(x, *rest).decision_function(x) == expected).all()
    assert all((found == expected).all() for found in inner[0]) and x.flags.writeable


def test_a_cell_that_changes_its_row_is_read_once(other):
    row = {"x": 0.5, "y": 0.5, "z": 0.5, "kind": "a"}
    policy = quick().fit(other.frame(), *other.columns[1:])

    class Grows:
        def __float__(self):
            row[f"new{len(row)}"] = 1.0
            return 0.5

    expected = policy.predict_one(dict(row))
    row["x"] = Grows()
    assert policy.predict_one(row) == expected and len(row) > 4
    for model in (OnlineBoostingClassifier(n_learners=2), OnlineBoostingRegressor(n_learners=2)):
        row = {"x": Grows(), "y": 1.0}
        model.learn_one(row, 1)
        model.predict_one({"x": Grows(), "y": 1.0})


def test_python_code_of_a_cell_may_use_a_regressor():
    model, seen = OnlineBoostingRegressor(n_learners=2), []
    model.learn_one({"x": 1.0}, 1.0)

    class Nosy:
        def __float__(self):
            seen.append(model.predict_one({"x": 1.0}))
            return 1.0

    model.learn_one({"x": Nosy()}, 2.0)
    model.predict_one({"x": Nosy()})
    model.learn_many(pd.DataFrame({"x": np.array([Nosy(), Nosy()], dtype=object)}), [1.0, 2.0])
    model.predict_many(pd.DataFrame({"x": np.array([Nosy()], dtype=object)}))
    assert len(seen) >= 5


@pytest.mark.parametrize("kind", [OnlineBoostingClassifier, OnlineBoostingRegressor])
def test_rows_are_answered_while_another_thread_asks_about_many(kind):
    model = kind(n_learners=5)
    for t in range(40):
        model.learn_one({"x": float(t % 7)}, t % 2)
    many = pd.DataFrame({"x": np.arange(150_000.0) % 7})
    found, errors = [], []
    thread = threading.Thread(target=lambda: found.append(model.predict_many(many)))
    expected = model.predict_one({"x": 3.0})
    thread.start()
    while thread.is_alive():
        try:
            assert model.predict_one({"x": 3.0}) == expected
        except RuntimeError as error:
            errors.append(error)
    thread.join()
    assert not errors and len(found[0]) == len(many)



def test_numbers_that_no_double_holds_are_refused(other, fitted):
    of_frame = quick().fit(other.frame(), *other.columns[1:])
    row = {"x": 10**400, "y": 0.5, "z": 0.5, "kind": "a"}
    for ask in (
        lambda: of_frame.predict_one(row),
        lambda: OnlineBoostingClassifier(n_learners=2).learn_one({"x": 10**400}, 1),
        lambda: OnlineBoostingRegressor(n_learners=2).learn_one({"x": 1.0}, 10**400),
        lambda: quick(epsilon=10**400).fit(*other.columns),
        lambda: oco.L2Ball(10**400),
        lambda: OnlineBoostingRegressor(n_learners=2).learn_many(pd.DataFrame({"x": [1.0]}), [10**400]),
    ):
        with pytest.raises(ValueError, match="too large"):
            ask()
    with pytest.raises(ValueError, match="outside"):
        oco.StepSchedule.tuned(1.0, 1.0, 2**40)
    with pytest.raises(ValueError, match="4611686018427387904 columns"):
        wide = (np.array([0, 1]), np.zeros(1, dtype=np.uint32), np.ones(1), 2**62)
        _core.Contexts.from_arrays(wide, None, fitted.policy_.coding)


def test_rewards_that_are_truth_values_are_numbers_beside_a_frame_too(other):
    paid = other.reward.astype(bool)
    policies = [quick().fit(other.frame(), other.action, reward, other.pscore) for reward in (paid, other.reward)]
    scores = [policy.decision_function(other.frame()) for policy in policies]
    assert (scores[0] == scores[1]).all()
