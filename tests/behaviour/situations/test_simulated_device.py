"""On an accelerator whose memory only its own kernels can read, simulated on the CPU: training is the same, and nothing waits in a step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.places import TESTS
from support.processes import ReadyProcesses

SCRIPT = f"""
import runpy, sys
sys.path[:0] = [{str(TESTS)!r}]
runpy.run_module("support.recorder.on_simulated_device", run_name="__main__")
"""


def test_recording_on_a_device(processes: ReadyProcesses, tmp_path: Path) -> None:
    # The device cannot be removed from a process again.
    done = processes.run(SCRIPT, tmp_path, tmp_path, warnings_are_errors=False)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    # The training itself does not wait, so every wait would be ours.
    assert outcome["waits alone"] == 0
    for name in ("watched", "with sentinels"):
        result = outcome[name]
        assert (result["is the same"], result["steps"], result["devices"]) == (True, 2, ["simulated:0"]), name
        # The numbers of a step travel at its end, and curves and sentinels with them.
        assert result["waits"] == 0, name
        assert result["transfers"] > 0
        assert result["statistics"].keys() == outcome["statistics of the CPU"].keys()
        for key, numbers in outcome["statistics of the CPU"].items():
            assert result["statistics"][key] == pytest.approx(numbers, rel=1e-4, abs=1e-6), key
    # A large matrix would hold up the device.
    assert (outcome["kinds"]["model.first.weight"], outcome["kinds"]["model.last.weight"]) == ("kpis", "kpis_and_svd")
    assert "largest singular value is left out" in outcome["gaps"]["model.first.weight"]
    assert "model.last.weight" not in outcome["gaps"]
