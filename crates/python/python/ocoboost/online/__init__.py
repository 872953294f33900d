"""Online boosting of streams: every row is predicted, and then learnt from.

`OnlineBoostingClassifier` is a classifier of River's where River is installed, and `OnlineBoostingRegressor` a
regressor. `BanditRegressor` sees no targets, only what its values cost.
"""

from ocoboost.online._classifier import OnlineBoostingClassifier
from ocoboost.online._regressor import BanditRegressor, OnlineBoostingRegressor

__all__ = ["BanditRegressor", "OnlineBoostingClassifier", "OnlineBoostingRegressor"]
