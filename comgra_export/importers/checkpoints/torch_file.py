"""Opens checkpoints that `torch.save` wrote, without torch: nothing in the pickle is called."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ForeignDataError
from comgra_export.importers.checkpoints.tensors import Checkpoint, SavedTensor
from comgra_export.importers.checkpoints.torch_names import TORCH_NAMES, PickledTensor, storage_of
from comgra_export.importers.pickles.machine import PickleMachine
from comgra_export.importers.pickles.numpy_values import RefusedError
from comgra_export.importers.pickles.reader import run_pickle
from comgra_export.storage import ARRAY_DTYPES
from comgra_export.storage.arrays.safetensors import widened

__all__ = ["open_torch_file"]

_MAX_DEPTH = 16
_MAX_VIEWS = 64
_LARGEST_PICKLE = 256 * 1024 * 1024
# Where training loops put the weights beside other things.
_KEYS_OF_WEIGHTS = ("state_dict", "model_state_dict", "model", "module", "net", "weights")


def open_torch_file(path: Path, name: str) -> Checkpoint:
    """Opens a file in the format that PyTorch has written since version 1.6: a zip with a pickle, and the numbers beside it.

    If it holds a dict with weights under a usual key such as `state_dict`, these are taken; else all tensors in it.

    Raises:
        ForeignDataError: It is damaged, or its pickle holds more than tensors, numbers, texts and containers of them.
        OSError: It cannot be read.
    """
    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
            pickles = [entry for entry in names if entry.rsplit("/", 1)[-1] == "data.pkl"]
            if len(pickles) != 1:
                raise ForeignDataError(f"{name} is not read: it is not a file that torch.save has written since PyTorch 1.6.")
            folder = pickles[0].removesuffix("data.pkl")
            machine = PickleMachine(_member(archive, pickles[0], name, _LARGEST_PICKLE), TORCH_NAMES, storage_of)
            content = run_pickle(machine)
            is_big = f"{folder}byteorder" in names and _member(archive, f"{folder}byteorder", name, 16) == b"big"
            sizes = {entry.filename.removeprefix(f"{folder}data/"): entry.file_size for entry in archive.infolist()}
    except BadZipFile:
        raise ForeignDataError(f"{name} is not read: its zip is damaged; it may have been cut off.") from None
    except RefusedError as refused:
        raise ForeignDataError(f"{name} is not read: at byte {machine.stream.at:,} of its pickle, {refused}.") from None
    tensors = {}
    # A small pickle may view the same large storage a million times, and it is read each time.
    left = _MAX_VIEWS * path.stat().st_size
    for tensor, pickled in _tensors(_weights(content), ""):
        itemsize = ARRAY_DTYPES[pickled.storage.dtype].itemsize
        left -= pickled.storage.size * itemsize
        if sizes.get(pickled.storage.key) != pickled.storage.size * itemsize or left < 0:
            raise ForeignDataError(f"{name} is not read: the numbers of {tensor[:60]!a} are not there as announced.")
        member = f"{folder}data/{pickled.storage.key}"
        tensors[tensor] = SavedTensor(pickled.storage.dtype, pickled.shape, partial(_read, path, member, name, pickled, is_big))
    return Checkpoint(tensors)


def _weights(content: object) -> object:
    """The part of a checkpoint that holds the weights."""
    if isinstance(content, dict):
        for key in _KEYS_OF_WEIGHTS:
            if isinstance(content.get(key), dict) and next(_tensors(content[key], ""), None) is not None:
                return content[key]
    return content


def _tensors(value: object, prefix: str, depth: int = 0) -> Iterator[tuple[str, PickledTensor]]:
    """The tensors in a value, with the keys on the way to them as their names, and dots between."""
    if isinstance(value, PickledTensor):
        yield prefix or "tensor", value
    elif depth < _MAX_DEPTH and isinstance(value, (dict, list, tuple)):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in members:
            yield from _tensors(member, f"{prefix}.{key}" if prefix else str(key), depth + 1)


def _read(path: Path, member: str, name: str, tensor: PickledTensor, is_big: bool) -> NDArray[np.generic]:
    dtype = ARRAY_DTYPES[tensor.storage.dtype]
    with ZipFile(path) as archive:
        octets = _member(archive, member, name, tensor.storage.size * dtype.itemsize)
    flat = np.frombuffer(octets, dtype.newbyteorder(">") if is_big else dtype)
    if len(flat) != tensor.storage.size:
        raise ForeignDataError(f"{name} changed while it was read.")
    if not all(tensor.shape):
        return widened(tensor.storage.dtype, np.zeros(tensor.shape, dtype))
    strides = [stride * dtype.itemsize for stride in tensor.strides]
    view = np.lib.stride_tricks.as_strided(flat[tensor.offset :], tensor.shape, strides, writeable=False)
    return widened(tensor.storage.dtype, view.astype(dtype))


def _member(archive: ZipFile, member: str, name: str, most: int) -> bytes:
    """The content of a file in the zip, which PyTorch never compresses."""
    entry = archive.getinfo(member)
    if entry.compress_type != ZIP_STORED or entry.file_size > most:
        raise ForeignDataError(f"{name} is not read: {member[-60:]!a} in it is compressed or too large.")
    try:
        return archive.read(member)
    except (BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError):
        raise ForeignDataError(f"{name} is not read: {member[-60:]!a} in it cannot be read.") from None
