"""The fixtures of the recorder's tests, and each test twice: numbers are computed by torch, and by the kernels."""

from __future__ import annotations

import os

import pytest

from comgra_export.recorder.cuda.devices import SWITCH
from comgra_export.recorder.numbers import device_numbers
from support.recorder.fixtures import fixed_seed, make_recorder, recorder

__all__ = ["by", "fixed_seed", "make_recorder", "recorder"]

# Before a kernel is asked for: they are compiled once.
os.environ[SWITCH] = "1"


@pytest.fixture(params=["torch", "kernels"], autouse=True)
def by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "torch":
        monkeypatch.setattr(device_numbers, "kernels_of", lambda _: None)
    return str(request.param)
