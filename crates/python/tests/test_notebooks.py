"""The notebooks of docs/notebooks: their cells run in order, and print what stands under them.

The cells are plain Python, so they run in this process, without a kernel: nbclient brings some twenty packages for
cells that use none of what a kernel adds. The outputs are written anew by

    python crates/python/tests/test_notebooks.py
"""

import ast
import base64
import contextlib
import io
import json
import pathlib

import matplotlib
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402

FOLDER = pathlib.Path(__file__).parents[3] / "docs/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_four():
    names = ["better-than-what-ran", "noisy-labels", "policy-from-a-log", "stream"]
    assert [path.stem for path in NOTEBOOKS] == names


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_stands_under_its_cells(path, monkeypatch):
    monkeypatch.chdir(FOLDER)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in cells}) == len(cells)
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    pictures = 0
    for cell, outputs in zip(code, ran(code), strict=True):
        source = "".join(cell["source"])
        assert told(outputs) == told(cell["outputs"]), source
        pictures += sum(output["output_type"] == "display_data" for output in outputs)
    assert pictures > 0


def told(outputs):
    """The outputs but for the dots of pictures, which depend on the fonts that are there."""
    texts = [output.get("text") or output["data"].get("text/plain") for output in outputs]
    return [output["output_type"] if text is None else "".join(text) for output, text in zip(outputs, texts, strict=True)]


def ran(cells):
    """Runs cells in order in one session, and yields the outputs of each, as a notebook has them."""
    session = {"__name__": "__main__"}
    pyplot.close("all")
    for number, cell in enumerate(cells, 1):
        tree = ast.parse("".join(cell["source"]), f"cell {number}")
        last = tree.body.pop().value if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed, outputs, value = io.StringIO(), [], None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, f"cell {number}", "exec"), session)
            if last is not None:
                value = eval(compile(ast.Expression(last), f"cell {number}", "eval"), session)
        if printed.getvalue():
            outputs.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
        if value is not None:
            data = {"text/plain": lines(repr(value))}
            if hasattr(value, "_repr_html_"):
                data["text/html"] = lines(value._repr_html_())
            result = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
            outputs.append({**result, "data": data})
        for figure in map(pyplot.figure, pyplot.get_fignums()):
            picture = io.BytesIO()
            figure.savefig(picture, format="png", dpi=80, metadata={"Software": None})
            data = {"image/png": base64.b64encode(picture.getvalue()).decode() + "\n"}
            outputs.append({"output_type": "display_data", "metadata": {}, "data": data})
        pyplot.close("all")
        yield outputs


def lines(text):
    return text.splitlines(keepends=True)


def write(path):
    """Writes the outputs of a notebook anew."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, outputs) in enumerate(zip(code, ran(code), strict=True), 1):
        cell["execution_count"], cell["outputs"] = number, outputs
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    import os

    os.chdir(FOLDER)
    for one in NOTEBOOKS:
        write(one)
