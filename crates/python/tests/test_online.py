"""Online boosting."""

import copy
import pickle

import pytest
import river.checks
from river import datasets, evaluate, metrics

from ocoboost.online import OnlineBoostingClassifier

PARAMETERS = list(OnlineBoostingClassifier._unit_test_params())
CHECKS = [(parameters, check) for parameters in PARAMETERS for check in river.checks.yield_checks(OnlineBoostingClassifier(**parameters))]


@pytest.mark.parametrize(("parameters", "check"), CHECKS)
def test_river(parameters, check):
    check(OnlineBoostingClassifier(**parameters))


def test_progressive_validation():
    model = OnlineBoostingClassifier()
    accuracy = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert accuracy.get() > 0.85
    # River counts the first prediction, which is none, as the program does not.
    assert "Of 1,250 examples" in str(model)


def test_a_learner_that_is_saved_goes_on_bit_for_bit(tmp_path):
    rows = list(datasets.Phishing().take(400))
    whole, half = OnlineBoostingClassifier(n_learners=5), OnlineBoostingClassifier(n_learners=5)
    for x, y in rows:
        whole.learn_one(x, y)
    for x, y in rows[:200]:
        half.learn_one(x, y)
    half.save(tmp_path / "stream.ocob")
    others = [pickle.loads(pickle.dumps(half)), copy.deepcopy(half), OnlineBoostingClassifier.load(tmp_path / "stream.ocob")]
    for other in others:
        for x, y in rows[200:]:
            other.learn_one(x, y)
        assert other._learner.to_bytes() == whole._learner.to_bytes()


def test_cells_of_every_kind_are_taken():
    import numpy as np

    model = OnlineBoostingClassifier(n_learners=3)
    row = {"number": 1.5, "whole": 3, "numpy": np.float32(2), "text": "red", "flag": True, "none": None, "nan": float("nan")}
    for t in range(40):
        model.learn_one(row | {"number": t % 2}, t % 2)
    assert model.predict_one(row | {"number": 1}) == 1 and model.predict_one({}) in (0, 1)
    before = model._learner.to_bytes()
    for bad, error in (({"x": float("inf")}, ValueError), ({"x": []}, TypeError)):
        with pytest.raises(error):
            model.learn_one(bad, 1)
    with pytest.raises(ValueError, match="third class"):
        model.learn_one(row, 2)
    assert model._learner.to_bytes() == before


def test_settings_are_refused_where_they_are_made():
    for bad in ({"n_learners": 0}, {"booster": "none"}, {"bits": 40}, {"advantage": -1.0}, {"seed": -1}):
        with pytest.raises(ValueError):
            OnlineBoostingClassifier(**bad)
