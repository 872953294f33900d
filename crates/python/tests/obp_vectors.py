"""The vectors of test_obp.py, by Open Bandit Pipeline's own `OffPolicyEvaluation`.

    pip download --no-deps --ignore-requires-python --no-binary obp obp==0.5.7 && tar xzf obp-0.5.7.tar.gz
    python crates/python/tests/obp_vectors.py obp-0.5.7

It runs in the environment of the tests, with the package installed. obp's estimators need numpy alone: the modules that
they sit beside would load torch and seaborn, and get empty ones in their place.
"""

import importlib
import json
import pathlib
import sys
import types


def load(root):
    """`obp.ope.estimators` and `obp.ope.meta` without what lies beside them."""
    for name in ("obp", "obp.ope"):
        package = types.ModuleType(name)
        package.__path__ = [str(pathlib.Path(root, *name.split(".")))]
        sys.modules[name] = package
    for name in ("torch", "seaborn", "matplotlib", "matplotlib.pyplot"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["torch"].Tensor = sys.modules["torch"].tensor = type("Tensor", (), {})
    sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]
    return importlib.import_module("obp.ope.estimators"), importlib.import_module("obp.ope.meta")


def main():
    import test_obp as tests

    ope, meta = load(sys.argv[1])

    def values(action_dist, q, tau):
        estimators = [
            ope.InverseProbabilityWeighting(estimator_name="ips"),
            ope.InverseProbabilityWeighting(lambda_=tau, estimator_name="clipped_ips"),
            ope.SelfNormalizedInverseProbabilityWeighting(estimator_name="snips"),
            ope.DirectMethod(estimator_name="dm"),
            ope.DoublyRobust(estimator_name="dr"),
            ope.SwitchDoublyRobust(lambda_=tau, estimator_name="switch_dr"),
        ]
        pipeline = meta.OffPolicyEvaluation(bandit_feedback=feedback, ope_estimators=estimators)
        found = pipeline.estimate_policy_values(action_dist=action_dist, estimated_rewards_by_reg_model=q)
        return {name: float(value) for name, value in found.items()}

    feedback = tests.feedback_of()
    vectors = {"drawn": values(*tests.drawn(), 1.5), "policy": values(*tests.of_policy(feedback)[1:], tests.TAU)}
    print(json.dumps(vectors, indent=4))


if __name__ == "__main__":
    main()
