"""Policies from logs of decisions, and what a log says of them.

Reading order: `PolicyBooster`, `RewardBooster`; `evaluate`, `compare` and their result, `Judgement`;
`from_bandit_feedback` for the dictionaries of Open Bandit Pipeline.
"""

from ocoboost.offpolicy._booster import PolicyBooster, RewardBooster
from ocoboost.offpolicy._judgement import Bound, Certificate, Comparison, Judgement, compare, evaluate
from ocoboost.offpolicy._obp import from_bandit_feedback

__all__ = [
    "Bound",
    "Certificate",
    "Comparison",
    "Judgement",
    "PolicyBooster",
    "RewardBooster",
    "compare",
    "evaluate",
    "from_bandit_feedback",
]
