"""Boosting as online convex optimisation.

`ocoboost.offpolicy` learns policies from logs of decisions and judges them; `ocoboost.boost` has classifiers,
`ocoboost.online` learners of streams, `ocoboost.oco` online convex optimisation on vectors. `plot_policy`,
`plot_learning_curve` and `plot_margins` draw them.
"""

from ocoboost._core import __version__

__all__ = ["__version__", "boost", "oco", "offpolicy", "online"]
_PICTURES = ("plot_learning_curve", "plot_margins", "plot_policy")
__all__ += _PICTURES


def __getattr__(name):
    if name in _PICTURES:
        from ocoboost import _plotting

        return getattr(_plotting, name)
    # scikit-learn takes a second to import, and the program does not need it.
    if name in __all__:
        import importlib

        return importlib.import_module(f"ocoboost.{name}")
    raise AttributeError(f"module 'ocoboost' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
