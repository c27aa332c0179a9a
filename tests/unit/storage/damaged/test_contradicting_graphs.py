"""Structures, calls, networks and checks that contradict the format are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import Network, NonFiniteInput, open_recording
from comgra_export.storage.codec.decode_lines import SentinelDecoder
from support.storage.damage import edit, only, set_column

BAD_STRUCTURES: dict[str, Callable[[Any], object]] = {
    "a column is shorter": lambda structure: structure["tensors"]["role"].pop(),
    "unknown type": set_column("type", 0, "buffer"),
    "iteration -2": set_column("record_iteration", 0, -2),
    "row out of range": lambda structure: structure.update({"from": [0, 3]}),
    "negative row": lambda structure: structure.update({"to": [-1, 2]}),
    "from is longer": lambda structure: structure["from"].append(0),
    "from is missing": lambda structure: structure.pop("from"),
    "a dependency twice": lambda structure: structure.update({"from": [0, 0]}),
    "row is text": lambda structure: structure.update({"from": ["0", "1"]}),
    "without_gradient is out of range": lambda structure: structure.update(without_gradient=[2]),
    "without_gradient is negative": lambda structure: structure.update(without_gradient=[-1]),
    "without_gradient is not ascending": lambda structure: structure.update(without_gradient=[1, 0]),
    "without_gradient has one twice": lambda structure: structure.update(without_gradient=[1, 1]),
    "without_gradient is true": lambda structure: structure.update(without_gradient=True),
    "not_known is out of range": lambda structure: structure.update(not_known={"tensor": [3], "reason": ["unseen"]}),
    "not_known is not ascending": lambda structure: structure.update(not_known={"tensor": [1, 0], "reason": ["unseen"] * 2}),
    "not_known has no reason": lambda structure: structure.update(not_known={"tensor": [1], "reason": []}),
    "a reason is a number": lambda structure: structure.update(not_known={"tensor": [1], "reason": [2]}),
    "not_known is a list": lambda structure: structure.update(not_known=[1]),
}


def test_a_reason_that_is_new_does_not_make_a_tensor_known(folder: Path) -> None:
    not_known = {"tensor": [0, 2], "reason": ["by magic", "outside"]}
    edit(only(folder / "structures"), lambda structure: structure.update(not_known=not_known))
    recording = open_recording(folder)
    assert recording.structure(recording.step(7).structures[0] or "").not_known == ((0, None), (2, "outside"))


@pytest.mark.parametrize("change", BAD_STRUCTURES.values(), ids=BAD_STRUCTURES.keys())
def test_a_structure_that_contradicts_the_format_is_refused(folder: Path, change: Callable[[Any], object]) -> None:
    edit(only(folder / "structures"), change)
    recording = open_recording(folder)
    with pytest.raises(DamagedRecordingError, match="group/trial/rank-0/structures/"):
        recording.structure(recording.step(7).structures[0] or "")


BAD_CALLS: dict[str, Callable[[Any], object]] = {
    "no ports": lambda tree: tree.pop("ports"),
    "calls are a list": lambda tree: tree.update(calls=[]),
    "a column of the calls is shorter": lambda tree: tree["calls"]["raised"].pop(),
    "a module that is not there": lambda tree: tree["calls"].update(module=[0, 1]),
    "a negative module": lambda tree: tree["calls"].update(module=[0, -1]),
    "a call within itself": lambda tree: tree["calls"].update(parent=[-1, 1]),
    "a call before the one that it is made in": lambda tree: tree["calls"].update(parent=[1, -1]),
    "parent -2": lambda tree: tree["calls"].update(parent=[-2, 0]),
    "calls that are not counted": lambda tree: tree["calls"].update(number=[0, 2]),
    "two first calls": lambda tree: tree["calls"].update(number=[0, 0]),
    "training is a number": lambda tree: tree["calls"].update(training=[1, 0]),
    "a column of the ports is shorter": lambda tree: tree["ports"]["path"].pop(),
    "a port of a call that is not there": lambda tree: tree["ports"].update(call=[0, 2, 0]),
    "a port of a negative call": lambda tree: tree["ports"].update(call=[0, -1, 0]),
    "a third side": lambda tree: tree["ports"].update(side=["input", "inside", "output"]),
    "a path is null": lambda tree: tree["ports"]["path"].__setitem__(0, None),
    "iteration -2": lambda tree: tree["ports"]["record_iteration"].__setitem__(0, -2),
    "a record without an iteration": lambda tree: tree["ports"]["record_iteration"].__setitem__(0, None),
    "a record and a text": lambda tree: tree["ports"]["text"].__setitem__(0, "x"),
    "neither a record nor a text": lambda tree: tree["ports"]["text"].__setitem__(1, None),
    "a meaning is a number": lambda tree: tree["ports"]["meaning"].__setitem__(0, 1),
    "the meanings are fewer": lambda tree: tree["ports"]["meaning"].pop(),
    "a gradient is a number": lambda tree: tree["ports"]["gradient_record_name"].__setitem__(0, 1),
    "a gradient of iteration -2": lambda tree: tree["ports"]["gradient_record_iteration"].__setitem__(0, -2),
    "a gradient without an iteration": lambda tree: tree["ports"]["gradient_record_iteration"].__setitem__(0, None),
    "an iteration without a gradient": lambda tree: tree["ports"]["gradient_record_name"].__setitem__(0, None),
    "gradients without iterations": lambda tree: tree["ports"].pop("gradient_record_iteration"),
    "iterations without gradients": lambda tree: tree["ports"].pop("gradient_record_name"),
    "the gradients are fewer": lambda tree: tree["ports"]["gradient_record_name"].pop(),
    "the gradient of an output": lambda tree: tree["ports"].update(side=["output", "input", "output"]),
    "the gradient of a text": lambda tree: tree["ports"].update(
        gradient_record_name=[None, "x", None], gradient_record_iteration=[None, 0, None]
    ),
}


@pytest.mark.parametrize("change", BAD_CALLS.values(), ids=BAD_CALLS.keys())
def test_calls_that_contradict_the_format_are_refused(folder: Path, change: Callable[[Any], object]) -> None:
    edit(only(folder / "calls"), change)
    recording = open_recording(folder)
    with pytest.raises(DamagedRecordingError, match="group/trial/rank-0/calls/"):
        recording.calls(recording.step(7).calls[0] or "")


MEANINGS: dict[str, Callable[[Any], object]] = {
    "none are written": lambda tree: tree["ports"].pop("meaning"),
    "they are null": lambda tree: tree["ports"].update(meaning=None),
    "one is of a later version": lambda tree: tree["ports"].update(meaning=[None, None, "routing"]),
}


@pytest.mark.parametrize("change", MEANINGS.values(), ids=MEANINGS.keys())
def test_meanings_that_are_not_known_are_none(folder: Path, change: Callable[[Any], object]) -> None:
    edit(only(folder / "calls"), change)
    recording = open_recording(folder)
    assert [port.meaning for port in recording.calls(recording.step(7).calls[0] or "").ports] == [None] * 3


@pytest.mark.parametrize("value", [None, "missing"])
def test_calls_without_gradients_of_their_own_are_read(folder: Path, value: str | None) -> None:
    def change(tree: Any) -> None:  # noqa: ANN401
        for key in ("gradient_record_name", "gradient_record_iteration"):
            tree["ports"].pop(key) if value == "missing" else tree["ports"].update({key: None})

    edit(only(folder / "calls"), change)
    recording = open_recording(folder)
    assert [port.gradient_record_name for port in recording.calls(recording.step(7).calls[0] or "").ports] == [None] * 3


BAD_NETWORKS: dict[str, Callable[[Any], object]] = {
    "parent behind its child": lambda network: network["modules"][0].update(parent=0),
    "description is a number": lambda network: network["modules"][0].update(description=3),
    "parameter of a missing module": lambda network: network["parameters"][0].update(module=1),
    "parameters missing": lambda network: network.pop("parameters"),
    "product overflows": lambda network: network["parameters"][0].update(shape=[2**32, 2**31]),
    "product overflows beside a zero": lambda network: network["parameters"][0].update(shape=[0, 2**62, 2, 2]),
    "negative size": lambda network: network["parameters"][0].update(shape=[-1]),
    "requires_grad is a number": lambda network: network["parameters"][0].update(requires_grad=1),
    "alias is a list": lambda network: network["parameters"][0].update(alias_of=[]),
    "optimizers are an object": lambda network: network.update(optimizers={}),
    "optimizer without groups": lambda network: network["optimizers"][0].pop("groups"),
    "optimizer of a missing parameter": lambda network: network["optimizers"][0]["groups"][0].update(parameters=[2]),
    "optimizer of a negative parameter": lambda network: network["optimizers"][0]["groups"][0].update(parameters=[-1]),
    "options are a list": lambda network: network["optimizers"][0]["groups"][0].update(options=[]),
    "an option is a list": lambda network: network["optimizers"][0]["groups"][0].update(options={"betas": [0.9, 0.99]}),
    "session is a fraction": lambda network: network.update(session=0.5),
}


@pytest.mark.parametrize("change", BAD_NETWORKS.values(), ids=BAD_NETWORKS.keys())
def test_a_network_that_contradicts_the_format_is_reported(folder: Path, change: Callable[[Any], object]) -> None:
    edit(folder / "network.json", change)
    recording = open_recording(folder)
    assert recording.network == Network()
    assert len(recording.problems) == 1
    assert "network.json" in recording.problems[0]


@pytest.mark.parametrize(
    "change",
    [
        {"name": 3},
        {"nan": -1},
        {"nan": 0, "rows": []},
        {"positive": 1.5},
        {"rows": [4, 3]},
        {"rows": [-1]},
        {"rows": [0, 1, 2]},
        {"nan": 9, "rows": [0, 1, 2, 3, 4, 5]},
        {"rows": None},
        None,
    ],
)
def test_inputs_of_a_check_that_contradict_the_format_are_refused(change: dict[str, object] | None) -> None:
    decoder = SentinelDecoder()
    assert decoder.decode({"tensors": []}, "f") is None
    line = {"step": 1, "type": "train", "largest": [], "triggered": None}
    content = {"name": "net: input x", "nan": 2, "positive": 0, "negative": 0, "rows": [3, 4]}
    point = decoder.decode({**line, "inputs": [content]}, "f")
    assert point is not None
    assert point.inputs == (NonFiniteInput("net: input x", 2, 0, 0, (3, 4)),)
    with pytest.raises(DamagedRecordingError):
        decoder.decode({**line, "inputs": "x" if change is None else [{**content, **change}]}, "f")
