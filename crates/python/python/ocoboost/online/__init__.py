"""Online boosting of streams: every row is predicted, and then learnt from.

`OnlineBoostingClassifier` is a classifier of River's where River is installed.
"""

from ocoboost.online._classifier import OnlineBoostingClassifier

__all__ = ["OnlineBoostingClassifier"]
