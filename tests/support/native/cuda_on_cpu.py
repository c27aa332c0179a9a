"""The CUDA kernels, compiled for the CPU, where no device is needed to test them. They read the memory of tensors on the CPU."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from comgra_export.native.cuda.compiling import SOURCES
from support.once import Once

__all__ = ["EmulatedModule", "compile_for_cpu", "emulated_module"]

_EMULATION = Path(__file__).with_suffix(".cpp")


def compile_for_cpu(folder: Path, options: Sequence[str] = ()) -> str:
    """Compiles the kernels with g++, also with further options, and returns the library."""
    library, together = folder / "cuda_on_cpu.so", folder / "kernels.cu"
    together.write_text("\n".join(path.read_text("utf-8") for path in SOURCES), "utf-8")
    flags = ["-std=c++17", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-Wno-unknown-pragmas", f'-DKERNELS="{together}"', *options]
    subprocess.run(["g++", *flags, str(_EMULATION), "-o", str(library)], check=True)
    return str(library)


class EmulatedModule:
    """Stands for a `DeviceModule`. A kernel has run when `launch` returns."""

    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)

    def launch(self, name: str, blocks: int, threads: int, _stream: int, argument: bytes) -> None:
        """Runs a kernel."""
        if not self._library.launch(name.encode(), blocks, threads, argument):
            raise RuntimeError(f"there is no kernel {name}")


@pytest.fixture(scope="session")
def emulated_module(once: Once) -> EmulatedModule:
    if shutil.which("g++") is None:
        pytest.skip("there is no g++ to compile the CUDA kernels for the CPU")
    return EmulatedModule(once("cuda_on_cpu", compile_for_cpu))
