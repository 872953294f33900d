"""Logs of decisions that the tests share."""

import numpy as np
import pytest


class Log:
    """Two actions; the second pays where x_0 > ½, the first elsewhere (synthetic)."""

    def __init__(self, n=1200, seed=0):
        rng = np.random.default_rng(seed)
        self.context = rng.uniform(size=(n, 3))
        self.kind = np.where(rng.uniform(size=n) < 0.3, "a", "b")
        p = 0.2 + 0.6 * self.context[:, 1]
        self.action = (rng.uniform(size=n) < p).astype(int)
        self.pscore = np.where(self.action == 1, p, 1 - p)
        self.reward = (self.action == (self.context[:, 0] > 0.5)).astype(float)

    @property
    def columns(self):
        return self.context, self.action, self.reward, self.pscore

    def frame(self):
        import pandas

        frame = pandas.DataFrame(self.context, columns=["x", "y", "z"])
        return frame.assign(kind=self.kind)


@pytest.fixture
def log():
    return Log()


@pytest.fixture
def fast():
    """Settings of a training that takes a fraction of a second, and no clock decides."""
    return {"time_budget": None, "n_candidates": 2, "n_estimators": 60}
