"""Boosting as online convex optimisation.

`ocoboost.offpolicy` learns policies from logs of decisions and judges them.
"""

from ocoboost._core import __version__

__all__ = ["__version__", "offpolicy"]


def __getattr__(name):
    # scikit-learn takes a second to import, and the program does not need it.
    if name == "offpolicy":
        import importlib

        return importlib.import_module(f"ocoboost.{name}")
    raise AttributeError(f"module 'ocoboost' has no attribute {name!r}")
