from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
import torch

from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.native import load_kernels


class MakeRecorder(Protocol):
    def __call__(self, **arguments: Any) -> ComgraRecorder: ...  # noqa: ANN401


@pytest.fixture(params=["compiled", "torch"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The way in which numbers are computed."""
    way: str = request.param
    if way == "torch":
        monkeypatch.setattr("comgra_export.recorder.numbers.kernels._KERNELS", None)
    elif load_kernels() is None:
        pytest.skip("the package was installed without compiled kernels: there was no C compiler")
    return way


@pytest.fixture
def make_recorder(tmp_path: Path) -> Iterator[MakeRecorder]:
    """Makes strict recorders that record every step, each with a trial of its own."""
    made: list[ComgraRecorder] = []

    def make(**arguments: Any) -> ComgraRecorder:  # noqa: ANN401
        defaults = {
            "trial_id": f"trial-{len(made)}",
            "decision_maker_for_recordings": DecisionMakerForRecordingsFrequencyPerType(1),
            "strict": True,
        }
        made.append(ComgraRecorder(tmp_path, **{**defaults, **arguments}))
        return made[-1]

    yield make
    for recorder in made:
        recorder.abandon_batch()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "finalize: no step was recorded", ComgraRecordingWarning)
            recorder.finalize()


@pytest.fixture
def recorder(make_recorder: MakeRecorder) -> ComgraRecorder:
    return make_recorder()


@pytest.fixture(autouse=True)
def fixed_seed() -> Iterator[None]:
    """Random inputs that are the same in every run."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield
