"""Boosting as online convex optimisation.

`ocoboost.offpolicy` learns policies from logs of decisions and judges them; `ocoboost.boost` has classifiers,
`ocoboost.online` learners of streams, `ocoboost.oco` online convex optimisation on vectors.
"""

from ocoboost._core import __version__

__all__ = ["__version__", "boost", "oco", "offpolicy", "online"]


def __getattr__(name):
    # scikit-learn takes a second to import, and the program does not need it.
    if name in __all__:
        import importlib

        return importlib.import_module(f"ocoboost.{name}")
    raise AttributeError(f"module 'ocoboost' has no attribute {name!r}")
