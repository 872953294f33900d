"""Callbacks and progress."""

import json
from collections.abc import Iterable


class Callbacks:
    """The callbacks of an estimator, and the line that shows progress; nothing where neither is wanted."""

    def __init__(self, booster):
        self.callbacks = _listed(booster.callbacks)
        self.is_shown = bool(booster.verbose)
        self.bar = None
        self.stage = None

    def __enter__(self):
        if self.is_shown:
            try:
                from tqdm.auto import tqdm

                self.bar = tqdm(unit=" rounds", desc="")
            except ImportError:
                pass
        return self if self.callbacks or self.is_shown else None

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()

    def __call__(self, event):
        event = json.loads(event)
        if self.bar is not None:
            self.bar.set_description(event["stage"], refresh=False)
            self.bar.update()
        elif self.is_shown:
            self._print(event)
        return any([callback(event) for callback in self.callbacks])

    def _print(self, event):
        """A line for every candidate, every tenth round of a classifier, and every stage."""
        match event["stage"]:
            case "tried":
                print(f"tried {event['tried']}")
            case "boosting":
                if event["round"] % 10 == 1:
                    print(f"round {event['round']}, errors {[round(error, 4) for error in event['errors']]}")
            case stage if stage != self.stage:
                print(stage)
        self.stage = event["stage"]


def _listed(callbacks):
    """The callbacks, where one alone may stand for a list of it."""
    if callbacks is None:
        return []
    listed = [callbacks] if callable(callbacks) or not isinstance(callbacks, Iterable) else list(callbacks)
    if not all(map(callable, listed)):
        raise TypeError(f"callbacks = {callbacks!r} is neither a callable nor a list of them")
    return listed
