"""Policies from logs of decisions, and what a log says of them.

Reading order: `PolicyBooster`, `RewardBooster`; `evaluate`, `compare` and their result, `Judgement`;
`from_bandit_feedback` and `estimate_rewards` for Open Bandit Pipeline.
"""

from ocoboost.offpolicy._booster import PolicyBooster, RewardBooster
from ocoboost.offpolicy._judgement import Bound, Certificate, Comparison, Judgement, compare, evaluate
from ocoboost.offpolicy._obp import estimate_rewards, from_bandit_feedback

__all__ = [
    "Bound",
    "Certificate",
    "Comparison",
    "Judgement",
    "PolicyBooster",
    "RewardBooster",
    "compare",
    "estimate_rewards",
    "evaluate",
    "from_bandit_feedback",
]
