"""The statistics of single units on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import (
    Blob,
    Group,
    Header,
    Layout,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
    TensorEntry,
    open_recording,
)
from comgra_export.storage.arrays.unit_arrays import UNITS_ARRAY, encode_units
from comgra_export.storage.model.layout import positions_of_units
from support.storage.entries import tensor_entry


def _tensor(name: str, shape: tuple[int, ...], unit_dimension: int | None) -> TensorEntry:
    return tensor_entry(name, kind="kpis", shape=shape, batch_dimension=0, unit_dimension=unit_dimension)


def _write(folder: Path, units: Blob | None, unit_dimension: int | None = 1) -> None:
    layout = Layout(
        (_tensor("a", (4, 2), None), _tensor("b", (4, 3), unit_dimension), _tensor("c", (4, 2, 5), unit_dimension)),
        (Group("forward", (0, 2, 1)), Group("gradients", (0, 1, 2))),
    )
    writer = RecordingWriter(folder, Header("group", "trial"))
    digest = writer.write_layout(layout)
    arrays = [
        ("counts", Blob("I32", np.zeros((6, 5), np.int32))),
        ("extrema.F32", Blob("F32", np.zeros((6, 2), np.float32))),
        ("statistics.F32", Blob("F32", np.zeros(6 * 12, np.float32))),
    ]
    if units is not None:
        arrays.append((UNITS_ARRAY, units))
    writer.write_step(StepDescription(0, "train", 4, digest, (), RecordedSamples(())), arrays)
    writer.close()


def test_units_come_back_in_the_order_of_the_forward_pass(tmp_path: Path) -> None:
    _write(tmp_path / "r", encode_units(np.arange(10, dtype=np.float32)))
    units = open_recording(tmp_path / "r").units(0)
    assert {name: rows.tolist() for (name, _), rows in units.items()} == {"c": [[0, 1], [2, 3]], "b": [[4, 5, 6], [7, 8, 9]]}


def test_a_recording_without_units_has_none(tmp_path: Path) -> None:
    _write(tmp_path / "r", None, unit_dimension=None)
    recording = open_recording(tmp_path / "r")
    assert recording.check_step(0)
    assert recording.units(0) == {}
    assert "unit_dimension" not in next((tmp_path / "r" / "layouts").iterdir()).read_text("utf-8")


@pytest.mark.parametrize("count", [None, 9, 11])
def test_too_few_or_many_are_damage(tmp_path: Path, count: int | None) -> None:
    _write(tmp_path / "r", None if count is None else encode_units(np.ones(count, np.float32)))
    recording = open_recording(tmp_path / "r")
    assert not recording.check_step(0)
    with pytest.raises(DamagedRecordingError, match=r"units\.BF16"):
        recording.units(0)


@pytest.mark.parametrize("dimension", [0, 3])
def test_a_dimension_that_cannot_be_that_of_units_is_damage(tmp_path: Path, dimension: int) -> None:
    _write(tmp_path / "r", encode_units(np.ones(10, np.float32)), unit_dimension=1)
    file = next((tmp_path / "r" / "layouts").iterdir())
    text = file.read_text("utf-8").replace('"unit_dimension":[null,1,1]', f'"unit_dimension":[null,1,{dimension}]')
    file.write_text(text, "utf-8")
    assert not open_recording(tmp_path / "r").check_step(0)


def test_numbers_are_rounded_to_two_digits_and_only_zeros_become_zero() -> None:
    # 1 + 2**-8 lies between two numbers of bfloat16, of which the even one is 1; 3 * 2**-8 above 1 rounds up.
    numbers = np.array([0, 1, 1 + 2**-8, 1 + 3 * 2**-8, 1e-45, np.inf, np.nan], np.float32)
    blob = encode_units(numbers)
    wide = (blob.data.astype(np.uint32) << 16).view(np.float32)
    assert wide[:4].tolist() == [0, 1, 1, 1 + 2**-6]
    assert wide[4] > 0
    assert wide[5] == np.inf
    assert np.isnan(wide[6])


def test_evenly_spaced_units_are_kept_of_many() -> None:
    assert list(positions_of_units(3)) == [0, 1, 2]
    assert list(positions_of_units(1024)) == list(range(1024))
    places = list(positions_of_units(2048))
    assert places == list(range(0, 2048, 2))
