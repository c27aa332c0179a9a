"""Values of some records are read without those of the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from comgra_export.storage import Recording, iterate_records
from support.analysis.runs import Given, RunByHand


def test_the_values_of_some_records_are_those_that_were_written(tmp_path: Path) -> None:
    names = ("a", "b", "c")
    written = RunByHand(tmp_path, [*(Given(name, values=True) for name in names), Given("d")])
    arrays = {name: np.arange(12, dtype=np.float32).reshape(3, 2, 2) + 100 * k for k, name in enumerate((*names, "d"))}
    written.step(7, arrays)
    recording = written.read().recording
    assert isinstance(recording, Recording)
    places = {place.entry.name: place for place in iterate_records(recording.layout(recording.step(7).layout))}
    read = recording.values(7, [places["c"], places["a"], places["d"]])
    assert [values.shape for values in read] == [(3, 4), (3, 4), (0, 4)]
    assert np.array_equal(read[0], arrays["c"].reshape(3, 4))
    assert np.array_equal(read[1], arrays["a"].reshape(3, 4))


def test_mapped_values_are_those_that_were_written_and_cannot_be_changed(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("a", values=True), Given("n", values=True, dtype="I16"), Given("d")])
    arrays = {"a": np.arange(12, dtype=np.float32).reshape(3, 4), "n": np.arange(6, dtype=np.float32).reshape(3, 2), "d": np.ones((3, 2))}
    written.step(7, arrays)
    recording = written.read().recording
    assert isinstance(recording, Recording)
    for place in iterate_records(recording.layout(recording.step(7).layout)):
        mapped = recording.mapped_values(7, place)
        name = place.entry.name
        if name == "d":
            assert mapped.shape == (0, 2)
            continue
        assert mapped.dtype == (np.int16 if name == "n" else np.float32)
        assert not mapped.flags.writeable
        np.testing.assert_array_equal(mapped, arrays[name])
