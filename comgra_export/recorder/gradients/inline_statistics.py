"""Statistics of large gradients, computed while the gradients flow, so that they need not be held until they are recorded."""

from __future__ import annotations

import threading
import weakref
from dataclasses import replace

import torch
from torch import Tensor

from comgra_export.recorder.cuda.devices import kernels_of
from comgra_export.recorder.gradients.scaling import StepScaling
from comgra_export.recorder.host.autograd import is_last_gradient
from comgra_export.recorder.host.torch_internals import count_dispatch_modes, innermost_transform, version_of
from comgra_export.recorder.numbers.collector import Measurements, TensorNumbers
from comgra_export.recorder.tracing.registrations import Registration
from comgra_export.storage.model.layout import TensorEntry

__all__ = ["InlineStatistics"]


class InlineStatistics:
    """Computes statistics of the gradients of one step as they come. Like `GradientRecording`, it does not refer to the step."""

    def __init__(self, registrations: list[Registration], measurements: Measurements, scaling: StepScaling) -> None:
        self._registrations = registrations
        self._measurements = measurements
        self._scaling = scaling
        self._thread = threading.get_ident()
        # By gradient and kind of statistics. A sum passes the same gradient on to all that it added.
        self._known: dict[tuple[object, ...], tuple[weakref.ref[Tensor], int | None, TensorNumbers]] = {}

    def compute(self, number: int, gradient: Tensor) -> TensorNumbers | None:
        """Computes the statistics of all of the gradient that has just come to a tensor. A hook of the tensor calls it.

        Returns:
            The statistics; the gradient is not needed any more. None if the gradient has to be held: another gradient may be added to it,
            it is not known yet if the step is recorded, or its numbers are not simple statistics.
        """
        registration = self._registrations[number]
        entry = registration.entry
        if entry is None or not self._is_simple(registration, entry, gradient) or not is_last_gradient():
            return None
        return self._compute(registration, entry, registration.histogram_values, gradient)

    def compute_part(self, number: int, histogram_values: int, gradient: Tensor) -> TensorNumbers | None:
        """As `compute`, for a part of the last gradient of a tensor. With 0 `histogram_values`, there is no histogram."""
        registration = self._registrations[number].replaced_by or self._registrations[number]
        entry = registration.entry
        if entry is None or entry.kind == "single_value":
            return None
        if entry.kind != "kpis":
            entry = replace(entry, kind="kpis")
        return self._compute(registration, entry, histogram_values, gradient) if self._is_simple(registration, entry, gradient) else None

    def release(self) -> None:
        """Lets go of the statistics."""
        self._known.clear()

    def _compute(self, registration: Registration, entry: TensorEntry, histogram_values: int, gradient: Tensor) -> TensorNumbers | None:
        key = id(gradient), entry.batch_dimension, entry.samples, entry.dtype, histogram_values
        reference, version, statistics = self._known.get(key, (None, None, None))
        # Python reuses the identities of dead objects, and another gradient may lie in memory that was freed.
        if reference is not None and reference() is gradient and version == version_of(gradient):
            return statistics
        assert registration.numbers is not None
        statistics = self._measurements.read(entry, registration.numbers, gradient, histogram_values)
        if statistics is not None:
            self._known[key] = weakref.ref(gradient), version_of(gradient), statistics
        return statistics

    def _is_simple(self, registration: Registration, entry: TensorEntry, gradient: Tensor) -> bool:
        """Whether the numbers of a gradient are statistics of its unchanged values."""
        return (
            entry.kind == "kpis"
            and registration.numbers is not None
            and registration.numbers.precision == torch.float32
            and type(gradient) is Tensor
            and gradient.layout == torch.strided
            and entry.shape == gradient.shape
            and not self._scaling.may_scale()
            and self._may_read_here(gradient)
            # Modes and transformations would see what is computed.
            and not count_dispatch_modes()
            and innermost_transform() is None
        )

    def _may_read_here(self, gradient: Tensor) -> bool:
        """Whether a gradient can be read as it comes: on the CPU in one thread, since only one may write intermediate results."""
        return threading.get_ident() == self._thread if gradient.is_cpu else kernels_of(gradient.device) is not None
