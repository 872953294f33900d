"""Size and load time of a model file of ocoboost beside XGBoost's UBJ and JSON of the same trees.

    cargo build --release -p ocoboost-cli && cargo build --release -p benches --example model_loading
    python benches/peers/model_files.py target/release/ocoboost target/release/examples/model_loading MODEL ...

The trees are those of MODEL, written by `ocoboost export --as xgboost` and loaded by XGBoost, which saves them as UBJ.
XGBoost's nodes have statistics that ours have not; ours has the record of the training, the schema and the judgement. Times are medians of 25 loads in one process, from the file to a model that can be asked.
"""

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import xgboost

from contenders import OURS, parser, show


def load(path):
    begun = time.perf_counter()
    xgboost.Booster(model_file=str(path))
    return (time.perf_counter() - begun) * 1e3


def measure(arguments):
    for model in arguments.models:
        with tempfile.TemporaryDirectory() as folder:
            as_json, as_ubj = Path(folder) / "booster.json", Path(folder) / "booster.ubj"
            subprocess.run([arguments.program, "export", model, as_json, "--as", "xgboost", "--quiet"], check=True)
            xgboost.Booster(model_file=str(as_json)).save_model(str(as_ubj))
            said = subprocess.run([arguments.loading, model], check=True, capture_output=True, text=True).stdout.split()
            trees, leaves, ours = int(said[0]), int(said[1]), float(said[2])
            rows = [(OURS, Path(model), ours)]
            rows += [(name, path, statistics.median(load(path) for _ in range(25)))
                     for name, path in (("XGBoost's UBJ", as_ubj), ("XGBoost's JSON", as_json))]
            for name, path, milliseconds in rows:
                yield {"case": f"loading a model of {trees} trees, {leaves:,} leaves ({Path(model).stem})",
                       "contender": name, "threads": 1, "unit": "ms", "value": milliseconds,
                       "quality": f"a file of {path.stat().st_size / 1e3:,.0f} KB"}


if __name__ == "__main__":
    found = parser(__doc__, "program", "loading")
    found.add_argument("models", nargs="+")
    arguments = found.parse_args()
    show(measure(arguments), arguments)
