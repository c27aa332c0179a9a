"""Reduced bundles: something is left out or rounded, the rest is right, and the bundle fits."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from comgra_export.errors import ExportError, OutputExistsError
from comgra_export.exporter import Progress, export
from comgra_export.exporter.size import estimate
from comgra_export.exporter.size.budget import Rung
from comgra_export.exporter.size.estimate import Estimate
from comgra_export.storage import (
    Blob,
    Group,
    Header,
    Layout,
    RecordedSamples,
    RecordingWriter,
    ShownTensor,
    StepDescription,
    Structure,
)
from support.exporter.recordings import write_trial
from support.exporter.unpacker import NUMPY_DTYPES, Bundle, read_files
from support.storage.entries import tensor_entry

SAMPLES, VALUES, WEIGHTS, STEPS = 4, 3000, 2000, 12
INDEX = (3, 5, 7, 11)
TENSORS = (
    tensor_entry("h", node="hidden", shape=(16, VALUES), batch_dimension=0, samples=SAMPLES),
    tensor_entry("huge", shape=(16, 5), batch_dimension=0, samples=SAMPLES),
    tensor_entry("ids", type="input", dtype="I64", shape=(16, 2), batch_dimension=0, samples=SAMPLES),
    tensor_entry("w", iteration=-1, type="parameter", shape=(WEIGHTS,)),
)
LAYOUT = Layout(TENSORS, (Group("forward", (0, 1, 2, 3)),))
SIZES = {"h": VALUES, "huge": 5, "ids": 2, "w": WEIGHTS}


def recorded_values(step: int) -> dict[str, NDArray[Any]]:
    """The values of the tensors at a step: `[samples, values]`."""
    generator = np.random.default_rng(step)
    return {
        "h": generator.standard_normal((SAMPLES, VALUES)).astype(np.float32),
        "huge": np.full((SAMPLES, 5), 1e6 + step, np.float32),
        "ids": np.arange(SAMPLES * 2, dtype=np.int64).reshape(SAMPLES, 2) + step,
        "w": generator.standard_normal((1, WEIGHTS)).astype(np.float32),
    }


def recorded_blobs(step: int) -> dict[str, Blob]:
    values = recorded_values(step)
    floats = [values[name] for name in ("h", "huge", "w")]
    statistics = np.random.default_rng(step + 1000).standard_normal(4 * (2 * (3 + SAMPLES) + 1)).astype(np.float32)
    over_batch = [np.stack([x.mean(0), np.abs(x).max(0), x.std(0)]).reshape(-1) for x in (values["h"], values["huge"])]
    return {
        "counts": Blob("I32", np.arange(20, dtype=np.int32).reshape(4, 5) + step),
        "extrema.F32": Blob("F32", np.array([[x.min(), x.max()] for x in floats], np.float32)),
        "extrema.F64": Blob("F64", np.array([[0.0, 100.0]])),
        "statistics.F32": Blob("F32", statistics),
        "statistics.F64": Blob("F64", np.arange(4 * (3 + SAMPLES), dtype=np.float64)),
        "aggregates.F32": Blob("F32", np.concatenate(over_batch).astype(np.float32)),
        "aggregates.F64": Blob("F64", np.arange(6, dtype=np.float64)),
        "values.F32": Blob("F32", np.concatenate([x.reshape(-1) for x in floats])),
        "values.I64": Blob("I64", values["ids"].reshape(-1)),
    }


@pytest.fixture
def group(tmp_path: Path) -> Path:
    for trial in ("first", "second"):
        writer = RecordingWriter(tmp_path / "runs" / "group" / trial / "rank-0", Header("group", trial))
        layout = writer.write_layout(LAYOUT)
        graph = writer.write_structure(
            Structure(tuple(ShownTensor(t.name, t.node, t.role, t.type, t.name, t.iteration) for t in TENSORS), ())
        )
        for step in range(STEPS):
            kind = "train" if step % 3 else "test"
            writer.write_step(StepDescription(step, kind, 16, layout, (graph,), RecordedSamples(INDEX)), list(recorded_blobs(step).items()))
        writer.close()
    return tmp_path / "runs" / "group"


def as_floats(dtype: str, elements: NDArray[Any]) -> NDArray[Any]:
    if dtype == "BF16":
        return np.asarray((elements.astype(np.uint32) << np.uint32(16)).view(np.float32))
    return elements.astype(np.float64)


def arrays_of(bundle: Bundle, row: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """The arrays of a step whose lanes have one chunk each."""
    table, strings = bundle.index["chunks"], bundle.index["strings"]
    array_set = bundle.index["array_sets"][row["array_set"]]
    lanes = {}
    for width in (8, 4, 2, 1):
        number = row[f"lane{width}"]
        data = b"" if number < 0 else base64.b64decode(bundle.encoded(number))
        data = zlib.decompress(data, -15) if number >= 0 and table["codec"][number] == 1 else data
        lanes[width] = np.frombuffer(data, np.uint8).reshape(width, -1).T.tobytes()
    arrays = {}
    for name, dtype, count in zip(array_set["name"], array_set["dtype"], array_set["count"], strict=True):
        numpy_dtype = np.dtype(NUMPY_DTYPES[strings[dtype]])
        size = count * numpy_dtype.itemsize
        arrays[strings[name]] = np.frombuffer(lanes[numpy_dtype.itemsize][:size], numpy_dtype)
        lanes[numpy_dtype.itemsize] = lanes[numpy_dtype.itemsize][size:]
    return arrays


class Step:
    """A step of a bundle, read as the format page says."""

    def __init__(self, bundle: Bundle, trial: str, number: int) -> None:
        row = bundle.step_row(bundle.trial(trial), number)
        self.arrays = arrays_of(bundle, row)
        self.tensors = bundle.listed("layouts", row["layout"])["tensors"]

    def values(self, name: str) -> tuple[str, list[int], NDArray[Any]]:
        """Stored dtype, places of samples, and values `[samples, values]` of a tensor."""
        starts: dict[str, int] = {}
        for row, other in enumerate(self.tensors["name"]):
            kept = self.tensors.get("kept", [None] * 4)[row]
            places = kept if kept is not None else list(range(SAMPLES if self.tensors["batch_dimension"][row] is not None else 1))
            stored = self.tensors["stored"][row]
            start = starts.get(stored, 0)
            starts[stored] = start + len(places) * SIZES[other]
            if other == name:
                raw = self.arrays[f"values.{stored}"][start : starts[stored]] if places else np.zeros(0)
                return stored, places, as_floats(stored, raw).reshape(len(places), SIZES[name])
        raise AssertionError(name)


def assert_statistics_are_exact(step: Step, number: int) -> None:
    for name, blob in recorded_blobs(number).items():
        if name.startswith(("counts", "extrema", "statistics")):
            assert step.arrays[name].tobytes() == blob.data.tobytes(), name


def omissions_of(bundle: Bundle) -> str:
    return " ".join(bundle.index["about"]["omissions"])


def test_nothing_is_different_without_a_choice(group: Path, tmp_path: Path) -> None:
    export(group, tmp_path / "a.html")
    export(group, tmp_path / "b.html", trials="*", steps="0-", tensors="*", samples=4, max_size="100MB")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert Bundle(tmp_path / "a.html").index["about"]["omissions"] == []


def test_trials_and_steps(group: Path, tmp_path: Path) -> None:
    written = export(group, tmp_path / "a.html", trials="sec*", steps="first, every 4th")
    bundle = Bundle(tmp_path / "a.html")
    assert [trial["name"] for trial in bundle.index["trials"]] == ["second"]
    # For each type: test is recorded at 0, 3, 6, 9, and train at 1, 2, 4, 5, 7, 8, 10, 11.
    assert bundle.trial("second")["steps"]["step"] == [0, 1, 7]
    assert "1 of 2 trials are left out: first." in written.omissions
    assert "9 of 12 recorded steps are left out. Curves are whole." in written.omissions


def test_samples_are_chosen_by_their_position_in_the_batch(group: Path, tmp_path: Path) -> None:
    export(group, tmp_path / "a.html", samples="5,11")
    bundle = Bundle(tmp_path / "a.html")
    for number in (0, 7):
        step = Step(bundle, "first", number)
        for name, recorded in recorded_values(number).items():
            stored, places, values = step.values(name)
            assert stored == ("I64" if name == "ids" else "F32")
            assert places == ([0] if name == "w" else [1, 3])
            assert np.array_equal(values, recorded[places])
        assert_statistics_are_exact(step, number)
    # Two of four samples of 3007 values, 12 steps, 2 trials.
    assert f"{2 * 3007 * 24:,} values of single samples" in omissions_of(bundle)


def test_tensors_lose_their_values_and_keep_their_statistics(group: Path, tmp_path: Path) -> None:
    export(group, tmp_path / "a.html", tensors=["hidden", "w", "!w"])
    step = Step(Bundle(tmp_path / "a.html"), "second", 4)
    assert np.array_equal(step.values("h")[2], recorded_values(4)["h"])
    for name in ("huge", "ids", "w"):
        assert step.values(name)[1] == []
    assert step.tensors["aggregates"] == ["F32", None, None, "F32"]
    assert step.arrays["aggregates.F32"].tobytes() == recorded_blobs(4)["aggregates.F32"].data[: 3 * VALUES].tobytes()
    assert "aggregates.F64" not in step.arrays
    assert_statistics_are_exact(step, 4)


def test_precision_rounds_what_fits_and_reports_it(group: Path, tmp_path: Path) -> None:
    export(group, tmp_path / "a.html", precision="float16")
    bundle = Bundle(tmp_path / "a.html")
    step = Step(bundle, "first", 5)
    recorded = recorded_values(5)
    for name, dtype, error in (("h", "F16", 2.0**-9), ("w", "F16", 2.0**-9), ("huge", "BF16", 1e6 * 2.0**-8), ("ids", "I64", 0)):
        stored, _, values = step.values(name)
        assert stored == dtype
        assert np.abs(values - recorded[name]).max() <= error
    assert step.tensors["dtype"] == ["F32", "F32", "I64", "F32"]
    assert_statistics_are_exact(step, 5)
    # Values and aggregates of h, values of w, and aggregates of ids, which are no whole numbers.
    rounded = (4 * VALUES + 3 * VALUES + WEIGHTS + 3 * 2) * 24
    assert f"{rounded:,} values are rounded to float16" in omissions_of(bundle)
    assert "are rounded to bfloat16" in omissions_of(bundle)


def test_without_any_values_statistics_are_left(group: Path, tmp_path: Path) -> None:
    export(group, tmp_path / "a.html", precision="none")
    step = Step(Bundle(tmp_path / "a.html"), "first", 5)
    assert not any(name.startswith(("values", "aggregates")) for name in step.arrays)
    assert_statistics_are_exact(step, 5)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"trials": "third"}, "There is no trial 'third'. There are: first, second."),
        ({"tensors": "!q*"}, "There is no tensor or node 'q*'. There are: h, hidden, huge, ids, w."),
        ({"steps": "100-200"}, "There are 12 recorded steps, from 0 to 11."),
        ({"max_size": 10}, "more than"),
    ],
)
def test_errors_name_what_there_is(group: Path, tmp_path: Path, choice: dict[str, Any], words: str) -> None:
    with pytest.raises(ExportError) as caught:
        export(group, tmp_path / "a.html", **choice)
    assert words in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs"]


def size_of(path: Path) -> int:
    return path.stat().st_size if path.is_file() else sum(len(content) for content in read_files(path).values())


@pytest.mark.parametrize("name", ["a.html", "a.zip", "a"])
@pytest.mark.parametrize("size", [1_500_000, *(pytest.param(size, marks=pytest.mark.slow) for size in (900_000, 500_000)), 150_000])
def test_a_limit_is_used_and_never_exceeded(group: Path, tmp_path: Path, name: str, size: int) -> None:
    export(group, tmp_path / name, max_size=size)
    assert 0.5 * size < size_of(tmp_path / name) <= size
    bundle = Bundle(tmp_path / name)
    for number in bundle.trial("first")["steps"]["step"]:
        assert_statistics_are_exact(Step(bundle, "first", number), number)
    assert f"{size / 1e6:,.1f} MB" in omissions_of(bundle)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.html", "a.zip", "a"])
def test_nothing_is_left_out_where_everything_fits(group: Path, tmp_path: Path, name: str) -> None:
    export(group, tmp_path / name)
    whole = size_of(tmp_path / name)
    assert export(group, tmp_path / name, max_size=whole + 1, force=True).omissions == ()
    assert size_of(tmp_path / name) == whole
    assert export(group, tmp_path / name, max_size=whole - 1, force=True).omissions != ()
    assert 0.5 * whole < size_of(tmp_path / name) < whole


@pytest.mark.slow
def test_a_zip_holds_more_than_a_page_of_the_same_size(group: Path, tmp_path: Path) -> None:
    export(group, tmp_path / "a.zip")
    size = size_of(tmp_path / "a.zip")
    assert export(group, tmp_path / "b.zip", max_size=size).omissions == ()
    assert export(group, tmp_path / "b.html", max_size=size).omissions != ()


def kept_numbers(path: Path) -> Iterable[int]:
    """How many samples' values, parameters' values and steps a bundle has."""
    bundle = Bundle(path)
    steps = [Step(bundle, trial, number) for trial in ("first", "second") for number in bundle.trial(trial)["steps"]["step"]]
    yield sum(step.values("h")[2].size for step in steps)
    yield sum(step.values("w")[2].size for step in steps)
    yield len(steps)


def test_parameters_outlive_samples_and_steps_outlive_values(group: Path, tmp_path: Path) -> None:
    kept = []
    for size in (1_000_000, 400_000, 120_000):
        export(group, tmp_path / "a.html", max_size=size, force=True)
        kept.append(tuple(kept_numbers(tmp_path / "a.html")))
    whole = SAMPLES * VALUES * 2 * STEPS
    (samples, parameters, steps), (fewer_samples, all_parameters, all_steps), least = kept
    assert 0 < samples < whole
    assert (parameters, steps) == (all_parameters, all_steps) == (WEIGHTS * 2 * STEPS, 2 * STEPS)
    assert fewer_samples < samples
    assert least[0] == 0
    assert least[1] < all_parameters
    assert least[2] == 2 * STEPS


def test_the_same_choice_gives_the_same_bytes(group: Path, tmp_path: Path) -> None:
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    for page in pages:
        export(group, page, max_size="700 kB", steps="every 2nd")
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_a_wrong_estimate_is_mended_by_packing_again(group: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size_of_rung = Estimate.size_of
    monkeypatch.setattr(Estimate, "size_of", lambda self, rung: size_of_rung(self, rung) * 0.6)
    stages: list[str] = []

    def note(progress: Progress) -> None:
        if progress.stage == "Packing" and progress.done == 0:
            stages.append(progress.stage)

    export(group, tmp_path / "a.html", max_size="800 kB", progress=note)
    assert 400_000 < (tmp_path / "a.html").stat().st_size <= 800_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "runs"]
    assert len(stages) == 2


def test_the_estimate_counts_what_there_is_over_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If only statistics were recorded, there are as many numbers over time as statistics."""
    generator = np.random.default_rng(5)
    names = [f"tensor {k}" for k in range(300)]
    entries = tuple(tensor_entry(name, kind="kpis", shape=(2, 3), batch_dimension=0) for name in names)
    writer = RecordingWriter(tmp_path / "runs" / "group" / "trial" / "rank-0", Header("group", "trial"))
    layout = writer.write_layout(Layout(entries, (Group("forward", tuple(range(len(names)))),)))
    graph = writer.write_structure(Structure(tuple(ShownTensor(name, name, name, "calculated", name, 0) for name in names), ()))
    for step in range(40):
        blobs = [
            ("counts", Blob("I32", np.zeros((len(names), 5), np.int32))),
            ("extrema.F32", Blob("F32", generator.random((len(names), 2), np.float32))),
            ("statistics.F32", Blob("F32", generator.random(len(names) * 12, np.float32))),
        ]
        writer.write_step(StepDescription(step, "train", 2, layout, (graph,), RecordedSamples(())), blobs)
    writer.close()
    size_of_rung = Estimate.size_of
    estimated: dict[Rung, float] = {}

    def note(self: Estimate, rung: Rung) -> float:
        estimated[rung] = size_of_rung(self, rung)
        return estimated[rung]

    monkeypatch.setattr(Estimate, "size_of", note)
    written = export(tmp_path / "runs", tmp_path / "a.html", max_size="100MB")
    assert written.bytes > 1_500_000
    assert estimated[Rung()] == pytest.approx(written.bytes, rel=0.03)


def test_an_existing_output_is_refused_before_anything_is_measured(group: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate.Estimate, "__init__", lambda *_: pytest.fail("measured"))
    (tmp_path / "a.html").write_text("mine")
    with pytest.raises(OutputExistsError):
        export(group, tmp_path / "a.html", max_size="1MB")


def test_ranks_and_damaged_steps_can_be_reduced(tmp_path: Path) -> None:
    for rank in (0, 1):
        write_trial(tmp_path / "runs", rank=rank, world_size=2)
    blob = tmp_path / "runs" / "group" / "trial" / "rank-0" / "steps" / "000000000007.safetensors"
    blob.write_bytes(blob.read_bytes()[:-8])
    for precision in ("float16", "bfloat16", "none"):
        written = export(tmp_path / "runs", tmp_path / "a.html", precision=precision, samples=1, force=True)
        assert written.steps_left_out == 1
        assert Bundle(tmp_path / "a.html").trial("trial", 1)["steps"]["step"] == [0, 7, 1200]
