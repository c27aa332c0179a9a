"""The kernels of each CUDA device. They are compiled when the recorder first reads a tensor there."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import torch

from comgra_export.native.cuda import CannotCompileError, DeviceKernels, DeviceModule, compile_kernels, find_compiler

__all__ = ["SWITCH", "current_stream", "kernels_of"]


SWITCH = "COMGRA_EXPORT_CUDA_KERNELS"
"""The environment variable that turns the kernels on. They are off by default as long as they have run on an emulated device only."""


@cache
def kernels_of(device: torch.device) -> DeviceKernels | None:
    """The kernels of a device. None if it is no CUDA device, or the kernels cannot be compiled: then torch computes the numbers.

    They are compiled only if the environment variable `SWITCH` is 1. If they cannot be, there is a warning.
    """
    if device.type != "cuda" or torch.version.cuda is None or os.environ.get(SWITCH) != "1":
        return None
    version = torch.version.cuda.partition(".")[0]
    name = f"nvrtc64_{version}0_0.dll" if sys.platform == "win32" else f"libnvrtc.so.{version}"
    try:
        major, minor = torch.cuda.get_device_capability(device)
        code = compile_kernels(find_compiler([name], _folders_of_torch()), f"sm_{major}{minor}")
        return DeviceKernels(DeviceModule(code, torch.cuda.current_device() if device.index is None else device.index))
    except (CannotCompileError, OSError, RuntimeError) as error:
        warnings.warn(f"{SWITCH} has no effect: {error}. Torch computes the numbers.", RuntimeWarning, stacklevel=2)
        return None


def current_stream(device: torch.device) -> int:
    """The stream in which this thread computes on a CUDA device."""
    stream: int = torch.cuda.current_stream(device).cuda_stream
    return stream


def _folders_of_torch() -> Iterator[Path]:
    """Where PyTorch keeps the libraries that it brings along: in its own folder, or in packages beside it."""
    folder = Path(torch.__file__).parent
    yield folder / "lib"
    packages = folder.with_name("nvidia")
    yield from sorted(packages.glob("*/bin" if sys.platform == "win32" else "*/lib"))
