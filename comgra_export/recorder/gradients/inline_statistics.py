"""Looking at large gradients while they flow, so that nobody has to hold them until their numbers are asked for."""

from __future__ import annotations

import threading
import weakref
from dataclasses import replace

import torch
from torch import Tensor

from comgra_export.recorder.host.autograd import is_last_gradient
from comgra_export.recorder.host.torch_internals import count_dispatch_modes, innermost_transform, version_of
from comgra_export.recorder.modules.training_state import StepFacts
from comgra_export.recorder.numbers.collector import Measurements, TensorNumbers
from comgra_export.recorder.tracing.registrations import Registration
from comgra_export.storage.model import TensorEntry

__all__ = ["GradientLooks"]


class GradientLooks:
    """Looks at the gradients of one step. Like `GradientRecording`, it does not refer to the step.

    Args:
        registrations: The tensors of the step, by number.
        measurements: What computes their numbers.
        facts: Knows whether the loss is multiplied by a factor.
    """

    def __init__(self, registrations: list[Registration], measurements: Measurements, facts: StepFacts) -> None:
        self._registrations = registrations
        self._measurements = measurements
        self._facts = facts
        self._thread = threading.get_ident()
        # By what was looked for in which gradient: whether it is the same one, and what was found.
        self._found: dict[tuple[object, ...], tuple[weakref.ref[Tensor], int | None, TensorNumbers]] = {}

    def look(self, number: int, gradient: Tensor) -> TensorNumbers | None:
        """Looks at the gradient that has just come to a tensor, in a hook of it.

        Args:
            number: The number of the tensor.
            gradient: All of its gradient in this backward pass.

        Returns:
            What was found; the gradient is not needed any more. None where it has to be held: another one may be added to it, it is not
            known yet if the step is recorded, or its numbers need more than a look.
        """
        registration = self._registrations[number]
        entry = registration.entry
        if entry is None or not self._is_simple(registration, entry, gradient) or not is_last_gradient():
            return None
        return self._look(registration, entry, registration.histogram_values, gradient)

    def look_at_part(self, number: int, histogram_values: int, gradient: Tensor) -> TensorNumbers | None:
        """Looks at a part of the last gradient of a tensor, of which statistics are recorded.

        Args:
            number: The number of the tensor.
            histogram_values: Of how many of its values, at most, there is a histogram; 0: there is none.
            gradient: The part.

        Returns:
            As for `look`.
        """
        registration = self._registrations[number].replaced_by or self._registrations[number]
        entry = registration.entry
        if entry is None or entry.kind == "single_value":
            return None
        if entry.kind != "kpis":
            entry = replace(entry, kind="kpis")
        return self._look(registration, entry, histogram_values, gradient) if self._is_simple(registration, entry, gradient) else None

    def release(self) -> None:
        """Lets go of what was found."""
        self._found.clear()

    def _look(self, registration: Registration, entry: TensorEntry, histogram_values: int, gradient: Tensor) -> TensorNumbers | None:
        # A sum passes one gradient on to all that it added.
        key = id(gradient), entry.batch_dimension, entry.samples, entry.dtype, histogram_values
        reference, version, found = self._found.get(key, (None, None, None))
        # Python hands out the identities of dead objects again, and memory that was let go of may have become another gradient's.
        if reference is not None and reference() is gradient and version == version_of(gradient):
            return found
        assert registration.numbers is not None
        found = self._measurements.read(entry, registration.numbers, gradient, histogram_values)
        if found is not None:
            self._found[key] = weakref.ref(gradient), version_of(gradient), found
        return found

    def _is_simple(self, registration: Registration, entry: TensorEntry, gradient: Tensor) -> bool:
        """Whether the numbers of a gradient are statistics of its values as they are."""
        return (
            entry.kind == "kpis"
            and registration.numbers is not None
            and registration.numbers.precision == torch.float32
            and type(gradient) is Tensor
            and gradient.layout == torch.strided
            and gradient.is_cpu
            and entry.shape == gradient.shape
            and not self._facts.may_be_scaled()
            # Intermediate results lie where only one thread may write; and what a mode or a transformation sees is not ours alone.
            and threading.get_ident() == self._thread
            and not count_dispatch_modes()
            and innermost_transform() is None
        )
