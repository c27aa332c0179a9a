"""On how many threads the recorder computes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

from comgra_export import ComgraRecorder
from comgra_export.native import load_kernels
from comgra_export.recorder.host.threads import leave_processors_to_training, threads_to_use
from comgra_export.recorder.numbers import kernels
from support.recorder.reading import read_records


@pytest.fixture(autouse=True)
def several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine has, torch says that it computes on three threads."""
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)


def test_as_many_as_torch_takes_but_alone_beside_the_training() -> None:
    counts: list[int] = []

    def beside() -> None:
        counts.append(threads_to_use())
        leave_processors_to_training()
        counts.append(threads_to_use())

    thread = threading.Thread(target=beside)
    thread.start()
    thread.join()
    assert counts == [3, 1]
    assert threads_to_use() == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_in_a_forked_child_one_thread_computes() -> None:
    # A child has no other threads, so waiting for them would never end.
    child = os.fork()
    if not child:
        os._exit(0 if threads_to_use() == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(load_kernels() is None, reason="the package was installed without compiled kernels: there was no C compiler")
def test_the_thread_that_writes_computes_alone(recorder: ComgraRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, set[int]] = {}

    def note() -> int:
        threads.setdefault(threading.current_thread().name, set()).add(threads_to_use())
        return 1

    monkeypatch.setattr(kernels, "threads_to_use", note)
    with recorder.batch(0, 4), recorder.iteration():
        recorder.register_tensor("small", torch.randn(4, 30))
        recorder.register_tensor("large", torch.randn(4, 30_000), recording_type="kpis")
    assert len(read_records(recorder)) == 2
    assert threads["comgra_export writing"] == {1}
    assert threads["MainThread"] == {3}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are not listed here")
def test_the_threads_of_torch_stay_as_they_are() -> None:
    # Threads keep their settings, such as treating subnormal numbers as zeros. New threads would not have them.
    script = """
import os, torch
from comgra_export.recorder.numbers.kernels import is_fit_matrix, largest_magnitude, largest_singular_values

torch.set_num_threads(4)
large, matrices = torch.randn(3_000_000), [torch.randn(50, 60), torch.randn(70, 80)]
large * large
threads = os.listdir("/proc/self/task")
if is_fit_matrix(matrices[0]):
    largest_magnitude(large)
    largest_singular_values(matrices)
large * large
assert os.listdir("/proc/self/task") == threads
"""
    subprocess.run([sys.executable, "-c", script], check=True)
