"""The descriptions in a merged recording, and when they are missing."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.ranks import merge_ranks
from comgra_export.analysis.ranks.line_merge import merge_sentinels
from comgra_export.errors import DamagedRecordingError, MisuseError
from comgra_export.storage import (
    CurvePoint,
    EstimatedNorms,
    Gap,
    GradientFacts,
    Group,
    Layout,
    ModuleEntry,
    Network,
    NonFiniteInput,
    Note,
    ParameterEntry,
    ParameterFacts,
    RecordedSamples,
    SentinelPoint,
    ShownTensor,
    SourceLine,
    Structure,
    expected_arrays,
    find_recordings,
    open_recording,
)
from comgra_export.storage.model.layout import Shard
from comgra_export.storage.trials import names_of_trials, trials_of
from support.analysis.rank_recordings import Tensor, merged_ranks, open_ranks, read_numbers, tensor, write_rank

X = tensor("x", np.ones((4, 2)), samples=2)
SPOILED = NonFiniteInput("net: input x", 1, 0, 0, (3,))
LOSS = tensor("loss", np.array(1.0), batch=None, kind="single_value", type="loss")


def weight(shard: Shard | None = None) -> Tensor:
    return tensor("net.weight", np.ones((2, 2)), batch=None, kind="kpis", type="parameter", iteration=-1, shard=shard)


def test_steps_that_a_rank_lacks_are_left_out_and_named(tmp_path: Path) -> None:
    for rank, steps in enumerate([(0, 1, 2, 5, 6), (0, 2, 5, 6), (0, 1, 2, 3)]):
        write_rank(tmp_path, rank, [X], steps=steps).close()
    merged = merge_ranks(open_ranks(tmp_path))
    assert merged.steps == (0, 2)
    assert merged.steps_not_on_all_ranks == {1: (1,), 3: (0, 1), 5: (2,), 6: (2,)}
    assert [gap.reason for gap in merged.gaps] == [
        "all ranks together: without step 1 which rank 1 lacks",
        "all ranks together: without step 3 which ranks 0, 1 lack",
        "all ranks together: without 2 steps, from 5 to 6, which rank 2 lacks",
    ]


def test_a_copy_of_a_rank_is_apart_from_the_ranks(tmp_path: Path) -> None:
    for rank in range(2):
        write_rank(tmp_path, rank, [X], steps=(0,)).close()
    copied, *_ = (recording.folder for recording in open_ranks(tmp_path))
    shutil.copytree(copied, copied.parent / "rank-0-copy")
    trials = trials_of(map(open_recording, find_recordings(tmp_path)))
    assert [[recording.folder.name for recording in trial.values()] for trial in trials] == [["rank-0", "rank-1"], ["rank-0-copy"]]
    assert names_of_trials(trials)[1] == f"{names_of_trials(trials)[0]} (2)"
    # Who merges them anyway reads which folders they are.
    with pytest.raises(MisuseError, match=r"^These folders are not the ranks of one trial, each once: \S*rank-0, \S*rank-0-copy\.$"):
        merge_ranks([trials[0][0], trials[1][0]])


def test_it_reads_like_a_recording(tmp_path: Path) -> None:
    merged = merged_ranks(tmp_path, [[X, LOSS], [X, LOSS]], steps=(0, 3))
    assert (merged.header.group, merged.header.trial, merged.header.world_size) == ("group", "trial", 8)
    assert merged.name == "group/trial/all ranks"
    assert merged.ranks == (0, 1)
    step = merged.step(3)
    assert (step.step, step.batch_size, step.samples) == (3, 8, RecordedSamples(()))
    layout = merged.layout(step.layout)
    assert [(entry.name, entry.shape, entry.samples) for entry in layout.tensors] == [("x", (8, 2), 0), ("loss", (), 0)]
    arrays = merged.blobs(3)
    assert list(arrays) == list(expected_arrays(layout))
    assert {name: blob.data.size for name, blob in arrays.items()} == {
        name: expected.elements for name, expected in expected_arrays(layout).items()
    }
    only = merged.blobs(3, ["statistics.F64"])
    assert list(only) == ["statistics.F64"]
    np.testing.assert_array_equal(only["statistics.F64"].data, arrays["statistics.F64"].data)
    assert merged.check_step(3)
    assert merged.problems == []


@pytest.mark.parametrize(("other", "kept"), [(41, True), (42, False)])
def test_a_line_of_the_code_counts_if_all_ranks_have_it(other: int, kept: bool, tmp_path: Path) -> None:
    lines = [SourceLine("model.py", line, "forward") for line in (41, other)]
    ranks = [[tensor("h", np.ones((4, 2)), source=line)] for line in lines]
    entry, _ = read_numbers(merged_ranks(tmp_path, ranks))["h"]
    assert entry.source == (lines[0] if kept else None)


def test_tensors_that_a_rank_lacks_are_shown_per_rank(tmp_path: Path) -> None:
    ranks = [[X, tensor("first", np.ones((4, 1))), LOSS], [LOSS, X, tensor("second", np.ones((4, 1)))]]
    merged = merged_ranks(tmp_path, ranks)
    assert list(read_numbers(merged)) == ["x", "loss"]
    assert [(gap.tensor, gap.reason) for gap in merged.step(0).gaps] == [
        ("first", "all ranks together: rank 1 did not record it, so it is shown per rank only"),
        ("second", "all ranks together: rank 0 did not record it, so it is shown per rank only"),
    ]


def test_many_tensors_that_a_rank_lacks_are_one_gap(tmp_path: Path) -> None:
    ranks = [[X, *(tensor(f"block {number}", np.ones((4, 1))) for number in range(30))], [X]]
    (gap,) = merged_ranks(tmp_path, ranks).step(0).gaps
    assert gap.tensor is None
    assert "each of 30 tensors: block 0, block 1," in gap.reason
    assert gap.reason.endswith("block 19 and 10 more)")


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (tensor("x", np.ones((4, 2), np.float32)), "its dtype differs"),
        (tensor("x", np.ones((4, 2)), kind="kpis"), "its kind differs"),
        (tensor("x", np.ones((4, 2)), batch=1), "its batch dimension differs"),
        (tensor("x", np.ones((4, 2, 1))), "its number of dimensions differs"),
        (tensor("x", np.ones((4, 2)), shard=Shard((8, 2), 0, 2)), "do not agree on how it is sharded"),
    ],
)
def test_tensors_that_contradict_each_other_are_shown_per_rank(tmp_path: Path, other: Tensor, reason: str) -> None:
    merged = merged_ranks(tmp_path, [[X, LOSS], [other, LOSS]])
    assert list(read_numbers(merged)) == ["loss"]
    assert [(gap.tensor, reason in gap.reason) for gap in merged.step(0).gaps] == [("x", True)]


@pytest.mark.parametrize(
    ("shards", "reason"),
    [
        ([Shard((4, 2), 0, 2), Shard((4, 2), 0, 2)], "lack some of its 2 parts (the first is part 1)"),
        ([Shard((5, 2), 0, 2), Shard((5, 2), 1, 2)], "do not add up"),
        ([Shard((4, 2), 0, 2), Shard((4, 2), 1, 3)], "do not agree on how it is sharded"),
        ([Shard((4, 2), 0, 10**15), Shard((4, 2), 1, 10**15)], "lack some of its 1000000000000000 parts (the first is part 2)"),
    ],
)
def test_parts_that_do_not_make_a_whole_are_shown_per_rank(tmp_path: Path, shards: list[Shard], reason: str) -> None:
    merged = merged_ranks(tmp_path, [[X, weight(shard)] for shard in shards])
    assert list(read_numbers(merged)) == ["x"]
    (gap,) = merged.step(0).gaps
    assert gap.tensor == "net.weight"
    assert reason in gap.reason


def test_a_group_that_a_rank_lacks_is_shown_per_rank(tmp_path: Path) -> None:
    write_rank(tmp_path, 0, [X]).close()
    write_rank(tmp_path, 1, [X]).close()
    ranks = open_ranks(tmp_path)
    # The second rank has its tensors in a group of another name.
    layout = ranks[1].layout(ranks[1].step(0).layout)
    renamed = Layout(layout.tensors, (Group("other", layout.groups[0].tensors),))
    ranks[1]._layouts[ranks[1].step(0).layout] = renamed
    merged = merge_ranks(ranks)
    assert read_numbers(merged) == {}
    assert [(gap.group, gap.reason.split(" did")[0]) for gap in merged.step(0).gaps] == [
        ("forward", "all ranks together: rank 1"),
        ("other", "all ranks together: rank 0"),
    ]


@pytest.mark.parametrize("name", ["loss", "Loss"])
def test_a_curve_that_the_script_records_on_one_rank_is_whole_beside_own_curves_of_another(tmp_path: Path, name: str) -> None:
    of_ranks = [
        [CurvePoint("loss", name, "train", t, 4.0 - t) for t in range(4)],
        [CurvePoint("loss", "loss", "train", t, 9.0, is_own=True) for t in (0, 2)],
    ]
    for rank, points in enumerate(of_ranks):
        writer = write_rank(tmp_path, rank, [X])
        writer.add_curve_point(*points)
        writer.close()
    assert merge_ranks(open_ranks(tmp_path)).curve_points == tuple(of_ranks[0])


def test_lines_of_all_ranks(tmp_path: Path) -> None:
    curves = [[("loss", 0, 1.0), ("loss", 1, 3.0), ("accuracy", 0, 0.5)], [("loss", 0, 2.0), ("loss", 1, float("nan")), ("loss", 2, 0.0)]]
    for rank, points in enumerate(curves):
        writer = write_rank(tmp_path, rank, [X])
        for name, t, value in points:
            writer.add_curve_point(CurvePoint(f"kpi {name}", name, "train", t, value, is_own=name == "accuracy"))
        writer.add_note(Note("begin"))
        writer.add_note(Note(f"mine {rank}", 3 - rank))
        writer.add_gap(Gap("disk full", 7))
        writer.add_gap(Gap("odd", None, None, None, f"t{rank}"))
        writer.add_sentinel_point(SentinelPoint(4, "train", (("forward", "x", 0), ("forward", "y", rank)), (1.0 + rank, 9.0)))
        writer.add_sentinel_point(SentinelPoint(5 + rank, "train", (("forward", "x", 0),), (1.0,)))
        writer.close()
    merged = merge_ranks(open_ranks(tmp_path))
    assert [(point.name, point.t) for point in merged.curve_points] == [("loss", 0), ("loss", 1), ("accuracy", 0)]
    assert [point.is_own for point in merged.curve_points] == [False, False, True]
    np.testing.assert_array_equal([point.v for point in merged.curve_points], [1.5, np.nan, 0.5])
    assert [(note.text, note.step) for note in merged.notes] == [("begin", None), ("[rank 1] mine 1", 2), ("[rank 0] mine 0", 3)]
    assert [(gap.reason, gap.step, gap.tensor) for gap in merged.gaps] == [
        ("disk full", 7, None),
        ("rank 0: odd", None, "t0"),
        ("rank 1: odd", None, "t1"),
    ]
    assert merged.sentinel_points == (SentinelPoint(4, "train", (("forward", "x", 0),), (2.0,)),)


@pytest.mark.parametrize(
    ("of_ranks", "merged"),
    [((None, ()), None), (((), ()), ()), ((None, (SPOILED,)), (SPOILED,)), (((), (SPOILED,)), (SPOILED,))],
)
def test_inputs_are_finite_only_if_they_are_so_in_all_ranks(
    of_ranks: tuple[tuple[NonFiniteInput, ...] | None, ...], merged: tuple[NonFiniteInput, ...] | None
) -> None:
    points = [[SentinelPoint(4, "train", (), (), inputs=inputs)] for inputs in of_ranks]
    assert merge_sentinels(points) == (SentinelPoint(4, "train", (), (), inputs=merged),)


def test_a_loss_that_is_not_finite_in_one_rank_is_kept() -> None:
    tensors = (("gradients", "w", -1),)
    gradients = SentinelPoint(9, "train", tensors, (2.0,))
    loss = SentinelPoint(3, "train", tensors, (1.0,), loss=math.inf)
    assert merge_sentinels([[gradients], [loss, gradients]]) == (loss, gradients)
    both = merge_sentinels([[replace(loss, largest=(5.0,))], [replace(loss, loss=None)]])
    assert both == (replace(loss, largest=(5.0,)),)


NETWORK = Network((ModuleEntry("net", "Linear", -1),), (ParameterEntry("net.weight", 0, (4, 2), "F64", True),))


def test_facts_of_all_ranks(tmp_path: Path) -> None:
    for rank in range(2):
        writer = write_rank(
            tmp_path,
            rank,
            [weight(Shard((4, 2), rank, 2))],
            session=rank,
            held_bytes=100 * rank,
            learning_rates=(),
            parameters=ParameterFacts(
                (0,),
                (3.0 + rank,),
                (0.0 if rank else 2.0,),
                (None if rank else 1.0,),
                (EstimatedNorms(0, 2 + rank, 0.5 - 0.1 * rank),),
            ),
            gradients=(GradientFacts("loss", 1, 2.0 + rank, None, averaged_over_ranks=True), GradientFacts(f"own {rank}")),
            triggered="loss is infinite" if rank else "loss is NaN",
            gaps=(Gap("same"), Gap(f"own {rank}")),
        )
        writer.write_network(NETWORK)
        writer.close()
    step = merge_ranks(open_ranks(tmp_path)).step(0)
    assert (step.session, step.held_bytes) == (1, 100)
    assert step.parameters == ParameterFacts((0,), (5.0,), (2.0,), (None,), (EstimatedNorms(0, 5, 0.5),))
    assert step.gradients == (GradientFacts("loss", 1, None, None, averaged_over_ranks=True),)
    assert step.triggered == "loss is NaN; loss is infinite"
    assert [gap.reason for gap in step.gaps] == ["same", "rank 0: own 0", "rank 1: own 1"]


def test_norms_of_replicas_are_taken_once(tmp_path: Path) -> None:
    for rank in range(3):
        facts = ParameterFacts((0,), (0.1,), (1.0 + rank,), (0.0,))
        writer = write_rank(tmp_path, rank, [weight()], parameters=facts, triggered="x" if rank else None)
        writer.write_network(NETWORK)
        writer.close()
    step = merge_ranks(open_ranks(tmp_path)).step(0)
    assert step.parameters == ParameterFacts((0,), (0.1,), (2.0,), (0.0,))
    assert step.triggered is None


def test_the_graph_is_that_of_the_first_rank(tmp_path: Path) -> None:
    for rank in range(3):
        shown = ShownTensor("x", "x", "", "input" if rank < 2 else "target", "x", 0)
        write_rank(tmp_path, rank, [X], graphs=(Structure((shown,), ()), None)).close()
    merged = merge_ranks(open_ranks(tmp_path))
    digest, missing = merged.step(0).structures
    assert missing is None
    assert digest is not None
    assert merged.structure(digest).tensors[0].type == "input"
    (gap,) = merged.step(0).gaps
    assert gap.reason == "all ranks together: the dependency graph is that of rank 0, and another one on rank 2"


def test_different_networks_are_reported(tmp_path: Path) -> None:
    write_rank(tmp_path, 0, [X]).close()
    writer = write_rank(tmp_path, 1, [X])
    writer.write_network(NETWORK)
    writer.close()
    merged = merge_ranks(open_ranks(tmp_path))
    assert merged.network == Network()
    assert [gap.reason for gap in merged.gaps] == ["all ranks together: the ranks have different networks; that of rank 0 is shown"]


def test_ranks_that_did_different_things_in_a_step_are_not_merged(tmp_path: Path) -> None:
    write_rank(tmp_path, 0, [X]).close()
    write_rank(tmp_path, 1, [X], type_of_execution="validation").close()
    merged = merge_ranks(open_ranks(tmp_path))
    with pytest.raises(DamagedRecordingError, match="do not agree on the type of execution of step 0"):
        merged.step(0)
    assert not merged.check_step(0)
    assert "Step 0 cannot be merged" in merged.problems[0]


def test_a_damaged_step_of_a_rank_is_reported_with_its_file(tmp_path: Path) -> None:
    merged = merged_ranks(tmp_path, [[X], [X]], steps=(0, 1))
    (tmp_path / "group" / "trial" / "rank-1" / "steps" / "000000000000.safetensors").write_bytes(b"")
    assert [merged.check_step(step) for step in merged.steps] == [False, True]
    with pytest.raises(DamagedRecordingError, match=r"group/trial/rank-1/steps/000000000000.safetensors"):
        merged.blobs(0)
    assert read_numbers(merged, 1)


def test_only_the_ranks_of_one_trial_can_be_merged(tmp_path: Path) -> None:
    merged_ranks(tmp_path, [[X]])
    (recording,) = open_ranks(tmp_path)
    with pytest.raises(MisuseError, match="no recording"):
        merge_ranks([])
    with pytest.raises(MisuseError, match="not the ranks of one trial"):
        merge_ranks([recording, recording])
