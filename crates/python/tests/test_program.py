"""The program that comes with the package: it is the one that cargo builds."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig

import pandas
import pytest

import ocoboost
from ocoboost.offpolicy import PolicyBooster, evaluate

OFFERS = pathlib.Path(__file__).parents[3] / "examples/offers.csv"
COMMAND = shutil.which("ocoboost", path=sysconfig.get_path("scripts"))
#: The command of the package, and the module.
OURS = {"command": [COMMAND], "module": [sys.executable, "-m", "ocoboost"]}
#: Few rounds, so that no budget cuts anything off.
SHORT = ["--budget", "10m", "--candidates", "1", "--rounds", "30", "--seed", "1", "--quiet"]
FEW = pandas.DataFrame({"age": [25, 60], "income": [50.0, 80.0], "device": ["phone", "tablet"]})
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("OCOBOOST_")}

posix = pytest.mark.skipif(os.name == "nt", reason="signals and file names of POSIX")


@pytest.fixture(params=OURS)
def ours(request):
    return OURS[request.param]


@pytest.fixture
def cargos():
    """The program that cargo builds; `cargo xtask python` says where it is."""
    if "CARGO_BIN_EXE_ocoboost" not in os.environ:
        pytest.skip("CARGO_BIN_EXE_ocoboost does not name the program that cargo has built")
    return [os.environ["CARGO_BIN_EXE_ocoboost"]]


def run(program, *arguments, **settings):
    """Exit code, standard output, standard error."""
    found = subprocess.run([*program, *arguments], capture_output=True, env=ENVIRONMENT, timeout=120, **settings)
    return found.returncode, found.stdout.decode(), found.stderr.decode()


def test_it_says_its_version_and_its_name(ours):
    assert run(ours, "--version") == (0, f"ocoboost {ocoboost.__version__}\n", "")
    code, out, error = run(ours, "train", "--help")
    assert (code, error) == (0, "") and "Usage: ocoboost train" in out


def test_a_model_of_the_program_is_that_of_the_estimator(ours, tmp_path):
    path = tmp_path / "policy.ocob"
    code, out, error = run(ours, "train", OFFERS, "-o", path, *SHORT)
    assert (code, error) == (0, "") and "certainty it earns at least" in out
    log = pandas.read_csv(OFFERS)
    named = {"action": "action", "reward": "reward", "pscore": "propensity"}
    policy = PolicyBooster(time_budget=600, n_candidates=1, n_estimators=30, random_state=1).fit(log, **named)
    loaded = PolicyBooster.load(path)
    assert out.strip() == str(loaded.judgement_) == str(policy.judgement_)
    assert loaded.judgement_.details == policy.judgement_.details
    assert without_places(loaded) == without_places(policy)
    contexts = log[["age", "income", "device"]]
    assert (loaded.decision_function(contexts) == policy.decision_function(contexts)).all()
    assert (loaded.predict(contexts) == policy.predict(contexts)).all()


def test_a_file_is_learnt_from_as_the_program_does(ours, tmp_path):
    columns = ["--action", "action", "--reward", "reward", "--propensity", "propensity"]
    assert run(ours, "train", OFFERS, "-o", tmp_path / "shell.ocob", *columns, *SHORT)[0] == 0
    settings = {"time_budget": 600, "n_candidates": 1, "n_estimators": 30, "random_state": 1}
    named = {"action": "action", "reward": "reward", "pscore": "propensity"}
    policy = PolicyBooster(**settings).fit(OFFERS, **named)
    policy.save(tmp_path / "python.ocob")
    assert (tmp_path / "python.ocob").read_bytes() == (tmp_path / "shell.ocob").read_bytes()
    assert list(policy.feature_names_in_) == ["age", "income", "device"] and policy.record_["provenance"]["sources"]
    frame = PolicyBooster(**settings).fit(pandas.read_csv(OFFERS), **named)
    assert policy.policy_.export("json") != frame.policy_.export("json"), "a frame is no file"
    assert (policy.decision_function(FEW) == frame.decision_function(FEW)).all()
    # The columns of a file are read as they are asked for.
    policy.set_params(classes=["music", "news", "tools", "travel"]).fit(str(OFFERS), **named, ignore=["income"], time="age")
    assert list(policy.feature_names_in_) == ["device"] and policy.classes_.tolist()[1] == "news"


def test_what_is_no_file_or_no_column_of_it_is_refused(tmp_path):
    policy = PolicyBooster(n_candidates=1, n_estimators=2)
    with pytest.raises(FileNotFoundError):
        policy.fit(tmp_path / "none.csv", "action", "reward", "propensity")
    with pytest.raises(TypeError, match="reward is no name of a column, and context is a file"):
        policy.fit(OFFERS, "action", [1.0], "propensity")
    with pytest.raises(ValueError, match="paid"):
        policy.fit(OFFERS, "action", "paid", "propensity")
    assert not hasattr(policy, "policy_")


def test_a_model_of_the_program_is_that_of_cargos(ours, cargos, tmp_path):
    models, said = [], []
    for program in (ours, cargos):
        code, *rest = run(program, "train", OFFERS, "-o", tmp_path / "policy.ocob", *SHORT)
        said.append((code, *rest))
        models.append(json.loads(PolicyBooster.load(tmp_path / "policy.ocob").policy_.export("json")))
    assert said[0] == said[1]
    assert models[0] == models[1]


def without_places(policy):
    """What is known of a training, but for the files."""
    record = {key: value for key, value in policy.record_.items() if key != "provenance"}
    return record, {key: value for key, value in policy.record_["provenance"].items() if key != "sources"}


def test_the_program_judges_and_plays_a_model_of_python(ours, tmp_path):
    log = pandas.read_csv(OFFERS)
    log[:4000].to_csv(tmp_path / "log.csv", index=False)
    log[4000:].to_csv(tmp_path / "later.csv", index=False)
    named = {"action": "action", "reward": "reward", "pscore": "propensity"}
    policy = PolicyBooster(n_candidates=1, n_estimators=30).fit(log[:4000], **named)
    policy.save(tmp_path / "policy.ocob")
    files = (tmp_path / "policy.ocob", tmp_path / "later.csv")
    code, out, _ = run(ours, "evaluate", *files, "--format", "json", "--reward-range", "0,1", "--quiet")
    found = evaluate(policy, log[4000:], **named, reward_range=(0, 1))
    answer = json.loads(out)
    assert code == 0 and found.is_better and answer["certificate"]["verdict"] == found.details["verdict"]
    keys = ("value", "lower", "upper")
    stated = [tuple(one[key] for key in keys) for one in answer["estimates"]]
    assert len(stated) == 6 and stated == [tuple(one[key] for key in keys) for one in found.details["estimates"]]
    # What it was fitted to says nothing of it, whoever reads the file.
    own = ("evaluate", tmp_path / "policy.ocob", tmp_path / "log.csv", "--quiet")
    code, out, error = run(ours, *own)
    assert code == 3 and "it cannot answer for the policy: the policy was trained on these rows" in out
    code, out, _ = run(ours, "predict", *files, "--quiet")
    actions = [line.split(",")[0] for line in out.splitlines()[1:]]
    assert code == 0 and actions == policy.predict(log[4000:][["age", "income", "device"]]).tolist()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["train"], 2, "required arguments were not provided"),
        (["no-such-command"], 2, "unrecognized subcommand"),
        (["train", "log.csv", "-o", "m.ocob", "--budget", "soon"], 2, "--budget soon"),
        (["train", "none.csv", "-o", "m.ocob"], 66, "none.csv"),
        (["train", "bad.csv", "-o", "m.ocob"], 65, 'bad.csv, line 3, column "propensity"'),
        (["evaluate", "logged", str(OFFERS)], 3, ""),
        (["convert", str(OFFERS), "no folder/log.csv"], 73, "no folder"),
    ],
)
def test_exit_codes_and_words_are_those_of_the_program(ours, arguments, code, words, tmp_path, request):
    (tmp_path / "bad.csv").write_text("age,action,propensity,reward\n1,a,0.5,1\n2,b,1.5,0\n", encoding="utf-8")
    found = run(ours, *arguments, cwd=tmp_path)
    assert found[0] == code and words in found[2], found
    assert "Traceback" not in found[2] and (code == 3) == bool(found[1])
    if "CARGO_BIN_EXE_ocoboost" in os.environ:
        assert found == run(request.getfixturevalue("cargos"), *arguments, cwd=tmp_path)


@posix
def test_a_file_name_need_not_be_unicode(ours, tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9.csv"
    try:
        shutil.copy(OFFERS, name)
    except OSError:
        pytest.skip("the file system has Unicode names alone")
    code, out, error = run([os.fsencode(word) for word in ours], b"convert", name, b"-")
    assert (code, error) == (0, "") and len(out.splitlines()) == 6001


@posix
def test_a_reader_that_has_read_enough_is_no_error(ours):
    child = subprocess.Popen(
        [*ours, "convert", OFFERS, "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    )
    assert child.stdout.readline().startswith(b"age,")
    child.stdout.close()
    assert child.stderr.read() == b"" and child.wait(timeout=60) == 0
    child.stderr.close()


@posix
def test_ctrl_c_ends_a_reading_with_the_code_of_the_program(ours, tmp_path):
    """`train` listens: what it reads is left, in one line, and there is no model."""
    arguments = ["train", "-", "-o", tmp_path / "m.ocob", "--input-format", "csv"]
    code, error = interrupted(ours, arguments)
    assert code == 130 and error.startswith("ocoboost: stopped after ") and len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@posix
def test_ctrl_c_ends_what_does_not_listen_as_the_system_does(ours):
    code, error = interrupted(ours, ["evaluate", "uniform", "-", "--input-format", "csv"])
    assert (code, error) == (-signal.SIGINT, "")


def interrupted(program, arguments):
    """Interrupts a program while it reads rows; its exit code and what it says."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    child = subprocess.Popen([*program, *arguments], env=ENVIRONMENT, **pipes)
    rows = b"1,a,0.5,1\n2,b,0.5,0\n" * 20_000
    # More than a pipe holds: once it is written the program reads.
    child.stdin.write(b"x,action,propensity,reward\n" + rows)
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    with pytest.raises(BrokenPipeError):
        for _ in range(1000):
            child.stdin.write(rows)
    try:
        child.stdin.close()
    except BrokenPipeError:
        pass
    child.stdin = None
    _, error = child.communicate(timeout=60)
    return child.returncode, error.decode()


def test_a_start_waits_for_no_other_package():
    """Neither numpy nor scikit-learn is imported for the program."""
    program = (
        "import runpy, sys; sys.argv = ['ocoboost', '--version']\n"
        "try:\n    runpy.run_module('ocoboost', run_name='__main__')\n"
        "except SystemExit as end:\n    assert end.code == 0\n"
        "print(sorted({'numpy', 'sklearn', 'pandas'} & set(sys.modules)))\n"
    )
    code, out, error = run([sys.executable, "-c", program])
    assert (code, error) == (0, "") and out.splitlines()[-1] == "[]"
