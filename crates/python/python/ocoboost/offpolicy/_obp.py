"""Open Bandit Pipeline's dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ocoboost import _core, _data
from ocoboost.offpolicy import _candidates


def from_bandit_feedback(bandit_feedback: Mapping[str, Any]) -> dict[str, Any]:
    """What `PolicyBooster.fit` and `evaluate` take, of a dictionary of Open Bandit Pipeline.

    Parameters
    ----------
    bandit_feedback : dict
        With ``context``, ``action``, ``reward`` and ``pscore``; of a list of positions only one position.

    Returns
    -------
    dict
        ``context``, ``action``, ``reward``, ``pscore``, all actions, taken or not, in ``classes``, and
        ``action_context`` where the dictionary has one:
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
    if bandit_feedback.get("action_context") is not None:
        found["action_context"] = bandit_feedback["action_context"]
    return found


def estimate_rewards(
    context: Any,
    action: ArrayLike | str,
    reward: ArrayLike | str,
    pscore: ArrayLike | str | None = None,
    *,
    available: ArrayLike | str | None = None,
    classes: ArrayLike | None = None,
    action_context: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    obp: bool = False,
) -> NDArray[np.float64]:
    """Predicted rewards of all actions in all rows of a log, by the model behind DM, DR and SWITCH-DR of `evaluate`.

    A row is predicted by boosted trees of the other folds. It is for other estimators than those of `evaluate`, such as
    those of Open Bandit Pipeline.

    Parameters
    ----------
    context, action, reward, pscore, available, classes, random_state, n_jobs
        As in `evaluate`. Propensities matter not.
    action_context : optional
        The features of the actions, a row an action. They name the actions, and no question is about them.
    obp : bool, default False
        Whether the shape is (n, n_actions, 1), as of ``estimated_rewards_by_reg_model``.

    Returns
    -------
    array of shape (n, n_actions)

    Raises
    ------
    ValueError, TypeError
        For a log that is refused.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(200.0).reshape(-1, 1)
    >>> action = np.arange(200) % 2
    >>> np.abs(estimate_rewards(x, action, action) - [0, 1]).max() < 0.1
    np.True_
    """
    if pscore is None:
        # No model of rewards asks for them.
        is_named = isinstance(reward, str)
        if is_named and _data.is_file(context):
            raise ValueError("pscore is not given: name the column of the file")
        pscore = np.ones(len(context) if is_named else len(reward))
    seed = _data.seed_of(random_state)
    if action_context is not None:
        classes = _candidates.labels_of(action_context, classes)
    with _data.reading(context) as (context, is_lent):
        log, _, _ = _data.log_of(
            context,
            action,
            reward,
            pscore,
            available,
            None,
            None,
            classes=classes,
            coding=None,
            seed=seed,
            is_lent=is_lent,
        )
        found = _core.estimate_rewards(log, seed, n_jobs=_data.threads(n_jobs))
    return found[:, :, np.newaxis] if obp else found
