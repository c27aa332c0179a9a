"""If a gradient flow cannot be estimated at export, a message says why, and nothing else is lost."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder, WrongChoiceError, export
from comgra_export.analysis import gradient_flow
from comgra_export.exporter.flow_estimates import add, limit, shortfalls
from comgra_export.exporter.flow_estimates.tensors import LayoutRecords, Obstacle, find_tensors
from comgra_export.exporter.reporting.progress import Progress
from comgra_export.storage import Group, Layout, Shard
from support.exporter.estimated import CHAIN_RULE, TWO_SAMPLES, VNITTEST, built, flows_of, linear, record, recorder_of
from support.exporter.unpacker import Bundle
from support.storage.entries import tensor_entry
from support.storage.headers import change_header


def test_steps_that_lack_something_are_counted(tmp_path: Path) -> None:
    def without_y(recorder: ComgraRecorder) -> Tensor:
        x = torch.ones(2, 2, requires_grad=True)
        recorder.register_tensor("x", x, is_input=True)
        return x.sum()

    def without_gradient(recorder: ComgraRecorder) -> Tensor:
        loss = without_y(recorder)
        recorder.register_tensor("y", torch.ones(2, 2, requires_grad=True) * 2)
        return loss

    root = record(tmp_path / "runs", TWO_SAMPLES, without_y, without_gradient, without_y)
    record(root, without_y, trial="other")
    bundled = export(root, tmp_path / "page.html", estimate_flow="x, y")
    assert list(bundled.problems) == [
        "Step 0 of other has no estimated flow through x, y: no tensor is called 'y'.",
        "Each of 2 steps of trial (step 1, 3) has no estimated flow through x, y: no tensor is called 'y'.",
        "Step 2 of trial has no estimated flow through x, y: no gradient came to 'y'.",
    ]
    bundle = Bundle(tmp_path / "page.html")
    assert bundle.index["about"]["problems"] == list(bundled.problems)
    assert [flow["step"] for flow in bundle.flows(bundle.trial("trial"))] == [0, 0, 0]
    assert bundle.trial("other")["flows"] == -1
    # Steps that are not wanted are not missed.
    assert export(root, tmp_path / "page.html", estimate_flow="x, y", trials="trial", steps="first", force=True).problems == ()


def test_a_pair_with_too_many_flows_is_left_out_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def step(recorder: ComgraRecorder) -> Tensor:
        x = torch.ones(2, 5, requires_grad=True)
        recorder.register_tensor("x", x, is_input=True)
        h = x[:, :4] * 1
        recorder.register_tensor("h", h)
        y = h[:, :2] * 1
        recorder.register_tensor("y", y)
        return y.sum()

    for module in (gradient_flow, add, shortfalls):
        monkeypatch.setattr(module, "MAX_ESTIMATED_FLOWS", 16)
    root = record(tmp_path, step, step)
    bundled = export(root, tmp_path / "page.html", estimate_flow=["x, h, y", "x, h"])
    sentence = (
        "Each of 2 steps of trial (step 0, 1) has no estimated flow from x to h: there would be 40 flows in 2 samples, and at most 16 are "
        "estimated. Choose fewer samples (samples=, --samples) or smaller tensors."
    )
    assert bundled.problems == (sentence,)
    bundle = Bundle(tmp_path / "page.html")
    assert bundle.index["about"]["problems"] == [sentence]
    flows = bundle.flows(bundle.trial("trial"))
    assert [flow["name"] for flow in flows] == [f"{CHAIN_RULE}x, h, y", f"{VNITTEST}x, h, y"] * 2
    assert [(pair["from"], pair["to"]) for flow in flows for pair in flow["pairs"]] == [(1, 2)] * 4
    monkeypatch.setattr(add, "MAX_ESTIMATED_FLOWS", 19)
    (problem,) = export(root, tmp_path / "page.html", estimate_flow="x, h", samples=1, steps="0", force=True).problems
    assert problem == (
        "Step 0 of trial has no estimated flow from x to h: there would be 20 flows, and at most 16 are estimated. Choose smaller tensors."
    )


def test_too_many_flows_in_all_leave_out_and_report_steps_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Two methods of four flows in two samples each: 16 per step.
    monkeypatch.setattr(limit, "MAX_FLOWS_IN_ALL", 50)
    root = record(tmp_path, *[TWO_SAMPLES] * 5)
    bundled = export(root, tmp_path / "page.html", estimate_flow="x, y")
    assert bundled.problems == (
        "Each of 2 steps of trial (step 1, 3) has no estimated flows: with them, there would be more than 50 in all. "
        "Choose fewer steps (steps=, --steps), fewer samples (samples=, --samples), or fewer or smaller tensors.",
    )
    bundle = Bundle(tmp_path / "page.html")
    flows = [(flow["step"], flow["method"]) for flow in bundle.flows(bundle.trial("trial"))]
    methods = ("exact", "chain_rule_estimate", "vnittest_estimate")
    assert flows == [(step, method) for step in range(5) for method in methods[: 1 if step in (1, 3) else 3]]
    assert export(root, tmp_path / "page.html", estimate_flow="x, y", samples=1, force=True).problems == ()


def strange(recorder: ComgraRecorder) -> Tensor:
    """Tensors without an estimate, beside x and y."""
    loss = TWO_SAMPLES(recorder)
    z = torch.ones(2, 2, requires_grad=True)
    recorder.register_tensor("statistics", z, recording_type="kpis")
    recorder.register_tensor("nothing", torch.zeros(2, 0, requires_grad=True))
    recorder.register_tensor("integers", torch.ones(2, 2, dtype=torch.long))
    recorder.register_tensor("whole", z.sum(0), index_of_batch_dimension=None)
    loss = loss + z.sum()
    recorder.register_tensor("loss", loss, is_loss=True)
    return loss


@pytest.mark.parametrize(
    ("sequence", "message"),
    [
        ("x", "estimate_flow='x' does not name two or more tensors.*such as 'x, h, y'"),
        ("x, , y", "does not name two or more"),
        (["x", 3], "does not name two or more"),
        ("x, y, x", "has 'x' twice. Name each tensor once"),
        ("y, x", "'y' is computed from 'x'. Give tensors in the order in which they are computed"),
        ("x, yy", r"cannot be estimated in any step: no tensor is called 'yy'. Did you mean 'y'\?"),
        ("x, qqqqq", r"no tensor is called 'qqqqq'. There are 'integers', 'linear.bias', .* and \d more"),
        ("x, statistics", "only statistics of 'statistics' were recorded.*recording_type='neuron', or watch with values=True"),
        ("x, nothing", "'nothing' is empty. Leave it out"),
        ("x, integers", "no gradient came to 'integers'"),
        ("x, whole", "'x' has a batch dimension, and 'whole' has none.*index_of_batch_dimension=0"),
        ("x, loss", "'loss' is a single number.*Leave it out"),
        ("x, linear.weight", "'linear.weight' is .*Flows are those between tensors of one iteration"),
    ],
)
def test_errors_say_what_to_do(tmp_path: Path, sequence: Any, message: str) -> None:  # noqa: ANN401
    with recorder_of(tmp_path) as recorder:
        recorder.track_module("linear", nn.Linear(2, 2))
        with recorder.batch(0, 2), recorder.iteration():
            strange(recorder).backward()
            recorder.record_current_gradients("gradients")
    with pytest.raises(WrongChoiceError, match=message):
        built(tmp_path, sequence)
    assert not (tmp_path / "page.html").exists()


def test_without_gradients_or_samples_the_error_says_how_to_record_them(tmp_path: Path) -> None:
    with recorder_of(tmp_path / "no gradients") as recorder, recorder.batch(0, 2), recorder.iteration():
        TWO_SAMPLES(recorder)
    with pytest.raises(WrongChoiceError, match=r"no gradients were recorded. Call recorder.record_current_gradients\('gradients'\) after"):
        built(tmp_path / "no gradients", "x, y")
    record(tmp_path / "no samples", TWO_SAMPLES, max_num_batch_size_to_record=0)
    with pytest.raises(WrongChoiceError, match=r"no single samples of 'x' were recorded.*max_num_batch_size_to_record"):
        built(tmp_path / "no samples", "x, y")


def test_of_several_reasons_the_error_gives_the_one_that_is_nearest(tmp_path: Path) -> None:
    def with_statistics(recorder: ComgraRecorder) -> Tensor:
        loss = TWO_SAMPLES(recorder)
        recorder.register_tensor("z", loss * torch.ones(2, 2), recording_type="kpis")
        return loss

    record(tmp_path, TWO_SAMPLES, with_statistics, TWO_SAMPLES)
    with pytest.raises(WrongChoiceError, match="only statistics of 'z' were recorded"):
        built(tmp_path, "x, z")


def test_parts_of_tensors_that_are_spread_over_processes_are_refused() -> None:
    entries = [tensor_entry(name, shape=(2, 2), batch_dimension=0, samples=2) for name in ("x", "y")]
    layout = Layout((entries[0], replace(entries[1], shard=Shard((2, 4), 0, 2))), (Group("forward", (0, 1)), Group("gradients", (0, 1))))
    obstacle = find_tensors(["x", "y"], LayoutRecords(layout), {}, 0, "gradients")
    assert isinstance(obstacle, Obstacle)
    assert obstacle.reason == "this process holds only a part of 'y'"


def test_tensors_that_never_meet_in_an_iteration(tmp_path: Path) -> None:
    with recorder_of(tmp_path) as recorder, recorder.batch(0, 1):
        with recorder.iteration():
            x = torch.ones(1, 2, requires_grad=True)
            recorder.register_tensor("x", x)
        with recorder.iteration():
            recorder.register_tensor("y", x * 2)
        x.sum().backward()
        recorder.record_current_gradients("gradients")
    with pytest.raises(WrongChoiceError, match="is in no iteration with the others"):
        built(tmp_path, "x, y")


def test_two_names_of_one_tensor(tmp_path: Path) -> None:
    def step(recorder: ComgraRecorder) -> Tensor:
        x = torch.ones(2, 2, requires_grad=True)
        recorder.register_tensor("x", x)
        recorder.register_tensor("also x", x)
        y = x * 2
        recorder.register_tensor("y", y)
        return y.sum()

    record(tmp_path, step)
    with pytest.raises(WrongChoiceError, match=r"'x' and 'also x' are the same tensor. Name each tensor once"):
        built(tmp_path, "x, also x, y")
    by_name = {names: flows_of(built(tmp_path, names)) for names in ("x, y", "also x, y")}
    layers = [flows[f"{CHAIN_RULE}{names}"]["layers"] for names, flows in by_name.items()]
    assert [[layer["name"] for layer in of_one] for of_one in layers] == [["x", "y"], ["also x", "y"]]
    assert [[layer["record_name"] for layer in of_one] for of_one in layers] == [["x", "y"]] * 2


def test_ranks_have_their_own_and_all_together_none(tmp_path: Path) -> None:
    record(tmp_path, TWO_SAMPLES)
    (trial,) = tmp_path.glob("*/trial")
    shutil.copytree(trial / "rank-0", trial / "rank-1")
    for rank in (0, 1):
        change_header(trial / f"rank-{rank}", rank=rank, world_size=2)
    bundle = built(tmp_path, "x, y")
    assert bundle.trial("trial", None)["flows"] == -1
    assert [len(flows_of(bundle, rank=rank)) for rank in (0, 1)] == [3, 3]
    assert bundle.index["about"]["problems"] == []


def test_flows_that_do_not_fit_are_left_out_and_reported(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)

    def step(recorder: ComgraRecorder) -> Tensor:
        return linear(
            generator.normal(size=(40, 50)).tolist(), generator.normal(size=(1, 50)).tolist(), generator.normal(size=(1, 40)).tolist()
        )(recorder)

    root = record(tmp_path, step, batch_size=1)
    whole = export(root, tmp_path / "page.html", estimate_flow="x, y")
    assert whole.omissions == ()
    fitted = export(root, tmp_path / "page.html", estimate_flow="x, y", max_size=whole.bytes - 5000, force=True)
    assert fitted.bytes <= whole.bytes - 5000
    assert any("1 of 2 gradient flows is left out: " in sentence for sentence in fitted.omissions)
    without = export(root, tmp_path / "page.html", estimate_flow="x, y", precision="none", force=True)
    assert any("2 of 2 gradient flows are left out" in sentence for sentence in without.omissions)


def test_a_damaged_step_is_left_out_as_a_whole(tmp_path: Path) -> None:
    record(tmp_path, TWO_SAMPLES, TWO_SAMPLES)
    (blob,) = tmp_path.glob("*/trial/rank-0/steps/000000000001.safetensors")
    blob.write_bytes(blob.read_bytes()[:-1])
    bundled = export(tmp_path, tmp_path / "page.html", estimate_flow="x, y")
    assert bundled.steps_left_out == 1
    assert all(problem.startswith("Step 1 of trial ") and "cut off" in problem for problem in bundled.problems), bundled.problems
    bundle = Bundle(tmp_path / "page.html")
    assert [flow["step"] for flow in bundle.flows(bundle.trial("trial")) if flow["method"] != "exact"] == [0, 0]


def test_a_recording_without_steps_has_nothing_to_estimate(tmp_path: Path) -> None:
    recorder_of(tmp_path).finalize()
    with pytest.warns(UserWarning, match="holds no step"):
        built(tmp_path, "x, y")


def test_nothing_is_written_into_the_recording_and_progress_reaches_its_end(tmp_path: Path) -> None:
    root = record(tmp_path / "runs", TWO_SAMPLES, TWO_SAMPLES)
    before = {file: file.read_bytes() for file in root.rglob("*") if file.is_file()}
    seen: list[Progress] = []
    export(root, tmp_path / "page.html", estimate_flow="x, y", progress=seen.append)
    assert {file: file.read_bytes() for file in root.rglob("*") if file.is_file()} == before
    last = {progress.stage: (progress.done, progress.total) for progress in seen}
    assert last["Reading"] == (2, 2)
    assert last["Gathering"] == (10, 10)
