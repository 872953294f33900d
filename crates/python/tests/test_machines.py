"""The example of docs/guide/machines.md, with a program that was built with MPI.

`cargo xtask mpi` says where it is, in OCOBOOST_MPI; where nobody does, there is nothing to start.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "guide" / "machines.md"


@pytest.mark.skipif("OCOBOOST_MPI" not in os.environ, reason="no program with MPI was named; cargo xtask mpi does")
def test_the_example_trains_on_two_processes(tmp_path):
    [example] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    again = "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"
    path = os.pathsep.join([str(Path(os.environ["OCOBOOST_MPI"]).parent), os.environ["PATH"]])
    environment = {**os.environ, **dict.fromkeys(again, "1"), "PATH": path}
    ran = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    said = re.findall(r"print\(.*#\s*(.*)", example)
    assert ran.stdout.splitlines()[-1:] == said, ran.stdout + ran.stderr
