"""Points of curves on their way into the recording: some wait until the type of their step is known, some for their value."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from comgra_export.recorder.calls import unseen
from comgra_export.recorder.curves import CurveThinning, as_number, check_is_number
from comgra_export.recorder.output import RecordingOutput
from comgra_export.recorder.transfer import Transfer
from comgra_export.recorder.undisturbed import is_plain
from comgra_export.storage.model import CurvePoint

__all__ = ["CurvePoints", "NewPoint", "as_value"]


class NewPoint(NamedTuple):
    """A point as the script gave it.

    Attributes:
        group: Name of the chart.
        name: Name of the curve.
        time: Its timepoint.
        value: Its value, which may be on its way from a device.
        even_if_not_due: Whether it is kept also of a step that is not due.
    """

    group: str
    name: str
    time: float
    value: float | Transfer
    even_if_not_due: bool


class _Waiting(NamedTuple):
    point: NewPoint
    type_of_execution: str
    step: int


class CurvePoints:
    """Takes points of curves, and writes those that are kept, in the order in which they came.

    To read a value from a device is to wait for all that the device has to do before. So such a point waits until the step is over, and
    so do the points that come after it.

    Args:
        output: Where they are written.
    """

    def __init__(self, output: RecordingOutput) -> None:
        self._output = output
        self._thinning = CurveThinning()
        self._without_type: list[NewPoint] = []
        self._waiting: list[_Waiting] = []

    def hold_back(self, point: NewPoint) -> None:
        """Takes a point of a step whose type is not known yet."""
        self._without_type.append(point)

    def add(self, point: NewPoint, type_of_execution: str, step: int) -> None:
        """Takes a point of a step.

        Raises:
            MisuseError: The timepoint is not one that the curve can have.
        """
        if not self._thinning.meets(point.group, type_of_execution, point.name, point.time):
            return
        if isinstance(point.value, Transfer) or self._waiting:
            self._waiting.append(_Waiting(point, type_of_execution, step))
        else:
            self._write(point, type_of_execution, step, point.value)

    def add_held_back(self, type_of_execution: str, step: int, is_due: bool) -> None:
        """Adds what was held back of a step, now that its type is known.

        Raises:
            MisuseError: As for `add`.
        """
        held_back, self._without_type = self._without_type, []
        for point in held_back:
            if is_due or point.even_if_not_due:
                self.add(point, type_of_execution, step)

    def finish(self) -> None:
        """Waits for the values that are on their way, and writes the points. What is held back is dropped: its step is over."""
        self._without_type.clear()
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        with unseen():
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

    def _write(self, point: NewPoint, type_of_execution: str, step: int, value: float) -> None:
        if self._thinning.keeps(point.group, type_of_execution, point.name, point.time, value):
            self._output.add_curve_point(CurvePoint(point.group, point.name, type_of_execution, point.time, value), step)


def as_value(label: str, value: object) -> float | Transfer:
    """A number, or the element of a tensor with one; of a tensor on a device, its way to the CPU.

    Args:
        label: What messages call it.
        value: Anything.

    Raises:
        MisuseError: It is neither.
    """
    # What the number of a subclass of its own kind is, such as a distributed tensor, is known to that subclass alone.
    if isinstance(value, Tensor) and value.device.type != "cpu" and is_plain(value):
        check_is_number(label, value)
        return Transfer([value.detach()])
    return as_number(label, value)
