"""Gradient flows written for vnittest, and read the way vnittest does."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from comgra_export.importers.pickles.reader import read_pickle
from comgra_export.storage import (
    FlowLayer,
    FlowNumbers,
    FlowPair,
    GradientFlow,
    Header,
    Layout,
    PairNumbers,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
)
from support.importers.vnittest_files import SAMPLE


def read(folder: Path) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Reads a file the way vnittest does. Only for files that the test itself has written."""
    info = pickle.loads((folder / "flow_info.pkl").read_bytes())
    return info, _picture(folder / "input_representation.npy"), _picture(folder / "target_representation.npy")


def read_sample() -> tuple[Any, np.ndarray, np.ndarray]:
    """The content of the sample file. It came from elsewhere, so nothing unpickles it."""
    path = SAMPLE / "test_flow_info.pkl"
    info = read_pickle(path.read_bytes(), path.name)
    return info, _picture(SAMPLE / "test_input_representation.npy"), _picture(SAMPLE / "test_target_representation.npy")


def _picture(path: Path) -> np.ndarray:
    picture: np.ndarray = np.load(path, allow_pickle=False)
    return picture


def assert_same(actual: object, expected: object) -> None:
    """Equal keys, shapes, dtypes and bits."""
    if isinstance(expected, np.ndarray):
        assert isinstance(actual, np.ndarray)
        assert (actual.dtype, actual.shape, actual.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())
    elif isinstance(expected, dict):
        assert isinstance(actual, dict)
        assert set(actual) == set(expected)
        for key, value in expected.items():
            assert_same(actual[key], value)
    elif isinstance(expected, tuple):
        assert isinstance(actual, tuple)
        for left, right in zip(actual, expected, strict=True):
            assert_same(left, right)
    else:
        assert actual == expected


def write_channels(root: Path, names: tuple[str, str] = ("x", "y")) -> None:
    """Two samples, 3 and 5, of two layers `[2, 1, 2]` and `[2]`; element i leads to target 0 with 10 * sample + i, and 1 to 1 with -1."""
    layers = (
        FlowLayer(names[0], (2, 1, 2), "input"),
        FlowLayer(names[1], (2,)),
    )
    flow = GradientFlow("exact flow", 0, "exact", (3, 5), layers, (FlowPair(0, 1),))
    starts, targets, flows = [0], [], []
    for sample in (3, 5):
        for element in range(4):
            row = [(0, 10.0 * sample + element)] + ([(1, -1.0)] if element == 1 else [])
            targets += [target for target, _ in row]
            flows += [value for _, value in row]
            starts.append(len(targets))
    computed = np.array([[1, 1], [1, 0]], np.uint8)
    pair = PairNumbers(np.array(starts), np.array(targets, np.int32), np.array(flows, np.float32), computed)
    numbers = FlowNumbers((np.arange(8, dtype=np.float32).reshape(2, 4), None), (np.array([[1, 1, -1, -2]] * 2, np.float32), None), (pair,))
    writer = RecordingWriter(root / "group" / "trial" / "rank-0", Header("group", "trial"))
    layout = writer.write_layout(Layout((), ()))
    for step in (4, 8):
        writer.add_finished_step(step)
        description = StepDescription(step, "train", 8, layout, (None,), RecordedSamples(()), flows=(flow,))
        writer.write_step(description, [], [numbers])
    writer.close()
