"""The examples of docs/guide/python.md, in one session from top to bottom, and those of the READMEs."""

import pathlib
import re

import numpy as np
import pandas as pd
import pytest

from ocoboost.offpolicy import PolicyBooster
from ocoboost.online import OnlineBoostingClassifier

ROOT = pathlib.Path(__file__).parents[3]
GUIDE = ROOT / "docs/guide/python.md"


def blocks_of(page):
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_every_example_of_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of(GUIDE)
    assert len(blocks) >= 6
    session = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), session)
    # The stream is learnt: the commonest class alone would be wrong in almost half of the rows.
    assert session["mistakes"].mean() < 0.2 < 0.4 < session["commonest"]


def test_the_example_of_the_readme_runs_with_few_rounds(monkeypatch):
    monkeypatch.chdir(ROOT)
    (block,) = blocks_of(ROOT / "README.md")
    session = {}
    assert "PolicyBooster()" in block
    # No clock decides what is learnt.
    few = "PolicyBooster(time_budget=None, n_candidates=1, n_estimators=60)"
    exec(compile(block.replace("PolicyBooster()", few), "README.md", "exec"), session)
    found = session["evaluate"](session["policy"], session["later"], action="action", reward="reward", pscore="propensity")
    assert found.verdict == "better"


def test_the_example_of_the_package_runs_with_few_rounds():
    (block,) = blocks_of(ROOT / "crates/python/README.md")
    rng = np.random.default_rng(0)
    context = pd.DataFrame({"age": rng.uniform(18, 80, 400)})
    action = rng.integers(1, 3, 400)
    reward = ((action == 1) == (context["age"] < 40)).astype(float)
    session = {"context": context, "action": action, "reward": reward, "pscore": np.full(400, 0.5)}
    assert "time_budget=60" in block
    few = "time_budget=None, n_candidates=1, n_estimators=8"
    exec(compile(block.replace("time_budget=60", few), "README.md", "exec"), session)
    assert (session["actions"][context["age"] < 30] == 1).mean() > 0.8


def test_what_the_guide_says_of_playing(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.uniform(18, 80, 400), "device": rng.choice(["phone", "desktop"], 400)})
    action = rng.integers(1, 3, 400)
    reward = ((action == 1) == (frame["age"] < 40)).astype(float)
    policy = PolicyBooster(time_budget=None, n_candidates=1, n_estimators=8)
    policy.fit(frame, action, reward, np.full(400, 0.5)).save(tmp_path / "numbers.ocob")
    assert policy.predict(frame[:1]).tolist() in ([1], [2])
    assert PolicyBooster.load(tmp_path / "numbers.ocob").predict(frame[:1]).tolist() in (["1"], ["2"])
    with pytest.raises(ValueError, match='"age": the value is missing'):
        policy.predict(pd.DataFrame({"age": [np.nan], "device": ["phone"]}))
    with pytest.warns(UserWarning, match='1 values of column "device" are not known to the model'):
        policy.predict(pd.DataFrame({"age": [20.0, 30.0], "device": ["phone", None]}))
    over = PolicyBooster(time_budget=None, n_candidates=1, n_estimators=8)
    over.fit(frame, action - 1, reward, np.full(400, 0.5), action_context=np.array([[0.0], [1.0]]))
    with pytest.raises(ValueError, match="trained without action_context"):
        over.predict_one({"age": 20.0, "device": "phone"})


def test_what_the_guide_says_of_the_shares_of_a_stream():
    model = OnlineBoostingClassifier(n_learners=3)
    assert model.predict_one({"x": 1}) is None and model.predict_proba_one({"x": 1}) == {False: 0.5, True: 0.5}
    model.learn_one({"x": 1}, "a")
    assert model.predict_proba_one({"x": 1}) == {"a": 1.0}
    for t in range(20):
        model.learn_one({"x": t % 2}, "ab"[t % 2])
    for x in ({"x": 0}, {"x": 1}):
        assert sorted(model.predict_proba_one(x).values()) == [0.0, 1.0]
