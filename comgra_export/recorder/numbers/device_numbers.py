"""The numbers of tensors on CUDA devices. A kernel reads each tensor when it comes, and torch computes the rest of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from comgra_export.native.cuda import DeviceKernels
from comgra_export.native.cuda.kernels import FIELDS
from comgra_export.recorder.cuda.devices import current_stream, kernels_of
from comgra_export.recorder.cuda.memory import DeviceScratch, DeviceStream, Slots
from comgra_export.recorder.host.isolation import is_plain, undisturbed
from comgra_export.recorder.host.torch_internals import count_dispatch_modes, innermost_transform
from comgra_export.recorder.numbers.compute import summary_parts
from comgra_export.recorder.numbers.histogram_values import stride_of
from comgra_export.recorder.numbers.parts import HISTOGRAM, UNITS, Part, Place, RecordKey, Summary, Waiting
from comgra_export.recorder.numbers.pieces import PIECE_VALUES
from comgra_export.recorder.numbers.unit_statistics import has_units, sizes_around_units
from comgra_export.storage.model.layout import TensorEntry

__all__ = ["DeviceNumbers", "Owners", "summary_of_sums"]

Owners = list[RecordKey]
"""The records that have the numbers of a tensor: several if a sum passes its gradient on to what it has added."""

_DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}
_KINDS = ("kpis", "kpis_and_svd")

# A block of sums has room for so many tensors, or for fewer that fit in 4 MB.
_TENSORS = 256
_SUMS_OF_BLOCK = 524_288
_HISTOGRAM_VALUES = 1_048_576
_UNIT_VALUES = 65_536


@dataclass
class _Block:
    """What lies in a block of slots: for each tensor, in order, the records that have its numbers, and how many slots it takes."""

    owners: list[Owners] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def keys_and_picks(self) -> tuple[tuple[RecordKey, ...], tuple[int, ...] | None]:
        """All records, and the position of the tensor of each; None if they are in order."""
        pairs = [(key, position) for position, owners in enumerate(self.owners) for key in owners]
        picks = tuple(position for _, position in pairs)
        return tuple(key for key, _ in pairs), None if picks == tuple(range(len(self.owners))) else picks


class _Tensors:
    """Slots, and the tensors that they belong to."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._blocks: list[_Block] = []

    def take(self, owners: Owners, count: int = 1) -> int:
        """Takes slots for a tensor, and returns their address."""
        address, is_new = self._slots.take(count)
        if is_new:
            self._blocks.append(_Block())
        self._blocks[-1].owners.append(owners)
        self._blocks[-1].sizes.append(count)
        return address

    def disown(self, owners: Owners) -> None:
        """Forgets whose the numbers of a tensor are."""
        for block in self._blocks:
            block.owners = [[] if own is owners else own for own in block.owners]

    def filled(self) -> list[tuple[_Block, Tensor]]:
        """The blocks, and what they hold: `[slots, width]`."""
        return list(zip(self._blocks, self._slots.blocks(), strict=True))


class DeviceNumbers:
    """The numbers of one step of tensors on CUDA devices.

    Args:
        device_scratch: Memory for intermediate results.
    """

    def __init__(self, device_scratch: DeviceScratch) -> None:
        self._scratch = device_scratch
        # By stream, number of rows, whether these are samples, and whether samples are recorded singly.
        self._sums: dict[tuple[object, ...], tuple[TensorEntry, _Tensors]] = {}
        self._histograms: dict[tuple[DeviceStream, torch.dtype], _Tensors] = {}
        self._units: dict[DeviceStream, _Tensors] = {}
        self._refusing: set[torch.device] = set()

    def read(self, tensor: Waiting, owners: Owners) -> bool:
        """Reads a tensor, also for its histogram and for its units, in the order of the current stream. Nothing waits for the device.

        Args:
            tensor: The tensor. Its key says whether it has units.
            owners: The records that get the numbers. Some may be added until `parts` is called.

        Returns:
            Whether it did. If not, torch has to compute its numbers: there are no kernels for it, the driver refuses, or memory is full.
        """
        device = tensor.values.device
        kernels = None if device in self._refusing or not _can_be_read(tensor) else kernels_of(device)
        if kernels is None:
            return False
        with undisturbed():
            try:
                # Torch would make several copies to compute the numbers of a tensor that does not lie in one piece.
                values = tensor.values.contiguous()
                self._read_rows(kernels, tensor, values, owners)
                if has_units(tensor):
                    self._measure_units(kernels, tensor, values, owners)
            except RuntimeError:
                # What was taken for it holds no numbers, so it must have no records. Numbers that were read before are right.
                for tensors in (*self._all_sums(), *self._histograms.values(), *self._units.values()):
                    tensors.disown(owners)
                self._refusing.add(device)
                return False
        return True

    def parts(self, samples: Sequence[int]) -> list[Part]:
        """Computes the numbers of all tensors that were read, on their devices. Nothing waits for these."""
        parts: list[Part] = []
        with undisturbed():
            for entry, tensors in self._sums.values():
                for block, filled in tensors.filled():
                    keys, picks = block.keys_and_picks()
                    summary = summary_of_sums(filled.view(len(block.owners), -1, FIELDS), entry.batch_dimension is not None)
                    parts += summary_parts(keys, entry, summary, samples, picks=picks)
            for section, all_tensors in ((HISTOGRAM, self._histograms), (UNITS, self._units)):
                for tensors in all_tensors.values():
                    for block, filled in tensors.filled():
                        keys, picks = block.keys_and_picks()
                        parts.append(Part(Place(keys, section, 0, tuple(block.sizes), picks), filled.view(1, -1)))
            # What was read in vain has no records.
            parts = [part for part in parts if part.place.keys]
        self.clear()
        return parts

    def clear(self) -> None:
        """Forgets what was read."""
        self._sums, self._histograms, self._units = {}, {}, {}

    def _all_sums(self) -> list[_Tensors]:
        return [tensors for _, tensors in self._sums.values()]

    def _read_rows(self, kernels: DeviceKernels, tensor: Waiting, values: Tensor, owners: Owners) -> None:
        entry, limit = tensor.entry, tensor.histogram_values
        stream = DeviceStream(values.device, current_stream(values.device))
        has_batch = entry.batch_dimension is not None
        rows = values.shape[0] if has_batch else 1
        group = stream, rows, has_batch, entry.samples == 0
        if group not in self._sums:
            count = max(1, min(_TENSORS, _SUMS_OF_BLOCK // (rows * FIELDS)))
            self._sums[group] = entry, _Tensors(Slots(stream, torch.float64, rows * FIELDS, count))
        sums = self._sums[group][1].take(owners)
        stride = stride_of(tuple(values.shape), limit) if limit else 0
        sample = 0
        if stride:
            kind = stream, values.dtype
            if kind not in self._histograms:
                self._histograms[kind] = _Tensors(Slots(stream, values.dtype, 1, _HISTOGRAM_VALUES))
            sample = self._histograms[kind].take(owners, -(-values.numel() // stride))
        kernels.read_rows(
            _DTYPES[values.dtype],
            values.data_ptr(),
            rows,
            values.numel() // rows,
            sums=sums,
            scratch=self._scratch.of(stream),
            stream=stream.handle,
            stride=stride,
            sample=sample,
        )

    def _measure_units(self, kernels: DeviceKernels, tensor: Waiting, values: Tensor, owners: Owners) -> None:
        stream, chosen = DeviceStream(values.device, current_stream(values.device)), tensor.entry.units_count
        if stream not in self._units:
            self._units[stream] = _Tensors(Slots(stream, torch.float32, 1, _UNIT_VALUES))
        kernels.measure_units(
            _DTYPES[values.dtype],
            values.data_ptr(),
            sizes_around_units(tensor.entry),
            chosen,
            result=self._units[stream].take(owners, 2 * chosen),
            scratch=self._scratch.of(stream),
            stream=stream.handle,
        )


def _can_be_read(tensor: Waiting) -> bool:
    """Whether a kernel can read its memory, and knows what is recorded of it."""
    values, entry = tensor.values, tensor.entry
    return (
        values.dtype in _DTYPES
        and entry.kind in _KINDS
        and entry.batch_dimension in (None, 0)
        and values.numel() > 0
        and is_plain(values)
        and not values.is_neg()
        # Such a tensor would be copied as a whole.
        and (values.numel() <= PIECE_VALUES or values.is_contiguous())
        # Within a transform such as `torch.func.grad`, or a mode that sees operations, a tensor may have no memory of its own.
        and innermost_transform() is None
        and not count_dispatch_modes()
    )


def summary_of_sums(sums: Tensor, of_batch: bool) -> Summary:
    """Computes the numbers of tensors of `B` samples from what `DeviceKernels.read_rows` has written of each, `[T, B, FIELDS]`.

    `of_batch` asks for `over_batch`.
    """
    total, magnitudes, shifted, squares, smallest, largest, nan, plus_infinity, minus_infinity, zeros, size = sums.unbind(dim=2)
    std = torch.where(size > 1, ((squares - shifted.square() / size).clamp(min=0) / (size - 1)).sqrt(), 0.0)
    # Magnitudes, since the larger of 0 and -0 may be -0.
    largest_magnitude = torch.maximum(smallest.abs(), largest.abs())
    largest_magnitude = torch.where(plus_infinity + minus_infinity > 0, torch.inf, largest_magnitude)
    largest_magnitude = torch.where(nan > 0, torch.nan, largest_magnitude)
    items = torch.stack([total / size, magnitudes / size, std, largest_magnitude], dim=1)
    extrema = torch.stack([smallest.amin(dim=1), largest.amax(dim=1)], dim=1)
    extrema = torch.where(extrema[:, :1] <= extrema[:, 1:], extrema, torch.nan)
    return Summary(
        counts=torch.stack([nan, plus_infinity, minus_infinity, zeros], dim=1).sum(dim=2).to(torch.int64),
        extrema=extrema.float(),
        items=items.float(),
        over_batch=_over_batch(items).float() if of_batch else None,
    )


def _over_batch(items: Tensor) -> Tensor:
    """`[T, 4, B]` to `[T, 4, 3]`: mean, largest magnitude and standard deviation over the batch."""
    std = items.std(dim=2) if items.shape[2] > 1 else torch.zeros_like(items[..., 0])
    return torch.stack([items.mean(dim=2), items.abs().amax(dim=2), std], dim=2)
