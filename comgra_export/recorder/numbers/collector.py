"""Collecting the tensors of a step until their numbers are computed, many at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor

from comgra_export.recorder.cuda.memory import DeviceScratch
from comgra_export.recorder.host.dtypes import NumberType
from comgra_export.recorder.host.memory import bytes_of
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.numbers.buffers import HistogramCopies, Scratch
from comgra_export.recorder.numbers.compute import read_alone, read_tensors
from comgra_export.recorder.numbers.device_numbers import DeviceNumbers, Owners
from comgra_export.recorder.numbers.device_singular_values import device_singular_value_parts, fits
from comgra_export.recorder.numbers.held_values import HELD_BYTES, LARGE_TENSOR, HeldValues
from comgra_export.recorder.numbers.parts import Part, RecordKey, TensorSums, Waiting
from comgra_export.recorder.numbers.singular_values import singular_value_parts
from comgra_export.storage.model.layout import TensorEntry

__all__ = ["LEFT_BYTES", "Measurements", "TensorNumbers"]

LEFT_BYTES = 4 * 1024 * 1024
"""How much work is left to the writing thread. If there is more, none is left: it would take the processors from the training."""

# So many tensors are worth a computation of their own. If they waited longer, the garbage collector would visit them again and again.
_MANY = 256


class TensorNumbers(NamedTuple):
    """The numbers of a tensor whose record is not known yet. Its values are no longer needed.

    Attributes:
        entry: The tensor's description when it was read.
        sums: The sums from which the other numbers are computed.
        histogram_values: The largest number of values for its histogram.
        on_device: The records that get its numbers, which are still on a device; None if `parts` and `sums` are its numbers.
    """

    entry: TensorEntry
    parts: tuple[Part, ...]
    sums: tuple[TensorSums, ...]
    histogram_values: int
    on_device: Owners | None = None


class Measurements:
    """The numbers of one step: those of each tensor in each of its groups are a record.

    Args:
        samples: Positions in the batch that are recorded singly, for tensors whose entry has samples.
        fail: Called with the key of a record whose numbers could not be computed, and the exception.
        scratch: Memory for intermediate results.
        copies: Memory for the values of histograms.
        device_scratch: Memory of devices for intermediate results.
        provisional: Whether it is not known yet if the step will be recorded. Then nothing is computed before `settle`. Small tensors are
            copied. Large tensors are only referred to; `before_overwrite` and the version of their memory guard their values.

    Attributes:
        absent: Records of tensors without a gradient.
        samples: The positions, which `settle` may change.
    """

    def __init__(
        self,
        samples: Sequence[int],
        fail: Callable[[RecordKey, Exception], None],
        scratch: Scratch,
        copies: HistogramCopies,
        *,
        device_scratch: DeviceScratch,
        provisional: bool = False,
    ) -> None:
        self.absent: set[RecordKey] = set()
        self.samples = tuple(samples)
        self._report = fail
        self._scratch = scratch
        self.copies = copies
        self._provisional = provisional
        self._waiting: list[Waiting] = []
        self._pressing: list[Waiting] = []
        self._matrices: list[Waiting] = []
        self._reads_together = False
        self._on_device = DeviceNumbers(device_scratch)
        self._parts: list[Part] = []
        self._sums: list[TensorSums] = []
        self._held_values: HeldValues[RecordKey] = HeldValues()
        self._held: dict[RecordKey, tuple[TensorEntry, NumberType, int]] = {}

    @property
    def held_bytes(self) -> int:
        """The most memory that was held: by copies, and by tensors that were referred to."""
        return self._held_values.peak

    @property
    def parts(self) -> list[Part]:
        """The numbers that were computed."""
        return self._parts

    @property
    def sums(self) -> list[TensorSums]:
        """The sums from which any thread can compute numbers at any time."""
        return self._sums

    def add(
        self,
        key: RecordKey,
        entry: TensorEntry,
        numbers: NumberType,
        tensor: Tensor,
        *,
        lasts: bool = False,
        is_copy: bool = False,
        histogram_values: int = 0,
    ) -> None:
        """Takes the values that a tensor has now.

        Args:
            key: The record.
            entry: The tensor's description.
            numbers: How its dtype is recorded.
            tensor: Its values, with the shape of `entry`, on any device. No function mode or subclass may intercept operations.
            lasts: Whether these values stay as they are until they are read. That may happen in another thread, after the step. Other
                values have to stay only until `compute_pressing`.
            is_copy: Whether nobody else holds these values. Then they last, and count as held.
            histogram_values: The largest number of values for its histogram; 0 means no histogram.
        """
        values = tensor.detach()
        if values.dtype != numbers.stored_dtype:
            values, is_copy = values.to(numbers.stored_dtype), True
        if not values.is_cpu and self._read_on_device(Waiting(key, entry, numbers, values, histogram_values)):
            if is_copy and sum(bytes_of(matrix.values) for matrix in self._matrices) > HELD_BYTES:
                self._read_matrices()
            return
        if not lasts and not is_copy and values.numel() <= LARGE_TENSOR:
            values, is_copy = values.clone(), True
        if is_copy:
            self._held_values.count(bytes_of(values))
        if lasts or is_copy:
            self._waiting.append(Waiting(key, entry, numbers, values, histogram_values))
        elif self._provisional:
            if key in self._held:
                self._held_values.take(key)
            self._held_values.hold(key, values)
            self._held[key] = (entry, numbers, histogram_values)
        else:
            self._pressing.append(Waiting(key, entry, numbers, values, histogram_values))
        if self._held_values.bytes > HELD_BYTES:
            self._make_room()
        elif len(self._waiting) >= _MANY:
            self.compute()

    def add_at_once(self, key: RecordKey, entry: TensorEntry, numbers: NumberType, tensor: Tensor, *, histogram_values: int = 0) -> None:
        """Does the same as `add`, for values that may change as soon as this returns."""
        # Every operation of torch takes time here, even one that makes a detached view.
        if not self._provisional and tensor.numel() > LARGE_TENSOR and tensor.dtype == numbers.stored_dtype:
            sums = read_alone(Waiting(key, entry, numbers, tensor, histogram_values), self.copies)
            if sums is not None:
                self._sums.append(sums)
                return
        self.add(key, entry, numbers, tensor, histogram_values=histogram_values)
        if (self._pressing or self._matrices) and not self._reads_together:
            self.compute_pressing()

    @contextmanager
    def read_together(self) -> Iterator[None]:
        """Within this context, values that `add_at_once` gets have to stay until its end, so that they are read together."""
        self._reads_together = True
        try:
            yield
        finally:
            self._reads_together = False
            self.compute_pressing()

    def read(self, entry: TensorEntry, numbers: NumberType, tensor: Tensor, histogram_values: int = 0) -> TensorNumbers | None:
        """Reads the values that a tensor has now, for records that are added later. `add` describes the arguments.

        Returns:
            Its numbers; None if the step is provisional, so that nothing is computed yet, or if they could not be computed, or only with
            its record.
        """
        if self._provisional:
            return None
        waiting = Waiting(("", 0), entry, numbers, tensor, histogram_values)
        if not tensor.is_cpu:
            owners: Owners = []
            is_stored = tensor.dtype == numbers.stored_dtype
            return TensorNumbers(entry, (), (), histogram_values, owners) if is_stored and self._on_device.read(waiting, owners) else None
        if tensor.dtype == numbers.stored_dtype and (alone := read_alone(waiting, self.copies)) is not None:
            return TensorNumbers(entry, (), (alone,), histogram_values)
        errors = []
        waiting = waiting._replace(values=tensor.detach().to(numbers.stored_dtype))
        parts, sums = read_tensors([waiting], self.samples, lambda _, error: errors.append(error), self._scratch, self.copies)
        return None if errors else TensorNumbers(entry, tuple(parts), tuple(sums), histogram_values)

    def add_numbers(self, key: RecordKey, entry: TensorEntry, numbers: TensorNumbers) -> None:
        """Adds the numbers that `read` has returned to a record.

        Raises:
            RuntimeError: The tensor's description was another one when it was read.
        """
        if (entry.batch_dimension, entry.samples) != (numbers.entry.batch_dimension, numbers.entry.samples):
            raise RuntimeError("the tensor was registered in another way when this gradient came")
        if numbers.on_device is not None:
            numbers.on_device.append(key)
        self._parts += [part._replace(place=part.place._replace(keys=(key,))) for part in numbers.parts]
        self._sums += [sums._replace(key=key, entry=entry) for sums in numbers.sums]

    def add_absent(self, key: RecordKey, entry: TensorEntry, numbers: NumberType) -> None:
        """Records that a tensor has no gradient. Its numbers are those of zeros."""
        self.absent.add(key)
        if not all(entry.shape):
            # The numbers of an empty tensor are not zeros, so they are computed like any other's.
            self.add(key, entry, numbers, torch.zeros(entry.shape, dtype=numbers.stored_dtype, device="cpu"), lasts=True)

    def before_overwrite(self, tensors: Iterable[Tensor]) -> None:
        """Copies the held values of tensors that are about to be changed in place."""
        with without_function_overrides():
            self._held_values.before_overwrite(tensors)

    def settle(self, samples: Sequence[int]) -> None:
        """Ends the provisional state: the step is recorded, with these samples. Computes the numbers of the held values."""
        self.samples = tuple(samples)
        self._provisional = False
        for key in self._held_values.held():
            entry, numbers, histogram_values = self._held.pop(key)
            try:
                self._waiting.append(Waiting(key, entry, numbers, self._held_values.take(key), histogram_values))
            except RuntimeError as error:
                self.fail(key, error)
        self.compute()

    def give_up(self) -> None:
        """Releases everything, because the step will not be recorded."""
        self._waiting.clear()
        self._matrices.clear()
        self._on_device.clear()
        self._held.clear()
        self._held_values = HeldValues()

    def compute_pressing(self) -> None:
        """Computes the numbers of values that may change from now on."""
        if self._pressing:
            pressing, self._pressing = self._pressing, []
            self._read(pressing)
        self._read_matrices()

    def compute(self) -> None:
        """Computes the numbers of waiting tensors. Afterwards no added tensor is used any more. Does nothing in a provisional step."""
        if not self._provisional:
            self.compute_pressing()
            waiting, self._waiting = self._waiting, []
            self._held_values.count(-self._held_values.bytes)
            self._read(waiting)

    def finish(self) -> list[Waiting]:
        """Computes the numbers that have to be computed now. Do not call it in a provisional step.

        Returns:
            The tensors that are left, whose numbers any thread can compute at any time: copies on the CPU, and values that last.
        """
        rest = [tensor for tensor in self._waiting if tensor.values.is_cpu]
        self._waiting = [tensor for tensor in self._waiting if not tensor.values.is_cpu]
        if sum(tensor.values.nbytes for tensor in rest) > LEFT_BYTES:
            self._waiting += rest
            rest = []
        self.compute()
        self._parts += self._on_device.parts(self.samples)
        return rest

    def fail(self, key: RecordKey, error: Exception) -> None:
        """Reports that the numbers of a record could not be computed, and why."""
        self._report(key, error)

    def _read_on_device(self, tensor: Waiting) -> bool:
        """Reads a tensor on a CUDA device, unless the step is provisional. Returns whether it did."""
        if self._provisional or not self._on_device.read(tensor, [tensor.key]):
            return False
        if tensor.entry.kind == "kpis_and_svd":
            self._matrices.append(tensor)
        return True

    def _read(self, waiting: Sequence[Waiting]) -> None:
        waiting = [tensor for tensor in waiting if tensor.values.is_cpu or not self._read_on_device(tensor)]
        parts, sums = read_tensors(waiting, self.samples, self.fail, self._scratch, self.copies)
        self._parts += parts
        self._sums += sums
        self._read_matrices()

    def _read_matrices(self) -> None:
        """Computes the singular values of matrices on devices."""
        matrices, self._matrices = self._matrices, []
        if matrices:
            self._parts += device_singular_value_parts([matrix for matrix in matrices if fits(matrix)])
            self._parts += singular_value_parts([matrix for matrix in matrices if not fits(matrix)])

    def _make_room(self) -> None:
        if not self._provisional:
            self.compute()
            return
        while self._held_values.bytes > HELD_BYTES and (key := self._held_values.oldest()) is not None:
            self._held_values.take(key)
            del self._held[key]
            megabytes = HELD_BYTES // 1_000_000
            self.fail(key, RuntimeError(f"more than {megabytes} MB would be held until the decision to record this step"))
