"""What is refused is refused in the words of whoever typed it; what is doubtful is said."""

import numpy as np
import pandas as pd
import pytest

from conftest import Log

from ocoboost.offpolicy import PolicyBooster, RewardBooster
from ocoboost.online import OnlineBoostingClassifier


def quick(kind=PolicyBooster, **settings):
    return kind(**{"time_budget": None, "n_candidates": 1, "n_estimators": 8, **settings})


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
