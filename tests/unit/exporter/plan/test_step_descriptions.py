"""Descriptions of steps, and of the processes that recorded them, in a bundle."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comgra_export.exporter import export
from comgra_export.storage import (
    EstimatedNorms,
    Gap,
    GradientFacts,
    Group,
    Header,
    Layout,
    ModuleEntry,
    ModuleRuns,
    Network,
    OptimizerEntry,
    OptimizerGroup,
    ParameterEntry,
    ParameterFacts,
    RecordedSamples,
    RecordingWriter,
    Shard,
    StepDescription,
    TensorReference,
)
from support.exporter.recordings import LAYOUT, NETWORK, STRUCTURE, random_step, write_trial
from support.exporter.unpacker import Bundle
from support.storage.entries import tensor_entry

NAN = float("nan")
PARAMETERS = ParameterFacts((0,), (2.0,), (0.5,), (None,))
GRADIENTS = (
    GradientFacts("gradients", 2, 65536.0, ("mul_", "</script>"), True),
    GradientFacts("other", None, NAN, None, None),
)
OPTIMIZERS = (OptimizerEntry("main", "Adam", (OptimizerGroup((0,)), OptimizerGroup(()))), OptimizerEntry("idle", "SGD", ()))
RUNS = ModuleRuns((0,), (False,), (3,))


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "report.html"


def write_steps(runs: Path, steps: Sequence[StepDescription], network: Network = NETWORK, layout: Layout = LAYOUT) -> RecordingWriter:
    """Writes a trial whose steps are described like this, apart from layout and graph."""
    writer = RecordingWriter(runs / "group" / "trial" / "rank-0", Header("group", "trial"))
    writer.write_network(network)
    add_steps(writer, steps, layout)
    return writer


def add_steps(writer: RecordingWriter, steps: Sequence[StepDescription], layout: Layout = LAYOUT) -> None:
    for step in steps:
        entry = writer.add_finished_step(step.step)
        own = {
            **vars(step),
            "layout": writer.write_layout(layout),
            "structures": (writer.write_structure(STRUCTURE),),
            "session": entry.session,
        }
        writer.write_step(StepDescription(**own), random_step(int(step.step), layout).blobs())


def described(step: int, **known: object) -> StepDescription:
    return StepDescription(step, "main", 4, "", (), RecordedSamples((0, 3)), **known)  # type: ignore[arg-type]


def summary_of(bundle: Bundle, step: int) -> dict[str, Any]:
    return bundle.listed("facts", bundle.step_row(bundle.trial("trial"), step)["facts"])


@pytest.mark.parametrize("name", ["report.html", "report", "report.zip"])
def test_what_is_known_of_a_step_comes_back(name: str, tmp_path: Path) -> None:
    known = described(
        3, learning_rates=((0.1, NAN), ()), held_bytes=2**40, gradients=GRADIENTS, module_runs=RUNS, parameters=PARAMETERS, session=0
    )
    write_steps(tmp_path / "runs", [known, described(4)], replace(NETWORK, optimizers=OPTIMIZERS)).close()
    export(tmp_path / "runs", tmp_path / name)
    bundle = Bundle(tmp_path / name)
    assert summary_of(bundle, 3) == {
        "session": 0,
        "learning_rates": [[0.1, "NaN"], []],
        "gradients": [
            {
                "group": "gradients",
                "backward_passes": 2,
                "loss_scale": 65536.0,
                "changed_in_place_by": ["mul_", "</script>"],
                "averaged_over_ranks": True,
            },
            {"group": "other", "backward_passes": None, "loss_scale": "NaN", "changed_in_place_by": None, "averaged_over_ranks": None},
        ],
        "held_bytes": 2**40,
        "module_runs": 0,
        "parameter_list": 0,
    }
    assert bundle.listed("module_runs", 0) == {"module": [0], "training": [False], "calls": [3]}
    assert bundle.listed("parameter_lists", 0) == {"parameter": [0]}
    assert bundle.step_row(bundle.trial("trial"), 4)["facts"] == -1
    assert bundle.digest() == bundle.index["content_digest"]


def parameters_in(bundle: Bundle, step: int) -> tuple[str, list[float]]:
    (array,) = (array for array in bundle.arrays(bundle.trial("trial"), step) if array[0].startswith("parameters"))
    return array[0], array[2].tolist()


def test_numbers_about_parameters_are_an_array_as_exact_as_needed(tmp_path: Path, page: Path) -> None:
    many = Network(NETWORK.modules, tuple(ParameterEntry(f"net.{k}", 0, (1,), "F32", True) for k in range(3)))
    exact = ParameterFacts(
        (0, 2), (1.5, float("inf")), (0.25, NAN), (None, 0.0), (EstimatedNorms(0, 9, 0.0312), EstimatedNorms(2, 8, None))
    )
    fine = ParameterFacts((1,), (0.1,), (1e-60,), (1e60,))
    write_steps(tmp_path / "runs", [described(0, parameters=exact), described(1, parameters=fine), described(2)], many).close()
    export(tmp_path / "runs", page)
    bundle = Bundle(page)
    name, numbers = parameters_in(bundle, 0)
    assert name == "parameters.F32"
    np.testing.assert_array_equal(numbers, [1.5, np.inf, 0.25, np.nan, np.nan, 0.0])
    assert parameters_in(bundle, 1) == ("parameters.F64", [0.1, 1e-60, 1e60])
    assert [bundle.listed("parameter_lists", summary_of(bundle, step)["parameter_list"])["parameter"] for step in (0, 1)] == [[0, 2], [1]]
    assert bundle.listed("parameter_lists", 0)["estimated"] == {"parameter": [0, 2], "elements": [9, 8], "error": [0.04, None]}
    assert not any(name.startswith("parameters") for name, _, _ in bundle.arrays(bundle.trial("trial"), 2))


def index_bytes(tmp_path: Path, parameters: int) -> int:
    runs, page = tmp_path / f"runs{parameters}", tmp_path / f"{parameters}.html"
    network = Network(NETWORK.modules, tuple(ParameterEntry(f"net.{k}", 0, (1,), "F32", True) for k in range(parameters)), OPTIMIZERS)
    all_of_them = tuple(range(parameters))
    steps = [
        described(
            step,
            learning_rates=((step / 7, 0.0), ()),
            held_bytes=1000 + step,
            module_runs=RUNS,
            parameters=ParameterFacts(all_of_them, numbers := tuple(step / (k + 3) for k in all_of_them), numbers, numbers),
        )
        for step in range(20)
    ]
    write_steps(runs, steps, network).close()
    export(runs, page)
    bundle = Bundle(page)
    assert (len(bundle.index["module_runs"]["chunk"]), len(bundle.index["parameter_lists"]["chunk"])) == (1, 1)
    return len(bundle.page.one("script", id="bundle-index").text)


def test_the_index_does_not_grow_with_the_parameters(tmp_path: Path) -> None:
    """Only lengths of chunks, written as numbers, may have more digits."""
    assert index_bytes(tmp_path, 400) - index_bytes(tmp_path, 4) < 200


def test_a_triggered_step_says_why_and_is_counted_apart(tmp_path: Path, page: Path) -> None:
    write_steps(tmp_path / "runs", [described(0), described(1, triggered="x holds a NaN <b>"), described(2)]).close()
    export(tmp_path / "runs", page)
    bundle = Bundle(page)
    strings = bundle.index["strings"]
    triggered = bundle.trial("trial")["steps"]["triggered"]
    assert [None if position < 0 else strings[position] for position in triggered] == [None, "x holds a NaN <b>", None]
    row = bundle.page.text_of(next(row for row in bundle.page.all("tr") if "tbody" in row.parents))
    assert "triggered (1)" in row
    assert "(2)" in row


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        # The first step of `fit` did not train, a later one did.
        ({"fit": ({}, {"backward_roots": (TensorReference("y", 0),)}), "probe": ({},)}, {"fit": 1, "probe": 0}),
        ({"fit": ({"parameters": PARAMETERS},), "probe": ({},)}, {"fit": 1, "probe": 0}),
        ({"fit": ({},), "test": ({"gradients": GRADIENTS},)}, {"fit": 0, "test": 1}),
        # No step is known to have trained, as in a recording without gradients: the table is empty.
        ({"fit": ({},), "test": ({"parameters": replace(PARAMETERS, update_norm=(0.0,))},)}, {}),
    ],
)
def test_types_of_steps_say_whether_one_trained(
    known: dict[str, tuple[dict[str, object], ...]], expected: dict[str, int], tmp_path: Path, page: Path
) -> None:
    described_by_type = [(name, facts) for name, steps in known.items() for facts in steps]
    steps = [replace(described(k, **facts), type_of_execution=name) for k, (name, facts) in enumerate(described_by_type)]
    write_steps(tmp_path / "runs", steps)
    export(tmp_path / "runs", page)
    index = Bundle(page).index
    types = index["step_types"]
    assert dict(zip([index["strings"][name] for name in types["type"]], types["trained"], strict=True)) == expected


def test_parts_of_tensors_optimizers_and_labels_of_samples(tmp_path: Path, page: Path) -> None:
    optimizer = OptimizerEntry("main", "Adam", (OptimizerGroup((0,), {"lr": NAN, "fused": None, "nesterov": True, "kind": "x"}),))
    network = Network((ModuleEntry("net", "Net", -1),), NETWORK.parameters, (optimizer,))
    part = tensor_entry("w", iteration=-1, type="parameter", kind="kpis", shape=(5,), shard=Shard((10,), 1, 2))
    samples = RecordedSamples((7, 2), ("id 7", "id 2"), ("cat", "dog"))
    step = StepDescription(0, "main", 8, "", (), samples)
    write_steps(tmp_path / "runs", [step], network, Layout((part,), (Group("forward", (0,)),))).close()
    export(tmp_path / "runs", page)
    bundle = Bundle(page)
    (written,) = bundle.document(bundle.trial("trial")["network"])["optimizers"]
    assert written["groups"] == [{"parameters": [0], "options": {"lr": "NaN", "fused": None, "nesterov": True, "kind": "x"}}]
    assert bundle.listed("layouts", 0)["tensors"]["shard"] == [{"shape": [10], "index": 1, "count": 2}]
    (shown,) = bundle.index["sample_sets"]
    assert [bundle.index["strings"][label] for label in shown["label"]] == ["Sample 007 | id 7 | cat", "Sample 002 | id 2 | dog"]


def about(page: Path) -> dict[str, object]:
    (recording,) = Bundle(page).index["about"]["recordings"]
    return {key: recording[key] for key in ("rank", "world_size", "sessions", "left_behind")}


def summary(path: Path) -> str:
    """The page without JavaScript."""
    page = Bundle(path).page
    return " ".join(page.text_of(page.one("main")).split())


def test_a_recording_that_was_ended(tmp_path: Path, page: Path) -> None:
    write_steps(tmp_path / "runs", [described(0), described(5)]).close()
    assert export(tmp_path / "runs", page).problems == ()
    assert about(page) == {"rank": 0, "world_size": 1, "sessions": [{"first": 0, "last": 5, "steps": 2, "closed": True}], "left_behind": 0}
    assert "ended early" not in summary(page)


def test_a_resumed_run_and_what_it_left_behind(tmp_path: Path, page: Path) -> None:
    write_steps(tmp_path / "runs", [described(0), described(5), described(10), described(15)]).close(ended=False)
    folder = tmp_path / "runs" / "group" / "trial" / "rank-0"
    writer = RecordingWriter(folder, Header("group", "trial"), append=True)
    add_steps(writer, [described(10), described(12)])
    writer.add_finished_step(20)
    writer.add_finished_step(25)
    writer.add_gap(Gap("The disk is full.", 25, whole_step=True))
    writer.close(ended=False)
    result = export(tmp_path / "runs", page)
    assert about(page)["sessions"] == [
        {"first": 0, "last": 5, "steps": 2, "closed": False},
        {"first": 10, "last": 12, "steps": 2, "closed": False},
    ]
    assert about(page)["left_behind"] == 1
    assert result.problems == (
        "Step 20 of trial was finished, but is missing. Its process ended before it was written.",
        "Step 25 of trial was finished, but is missing. The disk is full.",
    )
    bundle = Bundle(page)
    assert bundle.trial("trial")["steps"]["step"] == [0, 5, 10, 12]
    assert summary_of(bundle, 12)["session"] == 1
    assert "2 processes wrote it one after another, and 1 of their steps was left behind" in summary(page)
    assert "Its process ended early, or was still recording." in summary(page)


def test_a_recording_of_an_earlier_version_has_no_journal(tmp_path: Path, page: Path) -> None:
    write_trial(tmp_path / "runs")
    (tmp_path / "runs" / "group" / "trial" / "rank-0" / "journal.jsonl").unlink()
    assert export(tmp_path / "runs", page).problems == ()
    assert about(page)["sessions"] == [{"first": 0, "last": 1200, "steps": 3, "closed": None}]


def test_the_types_are_those_of_the_format(tmp_path: Path, page: Path) -> None:
    """The index holds nothing that is not JSON."""
    write_steps(tmp_path / "runs", [described(0, triggered="why", gradients=GRADIENTS)]).close()
    export(tmp_path / "runs", page)
    index = Bundle(page).index
    assert json.loads(json.dumps(index, allow_nan=False)) == index
