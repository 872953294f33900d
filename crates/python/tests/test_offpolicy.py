"""Policies from logs."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from conftest import Log

from ocoboost.offpolicy import PolicyBooster, RewardBooster, compare, evaluate, from_bandit_feedback


def test_a_policy_is_learnt_and_judged(log, fast):
    policy = PolicyBooster(**fast).fit(*log.columns)
    assert (policy.predict(log.context) == (log.context[:, 0] > 0.5)).mean() > 0.95
    assert policy.judgement_.is_better and policy.judgement_.at_least > 0
    assert policy.judgement_.estimates["dr"]["value"] == pytest.approx(1.0, abs=0.1)
    assert policy.record_["provenance"]["rows"] == len(log.action)
    assert policy.n_features_in_ == 3 and policy.classes_.tolist() == [0, 1]
    assert "more" in policy.judgement_._repr_html_()


def test_every_container_of_the_same_rows_gives_the_same_scores(log, fast):
    import scipy.sparse

    def scores(context):
        return PolicyBooster(**fast).fit(context, *log.columns[1:]).decision_function(context)

    expected = scores(log.context)
    assert (scores(np.asfortranarray(log.context)) == expected).all()
    assert (scores(scipy.sparse.csr_array(log.context)) == expected).all()
    assert (scores(scipy.sparse.coo_matrix(log.context)) == expected).all()
    single = log.context.astype(np.float32)
    assert (scores(single) == scores(single.astype(np.float64))).all()
    assert (scores(log.context.tolist()) == expected).all()


def test_every_data_frame_of_the_same_rows_gives_the_same_scores(log, fast):
    import duckdb
    import polars
    import pyarrow

    frame = log.frame()
    table = pyarrow.Table.from_pandas(frame)
    relation = duckdb.from_arrow(table)
    found = []
    for context in (frame, frame.set_index(np.arange(len(frame))[::-1]), polars.from_pandas(frame), table, relation):
        policy = PolicyBooster(**fast).fit(context, *log.columns[1:])
        assert policy.feature_names_in_.tolist() == ["x", "y", "z", "kind"]
        found.append(policy.decision_function(context))
    assert all((scores == found[0]).all() for scores in found)
    categorical = frame.assign(kind=frame["kind"].astype("category"))
    assert (PolicyBooster(**fast).fit(categorical, *log.columns[1:]).decision_function(frame) == found[0]).all()


def test_columns_of_a_frame_are_named(log, fast):
    frame = log.frame().assign(shown=np.where(log.action, "yes", "no"), paid=log.reward, p=log.pscore)
    policy = PolicyBooster(**fast).fit(frame, "shown", "paid", "p")
    assert policy.classes_.tolist() == ["no", "yes"]
    beside = PolicyBooster(**fast).fit(log.frame(), frame["shown"], log.reward, log.pscore)
    assert (policy.decision_function(log.frame()) == beside.decision_function(log.frame())).all()
    with pytest.raises(ValueError, match="has a column 'reward'"):
        PolicyBooster(**fast).fit(log.frame().assign(reward=1.0), *log.columns[1:])
    with pytest.raises(TypeError, match="no data frame"):
        PolicyBooster(**fast).fit(log.context, "shown", log.reward, log.pscore)


def test_results_do_not_depend_on_the_number_of_threads(log, fast):
    scores = [
        PolicyBooster(n_jobs=n_jobs, **fast).fit(*log.columns).decision_function(log.context) for n_jobs in (1, 2, -1)
    ]
    assert (scores[0] == scores[1]).all() and (scores[0] == scores[2]).all()


def test_copies_and_files_give_the_same_policy(log, fast, tmp_path):
    policy = PolicyBooster(**fast).fit(*log.columns)
    expected = policy.decision_function(log.context)
    path = tmp_path / "policy.ocob"
    policy.save(path)
    for other in (pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy), PolicyBooster.load(path)):
        assert (other.decision_function(log.context) == expected).all()
    assert PolicyBooster.load(path).predict(log.context[:3]).tolist() == [str(a) for a in policy.predict(log.context[:3])]
    assert not hasattr(clone(policy), "policy_") and clone(policy).n_estimators == 60
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError):
        PolicyBooster.load(path)
    with pytest.raises(OSError):
        PolicyBooster.load(tmp_path / "none")


def test_actions_are_played_by_their_probabilities(log, fast):
    policy = PolicyBooster(epsilon=0.2, **fast).fit(*log.columns)
    pi = policy.predict_proba(log.context)
    assert pi.shape == (len(log.action), 2) and np.allclose(pi.sum(axis=1), 1)
    assert set(np.round(np.unique(pi), 12)) == {0.1, 0.9}
    assert policy.predict_proba(log.context, obp=True).shape == (len(log.action), 2, 1)
    action, pscore = policy.sample(log.context, random_state=3)
    again, _ = policy.sample(log.context, random_state=3)
    assert (action == again).all() and (pscore == pi[np.arange(len(action)), action]).all()
    assert (pscore == 0.1).mean() == pytest.approx(0.1, abs=0.04)
    soft = policy.predict_proba(log.context, exploration="softmax", parameter=2.0)
    scores = 2.0 * policy.decision_function(log.context)
    expected = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert np.allclose(soft, expected / expected.sum(axis=1, keepdims=True))


def test_only_actions_on_offer_are_played(log, fast):
    available = np.ones((len(log.action), 2), dtype=bool)
    policy = PolicyBooster(**fast).fit(*log.columns, available=available)
    available[:, 1] = False
    assert (policy.predict(log.context, available) == 0).all()
    assert (policy.predict_proba(log.context, available)[:, 1] == 0).all()
    with pytest.raises(ValueError, match="not on offer|on offer"):
        PolicyBooster(**fast).fit(*log.columns, available=available)


def test_missing_values_are_learnt_from(log, fast):
    context = log.context.copy()
    context[::3, 0] = np.nan
    policy = PolicyBooster(**fast).fit(context, *log.columns[1:])
    known = ~np.isnan(context[:, 0])
    assert (policy.predict(context)[known] == (context[known, 0] > 0.5)).mean() > 0.9
    with pytest.raises(ValueError, match='"x1" holds NaN'):
        policy.predict(np.full((1, 3), np.nan))


def test_estimates_are_those_of_the_formulas(log):
    pi = np.random.default_rng(1).dirichlet([1, 1], size=len(log.action))
    found = evaluate(pi, *log.columns, reward_model=False).estimates
    weight = pi[np.arange(len(log.action)), log.action] / log.pscore
    assert found["ips"]["value"] == pytest.approx(np.mean(weight * log.reward), rel=1e-12)
    assert found["snips"]["value"] == pytest.approx(np.sum(weight * log.reward) / np.sum(weight), rel=1e-12)
    clipped = np.minimum(weight, 20.0)
    assert found["clipped_ips"]["value"] == pytest.approx(np.mean(clipped * log.reward), rel=1e-12)
    assert found["logged"]["value"] == pytest.approx(log.reward.mean(), rel=1e-12)


def test_a_table_of_probabilities_is_judged_as_the_policy_that_it_is_of(log, fast):
    policy = PolicyBooster(**fast).fit(*log.columns)
    greedy = policy.predict_proba(log.context, parameter=0.0)
    keys = ("ips", "snips", "clipped_ips")
    found = [evaluate(one, *log.columns).estimates for one in (policy, greedy)]
    assert all(found[0][key] == found[1][key] for key in keys)
    assert evaluate("logged", *log.columns).value == pytest.approx(log.reward.mean())
    assert evaluate("uniform", *log.columns).value == pytest.approx(0.5, abs=0.1)
    for table, message in ((pi_of(0.7), "sum to 1.4"), (np.ones((3, 2)) / 2, "shape")):
        with pytest.raises(ValueError, match=message):
            evaluate(table, *log.columns)


def pi_of(p, n=1200):
    return np.full((n, 2), p)


def test_policies_are_compared(log, fast):
    better = PolicyBooster(**fast).fit(*log.columns)
    other = RewardBooster(**fast).fit(log.context, log.action, 1 - log.reward, log.pscore)
    found = compare({"better": better, "other": other}, *Log(seed=5).columns)
    assert "better" in found.sentence and len(found.differences) == 3
    assert found.differences[0]["lower"] > 0.5


def test_dictionaries_of_open_bandit_pipeline_are_taken(log, fast):
    feedback = {"n_actions": 2, "position": None, "context": log.context, "action": log.action}
    feedback |= {"reward": log.reward, "pscore": log.pscore}
    policy = PolicyBooster(**fast).fit(**from_bandit_feedback(feedback))
    plain = PolicyBooster(**fast).fit(*log.columns)
    assert (policy.decision_function(log.context) == plain.decision_function(log.context)).all()
    with pytest.raises(ValueError, match="positions"):
        from_bandit_feedback(feedback | {"position": log.action})


def test_what_is_refused_leaves_the_estimator_as_it_was(log, fast):
    policy = PolicyBooster(**fast).fit(*log.columns)
    expected, state = policy.decision_function(log.context), dict(vars(policy))
    x, a, r, p = log.columns
    refused = [
        ((x, a, r, 2 * np.ones_like(p)), "propensity"),
        ((x, a, r, -p), "propensity"),
        ((x, a[:-1], r, p), "entries"),
        ((x, a, r[:-1], p), "entries"),
        ((x, a, r, p[:-1]), "entries"),
        ((x[:, 0], a, r, p), "shape"),
        ((x, a + 0.5, r, p), "fractions"),
        ((x, a, np.full_like(r, np.inf), p), "inf"),
        ((np.full_like(x, np.inf), a, r, p), "inf"),
        ((np.full_like(x, 1e200), a, r, p), "1e200|large"),
        ((np.full(x.shape, "red"), a, r, p), "data frame"),
        ((x[:4], a[:4], r[:4], p[:4]), "rows"),
        ((x, ["a"] * len(a), r, p), "action"),
    ]
    for arguments, message in refused:
        with pytest.raises((ValueError, TypeError), match=message):
            policy.fit(*arguments)
    settings = [{"learning_rate": 7.0}, {"max_depth": -1}, {"time_budget": -1.0}, {"confidence": 2.0}, {"n_jobs": 0}]
    settings += [{"objective": "none"}, {"random_state": -1}, {"holdout_fraction": 0.99}, {"time_budget": float("nan")}]
    for bad in settings:
        with pytest.raises((ValueError, TypeError)):
            PolicyBooster(**{**fast, **bad}).fit(*log.columns)
    with pytest.raises(ValueError, match="columns"):
        policy.predict(x[:, :2])
    assert vars(policy) == state and (policy.decision_function(x) == expected).all()
    with pytest.raises(NotFittedError):
        PolicyBooster().predict(x)


def test_callbacks_see_the_rounds_and_end_them(log, fast):
    seen = []
    PolicyBooster(callbacks=[lambda event: seen.append(event["stage"])], **fast).fit(*log.columns)
    assert {"search", "tried", "training", "judging"} <= set(seen)
    ended = PolicyBooster(callbacks=[lambda event: True], **fast).fit(*log.columns)
    assert ended.record_["cuts"]["search"]

    def raises(event):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        PolicyBooster(callbacks=[raises], **fast).fit(*log.columns)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_a_training():
    program = textwrap.dedent("""
        import numpy as np
        from ocoboost.offpolicy import PolicyBooster
        rng = np.random.default_rng(0)
        x, a = rng.uniform(size=(20000, 20)), rng.integers(5, size=20000)
        def tell(event):
            print(event["stage"], flush=True)
        booster = PolicyBooster(time_budget=600, callbacks=[tell])
        try:
            booster.fit(x, a, rng.uniform(size=20000), np.full(20000, 0.2))
        except KeyboardInterrupt:
            print("interrupted", hasattr(booster, "policy_"))
    """)
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    child.stdout.readline()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out.splitlines()[-1] == "interrupted False"


def test_propensities_are_estimated_where_there_are_none(log, fast):
    policy = PolicyBooster(**fast).fit(log.context, log.action, log.reward)
    assert policy.record_["provenance"]["propensities"] == "estimated"
    assert "estimated" in policy.judgement_.sentence


def test_rows_are_split_by_time_and_by_groups(log, fast):
    groups = np.repeat(np.arange(len(log.action) // 4), 4)
    by_group = PolicyBooster(**fast).fit(*log.columns, groups=groups)
    assert by_group.record_["split"] == "by groups"
    by_time = PolicyBooster(**fast).fit(*log.columns, time=np.arange(len(log.action)))
    assert by_time.record_["split"] == "by time"
    frame = log.frame().assign(user=groups)
    named = PolicyBooster(**fast).fit(frame, *log.columns[1:], groups="user")
    assert named.record_["split"] == "by groups" and "user" not in named.feature_names_in_
    with pytest.raises(ValueError, match="one is enough"):
        PolicyBooster(**fast).fit(*log.columns, groups=groups, time=groups)


def test_unknown_labels_are_said(log, fast):
    policy = PolicyBooster(**fast).fit(log.frame(), *log.columns[1:])
    with pytest.warns(UserWarning, match="not known to the model"):
        policy.predict(log.frame().assign(kind="c"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        policy.predict(log.frame())


def test_the_log_of_the_training_shows_nothing(log, fast):
    policy = PolicyBooster(**fast).fit(*log.columns)
    assert evaluate(policy, *log.columns).verdict == "cannot_answer"
    with pytest.raises(ValueError, match="was trained on this log"):
        compare({"own": policy}, *log.columns)
    assert evaluate(policy, *Log(seed=5).columns).is_better


def test_a_model_of_a_file_is_judged_on_arrays(log, fast, tmp_path):
    policy, other = PolicyBooster(**fast).fit(*log.columns), Log(seed=5)
    policy.save(tmp_path / "policy.ocob")
    loaded = PolicyBooster.load(tmp_path / "policy.ocob")
    assert evaluate(loaded, *other.columns).estimates == evaluate(policy, *other.columns).estimates


def test_pandas_without_pyarrow(log, fast, monkeypatch):
    policy = PolicyBooster(**fast).fit(log.frame(), *log.columns[1:])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    without = PolicyBooster(**fast).fit(log.frame(), *log.columns[1:])
    assert (without.decision_function(log.frame()) == policy.decision_function(log.frame())).all()


def test_classes_of_a_data_frame_may_have_actions_that_were_never_taken(log, fast):
    frame, (x, a, r, p) = log.frame(), log.columns
    # In the order of arrays, so that the trees are the same.
    plain = PolicyBooster(classes=[0, 1, 2], **fast).fit(x, a, r, p)
    policy = PolicyBooster(classes=[0, 1, 2], **fast).fit(frame[["x", "y", "z"]], a, r, p)
    assert policy.classes_.tolist() == [0, 1, 2]
    assert (policy.decision_function(frame[["x", "y", "z"]]) == plain.decision_function(x)).all()
    names = np.array(["no", "yes"])[a]
    other = PolicyBooster(classes=["yes", "never", "no"], **fast).fit(frame, names, r, p)
    known = PolicyBooster(**fast).fit(frame, names, r, p)
    assert other.classes_.tolist() == ["yes", "never", "no"]
    assert other.decision_function(frame).shape == (1200, 3) and known.decision_function(frame).shape == (1200, 2)
    assert (other.predict(frame) == known.predict(frame)).mean() > 0.95
    # On offer by name, and by the columns of an array in the order of the classes.
    available = np.ones((1200, 3), dtype=bool)
    available[:, 1] = False
    lists = frame.assign(offered=["yes|no"] * 1200)
    by_array = PolicyBooster(classes=["yes", "never", "no"], **fast).fit(frame, names, r, p, available)
    by_name = PolicyBooster(classes=["yes", "never", "no"], **fast).fit(lists, names, r, p, "offered")
    assert (by_array.decision_function(frame) == by_name.decision_function(frame)).all()
    assert set(by_array.predict(frame, available)) == {"yes", "no"}
    with pytest.warns(UserWarning, match="no propensities"):
        without = PolicyBooster(classes=["yes", "never", "no"], **fast).fit(frame, names, r)
    assert "estimated" in without.judgement_.sentence
    for classes, message in [(["yes"], "not one of the classes"), (["yes", "no", "yes"], "twice|yes")]:
        with pytest.raises(ValueError, match=message):
            PolicyBooster(classes=classes, **fast).fit(frame, names, r, p)


def test_the_certificate_says_what_each_part_costs(log, fast):
    policy = PolicyBooster(**fast).fit(*log.columns)
    apart, given = policy.judgement_, evaluate(policy, *Log(seed=5).columns, reward_range=(0, 1))
    for found in (apart, given):
        certificate = found.certificate
        assert [bound.method for bound in certificate.bounds] == ["logarithmic_smoothing", "empirical_bernstein"]
        assert certificate.bounds[0].lower == found.at_least and certificate.rows == found.details["rows"]
        for bound in certificate.bounds:
            assert bound.confidence == 0.95 and bound.rows_needed > 0
            assert bound.estimate - sum(bound.costs.values()) == pytest.approx(bound.lower, abs=1e-9)
            assert bound.estimate == pytest.approx(found.estimates["ips"]["value"] - found.estimates["logged"]["value"])
            assert all(cost >= -1e-12 for cost in bound.costs.values()) and bound.costs["propensities"] == 0
        frame = certificate.to_frame()
        assert frame.columns.tolist() == ["logarithmic_smoothing", "empirical_bernstein"]
        assert frame.loc["lower"].tolist() == [bound.lower for bound in certificate.bounds]
        costs = ["weights", "spread", "confidence", "tried", "propensities"]
        assert frame.index.tolist() == ["estimate", *costs, "lower", "rows_needed"]
        for bound in certificate.bounds:
            assert frame.loc[costs, bound.method].tolist() == [-bound.costs[cost] for cost in costs]
        assert "at least" in str(certificate) and "confidence" in repr(found)
        assert "rows needed" in found._repr_html_() and found._repr_html_().count("<table>") == 2
    # Settings that were chosen on other rows cost nothing; on the judged ones they do.
    assert apart.certificate.bounds[0].costs["tried"] == 0 < given.certificate.bounds[0].costs["tried"]
    assert given.certificate.is_exact and given.certificate.reward_range == (0, 1)
    # With fewer rows the same policy is not shown to be better, and the rows that are needed are about right.
    few = [column[:40] for column in Log(seed=5).columns]
    found = evaluate("uniform", *few, reward_range=(0, 1)).certificate
    assert found.bounds[0].lower < 0
    wide = evaluate(policy, *few, reward_range=(-20, 20)).certificate.bounds[0]
    assert wide.lower < 0 and wide.rows_needed > 40
    unknown = evaluate(policy, *Log(seed=5).columns[:3]).certificate
    assert not unknown.is_exact and "estimated_propensities" in unknown.caveats and "approximate" in str(unknown)
    assert any(bound.costs["propensities"] > 0 for bound in unknown.bounds)
    same = evaluate("logged", log.context, log.action, np.ones(1200), log.pscore).certificate
    assert same.bounds == () and "no bound" in str(same) and "no bound" in same._repr_html_()
    old = {**apart.details, "bounds": [{k: v for k, v in bound.items() if k != "terms"} for bound in apart.details["bounds"]]}
    without = type(apart)(apart.sentence, old).certificate
    assert without.bounds[0].estimate is None and "at least" in str(without) and "<td></td>" in without._repr_html_()
