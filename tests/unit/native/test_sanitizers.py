"""The kernels under the address and undefined-behaviour sanitizers, in a process without torch. Only `make test-full` runs it.

Those for CUDA devices run on the CPU for this.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from comgra_export.native.compiling import SOURCES, compile_kernels
from support.breadth import breadth
from support.native.cuda_on_cpu import compile_for_cpu
from support.places import CHECKOUT

OPTIONS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g"
ROUNDS = 1000
# Each runs thousands of threads, one after the other.
CUDA_ROUNDS = 5

# One value more than there is.
TOO_FAR = "size = 17; values = np.zeros(size, np.float32); print(loaded.largest_magnitude(values.ctypes.data, size + 1))"

COMPILERS = {"gcc", "g++"}

# The same of a CUDA kernel.
TOO_FAR_IN_CUDA = """
import sys
import numpy as np
from comgra_export.native.cuda.kernels import FIELDS, DeviceKernels, KernelScratch
from support.native.cuda_on_cpu import EmulatedModule
values, sums, counters = np.zeros(17, np.uint32), np.empty(FIELDS), np.zeros(1, np.uint32)
scratch = KernelScratch(sums.ctypes.data, sums.ctypes.data, counters.ctypes.data)
DeviceKernels(EmulatedModule(sys.argv[1])).read_rows(
    "F32", values.ctypes.data, 1, 18, sums=sums.ctypes.data, scratch=scratch, stream=0)
"""

needs_gcc = pytest.mark.skipif(
    sys.platform != "linux" or not all(map(shutil.which, COMPILERS)), reason="there is no GCC with sanitizers for Linux"
)


@pytest.fixture(autouse=True)
def in_full_runs() -> None:
    if breadth() != "full":
        pytest.skip("only `make test-full` runs the kernels under sanitizers")


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CC", f"gcc {OPTIONS}")
    compiled = tmp_path / "kernels.so"
    assert compile_kernels(SOURCES, compiled) is None
    return compiled


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
    settings = {
        "LD_PRELOAD": runtime,
        # Python does not give back all memory at its end.
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONPATH": os.pathsep.join([str(CHECKOUT / "tests"), *sys.path]),
    }
    return subprocess.run([sys.executable, *arguments], env={**os.environ, **settings}, capture_output=True, text=True, check=False)


@pytest.mark.slow
@needs_gcc
def test_no_kernel_leaves_its_memory_or_does_what_is_undefined(library: Path) -> None:
    done = run("-m", "support.native.exercise", str(library), str(ROUNDS), "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{11 * ROUNDS} calls\n"


@pytest.mark.slow
@needs_gcc
def test_the_sanitizers_notice(library: Path) -> None:
    load = "import sys, numpy as np; from pathlib import Path; from comgra_export.native import kernels; "
    done = run("-c", f"{load}kernels.LIBRARY = Path(sys.argv[1]); loaded = kernels.load_kernels(); {TOO_FAR}", str(library))
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr


@pytest.mark.slow
@needs_gcc
def test_no_cuda_kernel_leaves_its_memory_or_does_what_is_undefined(tmp_path: Path) -> None:
    done = run("-m", "support.native.exercise_cuda", compile_for_cpu(tmp_path, OPTIONS.split()), str(CUDA_ROUNDS), "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{10 * CUDA_ROUNDS} calls\n"


@pytest.mark.slow
@needs_gcc
def test_the_sanitizers_notice_in_cuda_kernels(tmp_path: Path) -> None:
    done = run("-c", TOO_FAR_IN_CUDA, compile_for_cpu(tmp_path, OPTIONS.split()))
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr
