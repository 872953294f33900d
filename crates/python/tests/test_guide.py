"""The examples of docs/guide/python.md, in one session from top to bottom."""

import pathlib
import re

GUIDE = pathlib.Path(__file__).parents[3] / "docs/guide/python.md"


def test_every_example_of_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    session = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), session)
    assert session["wrong"] < 0.35 * len(session["bought"])
