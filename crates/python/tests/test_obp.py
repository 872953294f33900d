"""Open Bandit Pipeline's estimators on the same dictionaries and distributions of actions.

obp itself is not installed here. `pip download obp` under CPython 3.11 passes over 0.5.7, the latest, which asks for
Python below 3.11 and pins numpy 1.23.5, and ends at an older version, whose PyYAML 5.4.1 cannot be built. So its
estimators are written down as formulas, on its own arrays: `bandit_feedback` with context, action, reward and pscore,
`action_dist` of shape (n, n_actions, 1), and `estimated_rewards_by_reg_model` of the same shape. What obp 0.5.7's own
`OffPolicyEvaluation` finds is kept as vectors, which obp_vectors.py makes.
"""

import numpy as np
import pytest

from conftest import Log

from ocoboost.offpolicy import PolicyBooster, estimate_rewards, evaluate, from_bandit_feedback

TAU = 20.0


def feedback_of(n=1200, seed=1):
    """A dictionary as `SyntheticBanditDataset.obtain_batch_bandit_feedback` has it (synthetic)."""
    log = Log(n, seed)
    noise = np.random.default_rng(seed + 100).uniform(size=n)
    return {
        "n_rounds": n,
        "n_actions": 2,
        "context": log.context,
        "action_context": np.eye(2),
        "action": log.action,
        "position": None,
        "reward": log.reward * (noise < 0.8) + 0.1 * noise,
        "expected_reward": None,
        "pi_b": None,
        "pscore": log.pscore,
    }


#: By `OffPolicyEvaluation` of obp 0.5.7, as obp_vectors.py runs it: of a distribution and predictions that are drawn, and
#: of `predict_proba(obp=True)` of a trained policy with `estimate_rewards(obp=True)`. The second ones change where the
#: policy of bits.json would.
VECTORS = {
    "drawn": {
        "ips": 0.44124246291966956,
        "clipped_ips": 0.39026183881837895,
        "snips": 0.4486179147239958,
        "dm": 0.5123504266484716,
        "dr": 0.44631329868404085,
        "switch_dr": 0.4958331537609132,
    },
    "policy": {
        "ips": 0.8875548630060289,
        "clipped_ips": 0.8875548630060289,
        "snips": 0.8356740707286452,
        "dm": 0.7614481187863201,
        "dr": 0.8438047834552144,
        "switch_dr": 0.8438047834552144,
    },
}


def drawn():
    """A distribution of actions and predicted rewards of nobody."""
    action_dist = np.random.default_rng(3).dirichlet([1, 1], size=1200)[:, :, np.newaxis]
    return action_dist, np.random.default_rng(4).uniform(size=(1200, 2, 1))


def of_policy(feedback):
    """A policy, the distribution of its best actions, and the predictions of its judgement."""
    settings = {"time_budget": None, "n_candidates": 2, "n_estimators": 60}
    policy = PolicyBooster(**settings).fit(*Log(seed=5).columns)
    action_dist = policy.predict_proba(feedback["context"], parameter=0.0, obp=True)
    return policy, action_dist, estimate_rewards(**from_bandit_feedback(feedback), obp=True)


# Of obp.ope.estimators: `iw` is _estimate_round_rewards' importance weight, `q` the regression model.


def parts(feedback, action_dist, q):
    rows = np.arange(feedback["n_rounds"])
    pi = action_dist[rows, feedback["action"], 0]
    iw = pi / feedback["pscore"]
    return iw, feedback["reward"], q[rows, feedback["action"], 0], (action_dist[:, :, 0] * q[:, :, 0]).sum(axis=1)


def inverse_probability_weighting(feedback, action_dist, q, lambda_=np.inf):
    iw, reward, _, _ = parts(feedback, action_dist, q)
    return np.mean(np.minimum(iw, lambda_) * reward)


def self_normalized_inverse_probability_weighting(feedback, action_dist, q):
    iw, reward, _, _ = parts(feedback, action_dist, q)
    return np.mean(iw / iw.mean() * reward)


def direct_method(feedback, action_dist, q):
    return np.mean(parts(feedback, action_dist, q)[3])


def doubly_robust(feedback, action_dist, q, lambda_=np.inf):
    iw, reward, q_of_action, direct = parts(feedback, action_dist, q)
    return np.mean(direct + np.minimum(iw, lambda_) * (reward - q_of_action))


def switch_doubly_robust(feedback, action_dist, q, tau=np.inf):
    iw, reward, q_of_action, direct = parts(feedback, action_dist, q)
    return np.mean(direct + (iw <= tau) * iw * (reward - q_of_action))


def formulas(feedback, action_dist, q, tau):
    return {
        "ips": inverse_probability_weighting(feedback, action_dist, q),
        "clipped_ips": inverse_probability_weighting(feedback, action_dist, q, lambda_=tau),
        "snips": self_normalized_inverse_probability_weighting(feedback, action_dist, q),
        "dm": direct_method(feedback, action_dist, q),
        "dr": doubly_robust(feedback, action_dist, q),
        "switch_dr": switch_doubly_robust(feedback, action_dist, q, tau=tau),
    }


def check(found, expected):
    assert set(found) == {*expected, "logged"}
    assert {name: found[name]["value"] for name in expected} == pytest.approx(expected, rel=1e-10)


def test_the_formulas_are_obps():
    assert formulas(feedback_of(), *drawn(), 1.5) == pytest.approx(VECTORS["drawn"], rel=1e-12)


@pytest.mark.parametrize("tau", [TAU, 1.5])
def test_estimates_of_a_distribution_are_obps(tau):
    feedback, (action_dist, _) = feedback_of(), drawn()
    log = from_bandit_feedback(feedback)
    q = estimate_rewards(**log, obp=True)
    assert q.shape == (1200, 2, 1)
    expected = formulas(feedback, action_dist, q, tau)
    # The clip and the switch matter, and so does the model.
    assert tau == TAU or expected["clipped_ips"] < expected["ips"] and expected["switch_dr"] != expected["dr"]
    assert expected["dm"] != pytest.approx(expected["dr"], rel=1e-3)
    check(evaluate(action_dist, **log, clip=tau).estimates, expected)


def test_estimates_of_a_policy_are_obps_of_its_distribution():
    feedback = feedback_of()
    # The argmax policy, as `evaluate` judges it.
    policy, action_dist, q = of_policy(feedback)
    log = from_bandit_feedback(feedback)
    assert formulas(feedback, action_dist, q, TAU) == pytest.approx(VECTORS["policy"], rel=1e-12)
    check(evaluate(policy, **log).estimates, VECTORS["policy"])
    check(evaluate(action_dist, **log).estimates, VECTORS["policy"])


def test_few_rows_have_no_model():
    feedback = feedback_of(n=40)
    action_dist = np.full((40, 2, 1), 0.5)
    found = evaluate(action_dist, **from_bandit_feedback(feedback)).estimates
    assert set(found) == {"ips", "clipped_ips", "snips", "logged"}


def test_what_is_no_log_is_refused():
    feedback = feedback_of(n=100)
    log = from_bandit_feedback(feedback)
    with pytest.raises(ValueError, match="entries"):
        estimate_rewards(**{**log, "action": log["action"][:-1]})
    for distribution, message in ((np.full((100, 2, 2), 0.5), "shape"), (np.full((100, 3, 1), 1 / 3), "shape")):
        with pytest.raises(ValueError, match=message):
            evaluate(distribution, **log)
