"""What all tests share: their imports, how long they search for counterexamples, and a check that they leave nothing behind."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

import comgra_export
from support.breadth import BREADTHS
from support.leaks import nothing_is_left_behind
from support.once import once
from support.places import CHECKOUT
from support.processes import processes

__all__ = ["nothing_is_left_behind", "once", "processes"]

# Workers share the processors. What tests threads asks for its own.
os.environ.setdefault("OMP_NUM_THREADS", "1")

PACKAGE = Path(comgra_export.__file__).parent

# `benchmarks`, `evaluation` and `examples` stand beside the package in a checkout.
# Last, so that an installed package goes before the sources.
sys.path.append(str(CHECKOUT))

for name in BREADTHS:
    settings.register_profile(name, deadline=None)
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--installed", action="store_true", help="refuse to test anything but an installed package")
    parser.addoption("--viewer-coverage", metavar="FOLDER", help="write there what browser tests run of the viewer's script")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("installed") and PACKAGE == CHECKOUT / "comgra_export":
        raise pytest.UsageError(f"--installed: comgra_export was imported from the sources, {PACKAGE}")


@pytest.fixture(scope="module", autouse=True)
def old_objects_are_no_garbage() -> None:
    """Leaves what was there before to itself: a collection would look at half a million objects of torch, several times in a test."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """No module of the sources has slipped in beside those of the installed package."""
    if session.config.getoption("installed"):
        files = [getattr(module, "__file__", None) for name, module in sys.modules.items() if name.startswith("comgra_export")]
        strangers = [file for file in files if file and not Path(file).is_relative_to(PACKAGE)]
        assert not strangers, strangers
