"""The examples of docs/guide/python.md, in one session from top to bottom, and that of the README."""

import pathlib
import re

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
    assert session["wrong"] < 0.35 * len(session["bought"])


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
