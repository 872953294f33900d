"""Callbacks and progress."""

import json


class Callbacks:
    """The callbacks of an estimator, and the line that shows progress; nothing where neither is wanted."""

    def __init__(self, booster):
        self.callbacks = list(booster.callbacks or [])
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
