"""The contexts stay where they are, and nobody writes to them meanwhile."""

import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from ocoboost.boost import AdaBoostClassifier
from ocoboost.offpolicy import PolicyBooster


def is_closed(array):
    try:
        array[0, 0] = array[0, 0]
    except ValueError as error:
        return "read-only" in str(error)
    return False


def watched(seen, *arrays):
    return lambda event: seen.append([is_closed(array) for array in arrays]) and None


def test_an_array_is_closed_as_long_as_it_is_read(log, fast):
    owner = np.zeros((len(log.action), 4))
    view, seen = owner.reshape(-1, 1).reshape(owner.shape)[:], []
    owner[:, :3] = log.context
    PolicyBooster(callbacks=[watched(seen, owner, view)], **fast).fit(view, *log.columns[1:])
    assert seen and all(both == [True, True] for both in seen)
    assert not is_closed(owner) and not is_closed(view)
    seen.clear()
    AdaBoostClassifier(n_estimators=3, callbacks=[watched(seen, owner, view)]).fit(view, log.action)
    assert seen and all(both == [True, True] for both in seen)
    assert not is_closed(owner) and not is_closed(view)


def test_an_array_is_open_again_after_whatever_ends_a_fit(log, fast):
    x = log.context.copy()

    def raises(event):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as kept:
        PolicyBooster(callbacks=[raises], **fast).fit(x, *log.columns[1:])
    # The traceback is kept, and all that it refers to.
    assert kept.tb is not None and not is_closed(x)
    for bad in (np.zeros(3), np.full(len(log.reward), np.inf)):
        with pytest.raises(ValueError):
            PolicyBooster(**fast).fit(x, log.action, bad, log.pscore)
        assert not is_closed(x)
    policy = PolicyBooster(**fast).fit(x, *log.columns[1:])
    policy.predict_proba(x)
    assert not is_closed(x)
    x[0] = np.inf
    with pytest.raises(ValueError):
        policy.predict(x)
    assert not is_closed(x)


def test_an_array_that_was_closed_before_stays_closed(log, fast):
    x = log.context.copy()
    x.flags.writeable = False
    PolicyBooster(**fast).fit(x, *log.columns[1:])
    assert is_closed(x)


def test_an_array_is_open_again_only_after_the_last_of_several_fits(log, fast):
    owner = log.context.copy()
    view, begun, ended, seen = owner[:], threading.Event(), threading.Event(), []

    def waits(event):
        begun.set()
        assert ended.wait(60)
        seen.append(is_closed(owner))

    other = threading.Thread(target=PolicyBooster(callbacks=[waits], **fast).fit, args=(owner, *log.columns[1:]))
    other.start()
    assert begun.wait(60)
    PolicyBooster(**fast).fit(view, *log.columns[1:])
    assert is_closed(owner)
    ended.set()
    other.join()
    assert seen and all(seen) and not is_closed(owner) and not is_closed(view)


def test_memory_that_numpy_does_not_own_is_copied(log, fast):
    x = np.frombuffer(bytearray(log.context.tobytes())).reshape(log.context.shape)
    seen = []
    policy = PolicyBooster(callbacks=[watched(seen, x)], **fast).fit(x, *log.columns[1:])
    assert seen and not any(any(closed) for closed in seen)
    expected = PolicyBooster(**fast).fit(*log.columns).decision_function(log.context)
    assert (policy.decision_function(log.context) == expected).all()


PEAK = textwrap.dedent("""
    import sys
    import numpy as np
    from ocoboost.boost import AdaBoostClassifier
    from ocoboost.offpolicy import PolicyBooster

    def fit(x):
        action = np.arange(len(x)) % 2
        reward = (action == (x[:, 0] > 5)).astype(float)
        if sys.argv[1] == "policy":
            booster = PolicyBooster(time_budget=None, n_candidates=1, n_estimators=3, n_jobs=1)
            booster.fit(x, action, reward, np.full(len(x), 0.5))
        else:
            AdaBoostClassifier(n_estimators=3, n_jobs=1).fit(x, (x[:, 0] > x[:, 1]).astype(int))

    def peak():
        # Of this process alone: what getrusage says is at least the memory of the process that started it.
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

    rng = np.random.default_rng(0)
    fit(rng.integers(12, size=(500, 4)).astype(float))
    # Few values a column: histograms are small beside the contexts.
    x = rng.integers(12, size=(25000, 200), dtype=np.uint8).astype(float, order=sys.argv[2])
    before = peak()
    fit(x)
    print((peak() - before) / x.nbytes)
""")


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is asked of /proc")
@pytest.mark.parametrize("booster", ["policy", "classifier"])
def test_no_second_copy_of_the_contexts_is_held(booster):
    def added(order):
        command = [sys.executable, "-c", PEAK, booster, order]
        return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)

    # Two bytes a number for bins, most of the time of fewer rows than all, and vectors of a number a row.
    in_place, copied = added("C"), added("F")
    assert in_place < 0.8
    # Fortran's order is copied into rows: the measurement sees a copy.
    assert copied > in_place + 0.8


def test_estimators_work_in_processes_of_joblib(log, fast):
    from joblib import Parallel, delayed
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import cross_val_score

    X, y = load_breast_cancer(return_X_y=True)
    booster = AdaBoostClassifier(n_estimators=10, n_jobs=1)
    assert (cross_val_score(booster, X, y, cv=3, n_jobs=2) == cross_val_score(booster, X, y, cv=3)).all()
    # joblib maps large arrays into the processes, read-only.
    policies = Parallel(n_jobs=2, max_nbytes=1)(
        delayed(PolicyBooster(n_jobs=1, random_state=seed, **fast).fit)(*log.columns) for seed in (0, 1)
    )
    for seed, policy in enumerate(policies):
        expected = PolicyBooster(n_jobs=1, random_state=seed, **fast).fit(*log.columns).decision_function(log.context)
        assert (policy.decision_function(log.context) == expected).all()
    threads = Parallel(n_jobs=2, backend="threading")(
        delayed(policy.decision_function)(log.context) for policy in policies
    )
    assert (threads[1] == policies[1].decision_function(log.context)).all()
    assert not is_closed(log.context)
