"""Points of curves on their way into the recording. Some wait until the type of their step is known, some for their value."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.isolation import is_plain
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.numbers.transfer import Transfer
from comgra_export.recorder.output.curve_thinning import CurveThinning, as_number, check_is_number
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.storage.model.lines import CurvePoint
from comgra_export.storage.text.names import shown

__all__ = ["CurvePoints"]


class _NewPoint(NamedTuple):
    """A point as the script gave it, checked.

    Attributes:
        value: Its value, which may be on its way from a device.
        even_if_not_due: Whether it is kept even if its step is not due.
    """

    group: str
    name: str
    time: float
    value: float | Transfer
    even_if_not_due: bool


class _Waiting(NamedTuple):
    point: _NewPoint
    type_of_execution: str
    step: float


class CurvePoints:
    """Takes points of curves, and writes those that are kept, in the order in which they came.

    Reading a value from a device waits for all earlier work of that device. So such a point waits until the step is over, and so do the
    points that come after it.
    """

    def __init__(self, output: RecordingOutput) -> None:
        self._output = output
        self._thinning = CurveThinning()
        self._without_type: list[_NewPoint] = []
        self._waiting: list[_Waiting] = []

    def take(
        self,
        group: str,
        name: str,
        value: float | Tensor,
        timepoint: float | None,
        even_if_not_due: bool,
        *,
        step: float | None,
        type_of_execution: str | None,
        is_between_steps: bool,
    ) -> None:
        """Takes a point as the script gives it. It is held back if the type of its step is not known yet.

        `step` is the step in progress, or the last one; None before the first. `type_of_execution` is None if it is not known.
        `ComgraRecorder.record_kpi_in_graph` describes the other arguments, and what raises.
        """
        if not isinstance(group, str) or not isinstance(name, str):
            raise MisuseError(f"record_kpi_in_graph: the names {shown(group)} and {shown(name)} must be strings. Pass str(name).")
        if step is None:
            step = 0
        if type_of_execution is None and is_between_steps:
            raise MisuseError(
                f"record_kpi_in_graph: between steps, {name!r} belongs to the last step, but its type of execution was never given. "
                "Call record_kpi_in_graph within a step, or give decide_recording_of_batch a type for every step."
            )
        with self._output.gaps.guard("curves", f"a point of the curve {name!r} could not be read", step=step):
            number = _as_value(f"record_kpi_in_graph: the value of {name!r}", value)
            time = as_number(f"record_kpi_in_graph: the timepoint of {name!r}", step if timepoint is None else timepoint)
            point = _NewPoint(group, name, time, number, even_if_not_due)
            if type_of_execution is None:
                self._without_type.append(point)
                return
            self._add(point, type_of_execution, step)
            if is_between_steps:
                self.finish()

    def add_held_back(self, type_of_execution: str, step: float, is_due: bool) -> None:
        """Adds what was held back of a step, now that its type is known."""
        held_back, self._without_type = self._without_type, []
        for point in held_back:
            if is_due or point.even_if_not_due:
                self._add(point, type_of_execution, step)

    def finish(self) -> None:
        """Waits for the values that are on their way, and writes the points. Drops what is still held back: its step is over."""
        self._without_type.clear()
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        with without_function_overrides():
            for point, type_of_execution, step in waiting:
                with self._output.gaps.guard("curves", f"a point of the curve {point.name!r} could not be read", step=step):
                    value = point.value
                    if isinstance(value, Transfer):
                        (arrived,) = value.wait()
                        value = float(arrived.item())
                    self._write(point, type_of_execution, step, value)

    def allow_repetition(self) -> None:
        """Lets every curve meet its timepoints again: a step was dropped, and may be run again."""
        self._thinning.allow_repetition()

    def _add(self, point: _NewPoint, type_of_execution: str, step: float) -> None:
        time = self._thinning.time_of(point.group, type_of_execution, point.name, point.time)
        if time is None:
            return
        if time != point.time:
            if not 0 <= time - point.time < 1:
                self._output.gaps.warn(
                    f"curve {point.name}",
                    f"A point of the curve {point.name!r} has the timepoint {point.time}, which does not come after those before it. It is "
                    "kept directly after the last one. Give every point a greater timepoint than the one before, or rename the curve.",
                )
            point = point._replace(time=time)
        if isinstance(point.value, Transfer) or self._waiting:
            self._waiting.append(_Waiting(point, type_of_execution, step))
        else:
            self._write(point, type_of_execution, step, point.value)

    def _write(self, point: _NewPoint, type_of_execution: str, step: float, value: float) -> None:
        if self._thinning.keeps(point.group, type_of_execution, point.name, point.time, value):
            self._output.add_curve_point(CurvePoint(point.group, point.name, type_of_execution, point.time, value), step)


def _as_value(label: str, value: object) -> float | Transfer:
    """A number, or the element of a tensor with one element. If the tensor is on a device, its transfer to the CPU."""
    # Only a subclass of its own kind, such as a distributed tensor, knows what its number is.
    if isinstance(value, Tensor) and value.device.type != "cpu" and is_plain(value):
        check_is_number(label, value)
        return Transfer([value.detach()])
    return as_number(label, value)
