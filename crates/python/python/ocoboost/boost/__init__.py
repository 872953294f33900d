"""Boosted classifiers whose every round keeps a theorem: the MABoost family (Naghibi, Pfister, 2014).

Reading order: `AdaBoostClassifier`, `SmoothBoostClassifier`, `SparseBoostClassifier`, `MadaBoostClassifier`.
"""

from ocoboost.boost._classifier import (
    AdaBoostClassifier,
    MadaBoostClassifier,
    SmoothBoostClassifier,
    SparseBoostClassifier,
)

__all__ = ["AdaBoostClassifier", "MadaBoostClassifier", "SmoothBoostClassifier", "SparseBoostClassifier"]
