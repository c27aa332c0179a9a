"""A bundle's histograms over time equal those of the steps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from comgra_export.exporter import export
from comgra_export.exporter.pack import histogram_lanes
from comgra_export.storage import Group, Header, Layout, RecordedSamples, RecordingWriter, StepDescription
from support.exporter.recordings import LAYOUT, random_step
from support.exporter.unpacker import Bundle
from support.storage.entries import tensor_entry
from support.storage.strategies import Step, histograms_of

pytestmark = pytest.mark.slow


ENTRIES = (
    tensor_entry("x", type="input", kind="kpis", shape=(4, 3), batch_dimension=0, histogram=True),
    tensor_entry("plain", kind="kpis", shape=(2,)),
    tensor_entry("count", iteration=1, kind="kpis", dtype="I64", shape=(5,), histogram=True),
)
WATCHED = Layout(ENTRIES, (Group("forward", (0, 1, 2)), Group("gradients", (2, 0))))
FEWER = Layout(ENTRIES[:2], (Group("forward", (0, 1)), Group("gradients", (0,))))
ROWS = {"forward": {"x": 0, "count": 1}, "gradients": {"count": 2, "x": 3}}


def write(root: Path, *, rank: int = 0, world_size: int = 1, layout_of: dict[int, Layout] | None = None, count: int = 7) -> dict[int, Step]:
    """A recording with steps of two types, each of other values."""
    writer = RecordingWriter(root / "group" / "trial" / f"rank-{rank}", Header("group", "trial", rank, world_size))
    steps = {}
    for number in range(count):
        layout = (layout_of or {}).get(number, WATCHED)
        plain = random_step(number, layout, 0)
        steps[number] = replace(plain, histograms=histograms_of(np.random.default_rng(number + 100 * rank), layout))
        kind = "eval" if number % 3 == 2 else "train"
        described = StepDescription(
            number, kind, 4, writer.write_layout(layout), (), RecordedSamples(()), epoch=None if number == 0 else number / 2
        )
        writer.write_step(described, steps[number].blobs())
    writer.close()
    return steps


def bins_of(step: Step, row: int) -> dict[int, int]:
    """Cut out of the arrays by hand."""
    assert step.histograms is not None
    bins, counts, _ = step.histograms
    start = sum(int(previous[1] + previous[4]) for previous in bins[:row])
    first_negative, negatives, _, first_positive, positives = bins[row, :5].tolist()
    own = counts[start : start + negatives + positives].tolist()
    by_bin = {-(first_negative + place): own[place] for place in range(negatives)}
    by_bin.update({first_positive + place: own[negatives + place] for place in range(positives)})
    return {number: count for number, count in sorted(by_bin.items()) if count}


def assert_same(unpacked: dict[tuple[Any, ...], dict[int, dict[str, Any]]], steps: dict[int, Step]) -> None:
    expected = 0
    for number, step in steps.items():
        assert step.histograms is not None
        for group, rows in ROWS.items():
            for name, row in rows.items():
                if group == "gradients" and step.layout is FEWER:
                    row = {"x": 1}.get(name, -1)
                if (step.layout is FEWER and name == "count") or row < 0:
                    continue
                entry = next(entry for entry in ENTRIES if entry.name == name)
                histogram = unpacked[group, name, entry.iteration, "eval" if number % 3 == 2 else "train"][number]
                order = [entry for g in step.layout.groups for entry in (step.layout.tensors[k] for k in g.tensors)]
                places = [(g.name, step.layout.tensors[k].name) for g in step.layout.groups for k in g.tensors]
                record = step.records[places.index((group, name))]
                assert len(order) == len(step.records)
                assert histogram["bins"] == bins_of(step, row)
                assert histogram["zeros"] == step.histograms.bins[row, 2]
                assert [*histogram["infinities"], histogram["looked_at"]] == step.histograms.bins[row, 5:].tolist()
                assert histogram["counts"] == record.counts.tolist()
                assert histogram["size"] == (12 if name == "x" else 5)
                np.testing.assert_array_equal(histogram["quantiles"], step.histograms.quantiles[row])
                np.testing.assert_array_equal(histogram["extrema"], record.extrema)
                expected += 1
    assert expected == sum(len(of_record) for of_record in unpacked.values())


@pytest.mark.parametrize("chunk_bytes", [512 * 1024, 64])
def test_they_are_those_of_the_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk_bytes: int) -> None:
    steps = write(tmp_path, layout_of={1: FEWER})
    monkeypatch.setattr(histogram_lanes, "HISTOGRAM_CHUNK_BYTES", chunk_bytes)
    export(tmp_path, tmp_path / "page.html")
    bundle = Bundle(tmp_path / "page.html")
    assert_same(bundle.histograms(bundle.trial("trial"), chunk_bytes), steps)


def test_more_steps_leave_most_parts_as_they_were(tmp_path: Path) -> None:
    first_parts: list[list[bytes]] = []
    for count, sizes in ((15, [15]), (16, [16]), (37, [32, 5]), (63, [32, 16, 15]), (531, [256, 256, 16, 3])):
        write(tmp_path / str(count), count=count)
        export(tmp_path / str(count), tmp_path / "page.html", force=True)
        bundle = Bundle(tmp_path / "page.html")
        trial = bundle.trial("trial")
        documents = [bundle.document(chunk) for chunk in trial["histograms"]]
        parts = [sorted({step for steps in document["step_lists"] for step in steps}) for document in documents]
        assert [len(part) for part in parts] == sizes
        assert [step for part in parts for step in part] == list(range(count))
        first_parts.append([bundle.chunk(chunk) for chunk in range(trial["series"] + 1, trial["histograms"][0] + 1)])
    assert first_parts[2] == first_parts[3]


def test_parts_are_those_of_the_steps_together(tmp_path: Path) -> None:
    steps = write(tmp_path, count=19)
    export(tmp_path, tmp_path / "page.html")
    bundle = Bundle(tmp_path / "page.html")
    assert_same(bundle.histograms(bundle.trial("trial")), steps)


def test_epochs_are_in_the_steps(tmp_path: Path) -> None:
    write(tmp_path)
    export(tmp_path, tmp_path / "page.html")
    assert Bundle(tmp_path / "page.html").trial("trial")["steps"]["epoch"] == [None, 0.5, 1, 1.5, 2, 2.5, 3]


def test_without_any_there_is_no_chunk(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "group" / "trial" / "rank-0", Header("group", "trial"))
    writer.write_step(StepDescription(0, "train", 4, writer.write_layout(LAYOUT), (), RecordedSamples((0, 3))), random_step(0).blobs())
    writer.close()
    export(tmp_path, tmp_path / "page.html")
    assert Bundle(tmp_path / "page.html").trial("trial")["histograms"] == []


def test_the_ranks_together_have_their_sums(tmp_path: Path) -> None:
    steps = [write(tmp_path, rank=rank, world_size=2) for rank in (0, 1)]
    export(tmp_path, tmp_path / "page.html")
    bundle = Bundle(tmp_path / "page.html")
    merged = bundle.histograms(bundle.trial("trial", None))["forward", "x", 0, "train"][0]
    both = [bins_of(of_rank[0], 0) for of_rank in steps]
    assert merged["bins"] == {number: sum(bins.get(number, 0) for bins in both) for number in sorted({**both[0], **both[1]})}
    assert merged["size"] == 24


def test_damaged_histograms_are_left_out_and_named(tmp_path: Path) -> None:
    write(tmp_path)
    file = tmp_path / "group" / "trial" / "rank-0" / "steps" / "000000000003.safetensors"
    arrays = safetensors.numpy.load_file(file)
    arrays["histograms.counts"][0] = -1
    safetensors.numpy.save_file(arrays, file)
    bundled = export(tmp_path, tmp_path / "page.html")
    (problem,) = bundled.problems
    assert problem.startswith("Step 3 of ")
    assert "has no histograms." in problem
    assert "count more values than were read" in problem
    bundle = Bundle(tmp_path / "page.html")
    assert list(bundle.histograms(bundle.trial("trial"))["forward", "x", 0, "train"]) == [0, 1, 4, 6]
    assert bundle.trial("trial")["steps"]["step"] == list(range(7))


def test_a_size_limit_leaves_histograms_out_after_values_and_reports_it(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "group" / "trial" / "rank-0", Header("group", "trial"))
    entries = tuple(replace(ENTRIES[0], name=f"x{k}", kind="neuron", shape=(4, 60), samples=4) for k in range(50))
    layout = Layout(entries, (Group("forward", tuple(range(50))),))
    digest = writer.write_layout(layout)
    for number in range(40):
        records = tuple(replace(record, extrema=np.array([-1, 1], np.float32)) for record in random_step(number, layout, 4).records)
        step = Step(layout, records, 4, histograms_of(np.random.default_rng(number), layout))
        writer.write_step(StepDescription(number, "train", 4, digest, (), RecordedSamples((0, 1, 2, 3))), step.blobs())
    writer.close()
    without_values = export(tmp_path, tmp_path / "page.html", precision="none").bytes

    def fitted(max_size: int) -> tuple[int, int, list[str]]:
        """How many steps have histograms, how many steps there are, and what the omissions say about histograms."""
        bundled = export(tmp_path, tmp_path / "page.html", max_size=max_size, force=True)
        bundle = Bundle(tmp_path / "page.html")
        trial = bundle.trial("trial")
        kept_steps = [step for chunk in trial["histograms"] for step in bundle.document(chunk)["step_lists"][0]]
        said = [sentence for sentence in bundled.omissions if sentence.startswith("Histograms")]
        return len(kept_steps), len(trial["steps"]["step"]), said

    assert fitted(int(without_values * 1.1)) == (40, 40, [])
    kept, steps, said = fitted(int(without_values * 0.9))
    assert 0 < kept < 40
    assert steps == 40
    assert said == [f"Histograms are left out of {40 - kept} of 40 steps."]
