"""Trained methods: all runs of a setting in one batch, all epochs in one training."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import ClassVar

from flgc.methods.base import Grid, Method, Outputs, Problem, Setting, plain, settings_of
from flgc.methods.trained.model import Model, Training
from flgc.methods.trained.training import train

_TRAINING = {field.name for field in fields(Training)}


class TrainedMethod(Method):
    """Base of trained methods. A subclass has a `model` and `axes`: of scaling, model, `Training`.

    If an axis is not an argument of the model or the training, it overrides `model_of` or
    `training_of`.
    """

    seeded = True
    batched = True
    model: ClassVar[Callable[..., Model]]
    dtype: str = "float32"

    def model_of(self, setting: Setting) -> Model:
        """The model from the axes that are neither scaling nor training."""
        other = {"scaling", *_TRAINING}
        return self.model(**{name: v for name, v in setting.items() if name not in other})

    def training_of(self, setting: Setting) -> Training:
        """The training from the axes with names of its fields."""
        return Training(**{name: v for name, v in setting.items() if name in _TRAINING})

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """One training for all epochs of a setting; the shorter ones are checkpoints of it."""
        for longest in settings_of({**grid, "epochs": (max(grid["epochs"]),)}):
            # Settings may come from a table; numpy's scalars would make float32 a float64.
            setting = {name: plain(value) for name, value in longest.items()}
            trained = train(
                self.model_of(setting),
                problem,
                self.training_of(setting),
                checkpoints=grid["epochs"],
                scaling=setting["scaling"],
                dtype=self.dtype,
            )
            for epochs, scores in zip(grid["epochs"], trained.scores, strict=True):
                classes = [of_run.argmax(axis=1) for of_run in scores]
                yield {**longest, "epochs": epochs}, Outputs(classes, scores)
