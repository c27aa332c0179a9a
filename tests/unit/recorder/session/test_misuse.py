"""Wrong calls raise at once, and the message names the call, the tensor and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsFrequencyPerType, TensorReference
from comgra_export.errors import MisuseError, TrialExistsError
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_edges

B = 4
Call = Callable[[ComgraRecorder], object]


def x() -> torch.Tensor:
    return torch.ones(B, 2)


REGISTRATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "star in name": ({"tensor_name": "odd*"}, r"'odd\*'.*\*.*Choose"),
    "reserved beginning": ({"tensor_name": "node__odd"}, "'node__odd'.*reserved"),
    "empty name": ({"tensor_name": ""}, "empty"),
    "broken name": ({"tensor_name": "odd\ud800"}, r"odd\\ud800.*Unicode"),
    "name is a tensor": ({"tensor_name": torch.ones(3, 2)}, r"a Tensor of the shape \[3, 2\], which is not a string"),
    "name is a number": ({"tensor_name": 7}, "7.*string"),
    "star in node": ({"node_name": "odd*"}, r"node 'odd\*'"),
    "role is no text": ({"role_within_node": 1.5}, "role is 1.5.*string"),
    "broken role": ({"role_within_node": "odd\ud800"}, r"role 'odd\\ud800'.*Unicode"),
    "not a tensor": ({"tensor": [1.0]}, "'odd'.*list.*Tensor"),
    "two roles": ({"is_input": True, "is_target": True}, "'odd'.*input and target"),
    "three roles": ({"is_input": True, "is_loss": True, "is_parameter": True}, "'odd'.*input and parameter and loss"),
    "vector loss": ({"is_loss": True}, r"'odd'.*\[4, 2\].*loss.*mean or sum"),
    "vector as single value": ({"recording_type": "single_value"}, r"'odd'.*\[4, 2\].*one number"),
    "unknown kind": ({"recording_type": "everything"}, "'odd'.*'everything'.*neuron"),
    "svd with batch": ({"recording_type": "kpis_and_svd"}, "'odd'.*kpis_and_svd.*without a batch"),
    "samples without batch": ({"index_of_batch_dimension": None, "record_per_batch_index": True}, "'odd'.*no batch dimension"),
    "wrong batch size": ({"tensor": torch.ones(B + 1, 2)}, r"'odd'.*\[5, 2\].*current_batch_size 4.*None"),
    "batch dimension out of range": ({"index_of_batch_dimension": 2}, "'odd'.*2 dimensions.*index_of_batch_dimension=2"),
    "batch dimension is a text": ({"index_of_batch_dimension": "first"}, "'odd'.*'first'"),
    "initial value in an iteration": ({"is_initial_value": True}, "'odd'.*within an iteration.*before the first start_iteration"),
    "name given twice": ({"tensor_name": "taken"}, "'taken'.*twice in iteration 0 of step 3.*name of its own"),
    "role given twice": ({"node_name": "node", "role_within_node": "role"}, "'odd'.*'role'.*'node'.*'roled'"),
}


@pytest.mark.parametrize("case", REGISTRATIONS)
def test_registering_wrongly(recorder: ComgraRecorder, case: str) -> None:
    arguments, message = REGISTRATIONS[case]
    recorder.start_batch(3, B)
    recorder.start_iteration()
    recorder.register_tensor("taken", x())
    recorder.register_tensor("roled", x(), node_name="node", role_within_node="role")
    with pytest.raises(MisuseError, match="(?s)register_tensor.*" + message):
        recorder.register_tensor(**{"tensor_name": "odd", "tensor": x(), **arguments})
    # The step goes on without that tensor.
    recorder.register_tensor("fine", x())
    recorder.finish_iteration()
    recorder.finish_batch()
    assert read_edges(recorder, 3) == set()


OTHER_NAMES: dict[str, tuple[dict[str, Any], str]] = {
    "type": ({"is_input": True}, "type .*calculated.*input"),
    "kind": ({"recording_type": "kpis"}, "kind .*neuron.*kpis"),
    "batch dimension": ({"index_of_batch_dimension": 1}, "batch_dimension .*0.*1"),
    "samples": ({"record_per_batch_index": False}, "per_sample .*True.*False"),
    "node": ({"node_name": "node", "role_within_node": "another"}, "same node 'node'"),
}


@pytest.mark.parametrize("case", OTHER_NAMES)
def test_names_of_a_tensor_that_disagree(recorder: ComgraRecorder, case: str) -> None:
    arguments, message = OTHER_NAMES[case]
    tensor = torch.ones(B, B)
    recorder.start_batch(0, B)
    recorder.start_iteration()
    recorder.register_tensor("first name", tensor, node_name="node")
    with pytest.raises(MisuseError, match="(?s)'second name'.*'first name'.*" + message):
        recorder.register_tensor("second name", tensor, **arguments)


def test_registering_a_tracked_parameter(recorder: ComgraRecorder) -> None:
    network = nn.Linear(B, B)
    recorder.track_module("net", network)
    recorder.start_batch(0, B)
    recorder.start_iteration()
    with pytest.raises(MisuseError, match=r"'mine'.*'net.weight'"):
        recorder.register_tensor("mine", network.weight)


ORDER: dict[str, tuple[list[Call], str]] = {
    "iteration before batch": ([lambda r: r.start_iteration()], "start_iteration.*outside a step.*start_batch"),
    "iteration twice": (
        [lambda r: r.start_batch(0, B), lambda r: r.start_iteration(), lambda r: r.start_iteration()],
        "start_iteration.*within an iteration of step 0.*finish_iteration",
    ),
    "end without iteration": ([lambda r: r.start_batch(0, B), lambda r: r.finish_iteration()], "finish_iteration.*start_iteration first"),
    "end outside": ([lambda r: r.finish_iteration()], "finish_iteration.*start_batch first"),
    "batch twice": ([lambda r: r.start_batch(0, B), lambda r: r.start_batch(1, B)], "start_batch: step 0.*finish_batch.*abandon_batch"),
    "finish within iteration": (
        [lambda r: r.start_batch(0, B), lambda r: r.start_iteration(), lambda r: r.finish_batch()],
        "finish_batch.*within an iteration.*finish_iteration.*abandon_batch",
    ),
    "finish without iteration": ([lambda r: r.start_batch(0, B), lambda r: r.finish_batch()], "finish_batch.*no iteration has begun"),
    "finish twice": (
        [lambda r: r.start_batch(0, B, override__recording_is_active=False), lambda r: r.finish_batch(), lambda r: r.finish_batch()],
        "finish_batch.*outside a step.*start_batch first",
    ),
    "register before iteration": ([lambda r: r.start_batch(0, B), lambda r: r.register_tensor("odd", x())], "'odd'.*is_initial_value=True"),
    "register after iteration": (
        [
            lambda r: r.start_batch(0, B),
            lambda r: r.start_iteration(),
            lambda r: r.finish_iteration(),
            lambda r: r.register_tensor("odd", x()),
        ],
        "'odd'.*after an iteration.*start_iteration",
    ),
    "gradients before iteration": ([lambda r: r.start_batch(0, B), lambda r: r.record_current_gradients("g")], "'g'.*start_iteration"),
    "track within step": ([lambda r: r.start_batch(0, B), lambda r: r.track_module("net", nn.Linear(1, 1))], "track_module.*'net'.*step 0"),
    "step not increasing": (
        [lambda r: r.start_batch(5, B, override__recording_is_active=False), lambda r: r.finish_batch(), lambda r: r.start_batch(5, B)],
        "training_step 5 does not come after 5.*number of its own.*whatever its type.*next number(?!.*append)",
    ),
    "step decreasing": (
        [
            lambda r: r.start_batch(5, B, override__recording_is_active=False),
            lambda r: r.finish_batch(),
            lambda r: r.start_batch(4, B, "eval"),
        ],
        "training_step 4 does not come after 5.*whatever its type.*append",
    ),
    "step is a fraction": ([lambda r: r.start_batch(1.5, B)], "training_step is 1.5.*integer"),  # type: ignore[arg-type]
    "step is several": (
        [lambda r: r.start_batch(torch.tensor([1, 2]), B)],  # type: ignore[arg-type]
        r"training_step is a Tensor of the shape \[2\]. Give an integer",
    ),
    "negative step after training": (
        [lambda r: r.start_batch(5, B, override__recording_is_active=False), lambda r: r.finish_batch(), lambda r: r.start_batch(-1, B)],
        "training_step -1 does not come after 5",
    ),
    "huge step": ([lambda r: r.start_batch(10**12, B)], "training_step 1000000000000"),
    "batch size": ([lambda r: r.start_batch(0, -1)], "current_batch_size is -1 in step 0"),
    "batch sizes": ([lambda r: r.start_batch(0, torch.tensor([1, 2]))], r"current_batch_size is a Tensor of the shape \[2\] in step 0"),  # type: ignore[arg-type]
    "type is a list": ([lambda r: r.start_batch(0, B, [])], r"type_of_execution is \[\].*letters"),  # type: ignore[arg-type]
    "type with space": ([lambda r: r.start_batch(0, B, "a b")], "'a b'.*letters"),
    "type with line end": ([lambda r: r.start_batch(0, B, "a\n")], "letters"),
    "empty type": ([lambda r: r.start_batch(0, B, "")], "letters"),
    "reserved type": ([lambda r: r.start_batch(0, B, "any_value")], "'any_value'.*reserved"),
    "underscored type": ([lambda r: r.start_batch(0, B, "__mine")], "'__mine'.*reserved"),
}


@pytest.mark.parametrize("case", ORDER)
def test_calling_out_of_order(recorder: ComgraRecorder, case: str) -> None:
    *before, wrong = ORDER[case][0]
    for call in before:
        call(recorder)
    with pytest.raises(MisuseError, match=ORDER[case][1]):
        wrong(recorder)


IN_ITERATION: dict[str, tuple[Call, str]] = {
    "group twice": (lambda r: r.record_current_gradients("done"), "'done'.*another call.*name of its own"),
    "group forward": (lambda r: r.record_current_gradients("forward"), "'forward'.*forward pass"),
    "group empty": (lambda r: r.record_current_gradients(""), "record_current_gradients.*group is empty"),
    "group broken": (lambda r: r.record_current_gradients("g\ud800"), r"record_current_gradients.*'g\\ud800'.*Unicode"),
    "group no string": (lambda r: r.record_current_gradients(3), "record_current_gradients.*3.*string"),  # type: ignore[arg-type]
    "unknown source": (lambda r: r.add_tensor_connection("nobody", x()), "'nobody'.*src"),
    "unknown sink": (lambda r: r.add_tensor_connection(x(), "nobody"), "'nobody'.*sink"),
    "unknown reference": (lambda r: r.add_tensor_connection(TensorReference("taken", 3), x()), "'taken'.*iteration=3"),
    "strange source": (lambda r: r.add_tensor_connection(3, x()), "src is a int"),  # type: ignore[arg-type]
    "itself": (lambda r: r.add_tensor_connection("taken", TensorReference("taken", 0)), "same tensor, 'taken'"),
    "curve with text": (lambda r: r.record_kpi_in_graph("group", "odd", "much"), "'odd'.*'much'.*number"),  # type: ignore[arg-type]
    "curve with vector": (lambda r: r.record_kpi_in_graph("group", "odd", x()), r"'odd'.*\[4, 2\].*one element"),
    "curve with complex": (lambda r: r.record_kpi_in_graph("group", "odd", torch.tensor(1j)), "'odd'.*number"),
    "curve name": (lambda r: r.record_kpi_in_graph("group", 5, 1.0), "5.*strings"),  # type: ignore[arg-type]
    "curve with array": (lambda r: r.record_kpi_in_graph("group", "odd", np.ones((3, 2))), r"'odd'.*a ndarray of the shape \[3, 2\]"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", IN_ITERATION)
def test_wrong_arguments_in_an_iteration(recorder: ComgraRecorder, case: str) -> None:
    call, message = IN_ITERATION[case]
    recorder.start_batch(0, B)
    recorder.start_iteration()
    recorder.register_tensor("taken", x())
    recorder.record_current_gradients("done")
    recorder.record_kpi_in_graph("group", "done", 1.0)
    with pytest.raises(MisuseError, match=message):
        call(recorder)


CONSTRUCTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "samples": ({"max_num_batch_size_to_record": -1}, "max_num_batch_size_to_record is -1"),
    "visual order": ({"prefixes_for_grouping_module_parameters_visually": ["a", "a.b"]}, "'a' comes before 'a.b'"),
    "node order": ({"prefixes_for_grouping_module_parameters_in_nodes": ["a", "a.b"]}, "'a' comes before 'a.b'"),
    "node without column": (
        {"prefixes_for_grouping_module_parameters_visually": ["b"], "prefixes_for_grouping_module_parameters_in_nodes": ["a"]},
        "'a'.*no column",
    ),
    "node in two columns": (
        {"prefixes_for_grouping_module_parameters_visually": ["a.b", ""], "prefixes_for_grouping_module_parameters_in_nodes": ["a"]},
        "'a.b'.*'a'.*several columns",
    ),
    "nameless node": ({"prefixes_for_grouping_module_parameters_in_nodes": [""]}, "''"),
    "text instead of list": ({"prefixes_for_grouping_module_parameters_visually": "net"}, "'net'.*list"),
    "group": ({"group": "../b"}, "group"),
    "trial": ({"trial_id": ""}, "trial"),
    "existing trial": ({"existing_trial": "keep"}, "'keep'.*rename"),
    "rank": ({"rank": 2, "world_size": 2}, "rank 2"),
}


@pytest.mark.parametrize("case", CONSTRUCTIONS)
def test_constructing_wrongly(make_recorder: MakeRecorder, case: str) -> None:
    arguments, message = CONSTRUCTIONS[case]
    with pytest.raises(MisuseError, match=message):
        make_recorder(**arguments)


@pytest.mark.parametrize(("difference", "factor"), [(-1, 1.0), (1, 0.5), (1, float("nan"))])
def test_schedules_that_cannot_be(difference: int, factor: float) -> None:
    with pytest.raises(MisuseError):
        DecisionMakerForRecordingsFrequencyPerType(difference, factor)


def test_a_schedule_that_is_none_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match=r"decision_maker_for_recordings is 10.*every=10"):
        ComgraRecorder(tmp_path, "g", "t", 10)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_an_iteration_that_is_open_needs_only_its_end(recorder: ComgraRecorder) -> None:
    recorder.start_batch(0, B)
    recorder.start_iteration()
    with pytest.raises(MisuseError, match="Call finish_iteration first"):
        recorder.finish_batch()


def test_finalizing_within_a_step_says_that_the_step_is_lost(recorder: ComgraRecorder) -> None:
    recorder.start_batch(0, B)
    with pytest.warns(ComgraRecordingWarning, match="step 0 is not finished"):
        recorder.finalize()
    recorder.finalize()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"every": 0}, "watch: every is 0."),
        ({"graph": "torch"}, "watch: graph is 'torch'."),
        ({"check": 1}, "watch: check is 1."),
        ({"existing_trial": "keep"}, "watch: existing_trial is 'keep'."),
        ({"rank": 2, "world_size": 2}, "watch: the rank 2 is not below"),
        ({"prefixes_for_grouping_module_parameters_in_nodes": [""]}, "watch: prefixes_for_grouping_module_parameters_in_nodes contains ''"),
    ],
)
def test_what_is_wrong_with_watch_is_said_of_watch(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(MisuseError) as caught:
        comgra_export.watch(nn.Linear(2, 2), tmp_path, **arguments)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("trial", "Did you mean 'trial_id'?"),
        ("historams", "Did you mean 'histograms'?"),
        ("xyz", "help(comgra_export.watch) lists them."),
        ("arguments", "help(comgra_export.watch) lists them."),
    ],
)
def test_an_unknown_argument_is_said_of_watch(tmp_path: Path, name: str, instead: str) -> None:
    arguments: dict[str, Any] = {name: 1}
    with pytest.raises(TypeError, match=f"^{re.escape(f'watch() has no argument {name!r}. {instead}')}$"):
        comgra_export.watch(nn.Linear(2, 2), tmp_path, **arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_recording_that_is_there_already_is_said_of_watch(tmp_path: Path) -> None:
    model = nn.Linear(2, 2).eval()
    with comgra_export.watch(model, tmp_path):
        model(x())
    with pytest.raises(TrialExistsError) as caught:
        comgra_export.watch(model, tmp_path)
    assert str(caught.value).startswith("watch: there is a recording in ")
