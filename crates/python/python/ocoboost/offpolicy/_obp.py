"""Open Bandit Pipeline's dictionaries."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def from_bandit_feedback(bandit_feedback: Mapping[str, Any]) -> dict[str, Any]:
    """What `PolicyBooster.fit` and `evaluate` take, of a dictionary of Open Bandit Pipeline.

    Parameters
    ----------
    bandit_feedback : dict
        With ``context``, ``action``, ``reward`` and ``pscore``; of a list of positions only one position.

    Returns
    -------
    dict
        ``context``, ``action``, ``reward``, ``pscore``, and all actions, taken or not, in ``classes``:
        ``booster.fit(**from_bandit_feedback(feedback))``.

    Raises
    ------
    ValueError
        For a dictionary without one of these, or with decisions in several positions.

    Examples
    --------
    >>> import numpy as np
    >>> feedback = {"n_actions": 2, "context": np.zeros((4, 1)), "action": np.array([0, 1, 0, 1]),
    ...             "reward": np.ones(4), "position": None, "pscore": np.full(4, 0.5)}
    >>> sorted(from_bandit_feedback(feedback))
    ['action', 'classes', 'context', 'pscore', 'reward']
    """
    position = bandit_feedback.get("position")
    if position is not None and len(np.unique(position)) > 1:
        raise ValueError("decisions in several positions: hand in the rows of one position at a time")
    found = {}
    for key in ("context", "action", "reward", "pscore"):
        if bandit_feedback.get(key) is None:
            raise ValueError(f"bandit_feedback has no {key!r}")
        found[key] = bandit_feedback[key]
    if bandit_feedback.get("n_actions") is not None:
        found["classes"] = np.arange(bandit_feedback["n_actions"])
    return found
