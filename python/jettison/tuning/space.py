"""Conversion of parameters to and from Optuna's distributions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..sweeps.axes import Axis, Range, Value, label, read_axes
from ..sweeps.samples import Values


class Space:
    """The search space.

    A range is searched as a number in the unit of its low end; a list of values as categories.
    """

    def __init__(self, parameters: Mapping[str, Range | Iterable[Value]]) -> None:
        self.axes = read_axes(parameters)

    def suggest(self, trial: Any) -> Values:
        """Asks the trial for a value of each parameter."""
        return {axis.path: _suggest(trial, axis) for axis in self.axes}

    def read(self, parameters: Mapping[str, Any]) -> Values:
        """The values that a stored trial's parameters represent."""
        return {axis.path: _value(axis, parameters[axis.path]) for axis in self.axes}

    def choices(self) -> list[tuple[str, Value]]:
        """Path and value of each choice in the space."""
        return [(axis.path, choice) for axis in self.axes for choice in axis.choices]

    def describe(self) -> list[list[Any]]:
        """A canonical description of the space.

        A resumed search must have the same space. Choices are described completely, because two tables may have the same
        label.
        """
        return [_describe(axis) for axis in self.axes]


def _describe(axis: Axis) -> list[Any]:
    if (span := axis.range) is None:
        return [axis.path, [json.dumps(choice, sort_keys=True) for choice in axis.choices]]
    return [axis.path, *span.numbers, span.unit, span.log, span.step_number, span.is_whole]


def _suggest(trial: Any, axis: Axis) -> Value:
    span = axis.range
    if span is None:
        return _value(axis, trial.suggest_categorical(axis.path, [label(choice) for choice in axis.choices]))
    low, high = span.numbers
    step = span.step_number
    if span.is_whole and (step is None or step == int(step)):
        whole = {} if step is None or span.log else {"step": int(step)}
        return _value(axis, trial.suggest_int(axis.path, int(low), int(high), log=span.log, **whole))
    return _value(axis, trial.suggest_float(axis.path, low, high, log=span.log, step=step))


def _value(axis: Axis, parameter: Any) -> Value:
    if axis.range is not None:
        return axis.range.value(float(parameter))
    return next(choice for choice in axis.choices if label(choice) == parameter)
