"""Scripts that use the whole interface of comgra 0.11.5, for its recorder and for ours: `python comgra_whole_api.py TOOL FOLDER LOG`.

Only the lines that import differ. Nothing in them is random but what `torch.manual_seed` fixes. What a script reads from its recorder is
written to LOG.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn

__all__ = ["GROUPS", "SCRIPTS", "run_scripts"]

GROUPS = {"two/losses": "layered", "memory": "recurrent", "late": "types"}
"""The group of each script, and its trial."""

Api = Any
B = 6


def imported(tool: str) -> Api:
    """What the first lines of a script import."""
    if tool == "comgra":
        import comgra  # type: ignore[import-not-found]
        from comgra import utilities, utilities_initialization_config
        from comgra.objects import (  # type: ignore[import-not-found]
            DecisionMakerForRecordingsFrequencyPerType,
            DecisionMakerForRecordingsHardcoded,
            TensorReference,
        )
        from comgra.recorder import ComgraRecorder  # type: ignore[import-not-found]
    else:
        import comgra_export as comgra
        from comgra_export import (
            ComgraRecorder,
            DecisionMakerForRecordingsFrequencyPerType,
            DecisionMakerForRecordingsHardcoded,
            TensorReference,
            utilities,
            utilities_initialization_config,
        )
    assert utilities.warn_once is not None
    assert utilities_initialization_config.DEBUG_MODE is False
    return SimpleNamespace(
        slot=comgra,
        recorder=ComgraRecorder,
        every=DecisionMakerForRecordingsFrequencyPerType,
        these=DecisionMakerForRecordingsHardcoded,
        reference=TensorReference,
    )


class Layered(nn.Module):
    """It registers a tensor itself, by the recorder in the slot."""

    def __init__(self, slot: Any) -> None:  # noqa: ANN401
        super().__init__()
        self.slot = slot
        self.encoder = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 4))
        self.decoder = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.encoder(x)
        self.slot.my_recorder.register_tensor("h", h, recording_type="neuron")
        detached = self.slot.my_recorder.detach_while_keeping_connection(h)
        self.slot.my_recorder.register_tensor("detached", detached * 2, node_name="pair", role_within_node="first")
        self.slot.my_recorder.register_tensor("other", h * 3, node_name="pair", role_within_node="second*", recording_type="kpis")
        self.slot.my_recorder.register_tensor("numbered", h * 4, node_name="roles", role_within_node=1)
        self.slot.my_recorder.register_tensor("unnamed", h * 5, node_name="more roles", role_within_node="")
        result: torch.Tensor = self.decoder(torch.relu(h))
        return result


def layered(api: Api, root: Path, log: list[Any]) -> None:
    """Nodes of several roles, grouped parameters, connections by hand, two losses, curves and notes."""
    torch.manual_seed(1)
    model, critic = Layered(api.slot), nn.Linear(2, 1)
    recorder = api.recorder(
        comgra_root_path=root,
        group="two/losses",
        trial_id="layered",
        decision_maker_for_recordings=api.these([0, 3]),
        max_num_batch_size_to_record=2,
        prefixes_for_grouping_module_parameters_visually=["model.encoder", "model.decoder", "critic"],
        prefixes_for_grouping_module_parameters_in_nodes=["critic"],
        calculate_svd_and_other_expensive_operations_of_parameters=True,
    )
    api.slot.my_recorder = recorder
    recorder.track_module("model", model)
    recorder.track_module("critic", critic)
    log.append(recorder.get_name_of_module(model.encoder))
    recorder.add_note("first")
    recorder.record_kpi_in_graph("numbers", "before", 1.5, timepoint=-1, record_even_if_recording_is_inactive=True)
    for step in range(4):
        x, y = torch.rand(B, 3), torch.rand(B, 2)
        recorder.start_batch(step, B, "train", record_all_tensors_per_batch_index_by_default=step == 0)
        recorder.start_iteration()
        log.append([recorder.iteration == 0, recorder.recording_is_active(), recorder.training_step, recorder.type_of_execution])
        recorder.register_tensor("x", x, is_input=True, recording_type="neuron")
        recorder.register_tensor("y", y, is_target=True, record_per_batch_index=True)
        output = model(x)
        recorder.register_tensor("output", output)
        recorder.register_tensor("output again", output)
        far = (output.detach() + 1).transpose(0, 1)
        recorder.register_tensor("far", far, index_of_batch_dimension=1)
        recorder.add_tensor_connection("output", "far")
        recorder.add_tensor_connection(x, api.reference("far", 0, "node__far", "far", True, None))
        first = (output - y).square().mean()
        second = critic(far.transpose(0, 1)).square().mean()
        recorder.register_tensor("first loss", first, is_loss=True)
        recorder.register_tensor("second loss", second, is_loss=True)
        first.backward(retain_graph=True)
        recorder.record_current_gradients("of the *first", set_gradients_to_zero_if_not_a_parameter=True)
        second.backward()
        recorder.record_current_gradients("of both")
        recorder.record_kpi_in_graph("numbers", "loss", first, record_even_if_recording_is_inactive=step % 2 == 0)
        recorder.finish_iteration()
        recorder.finish_batch()
        log.append([recorder.recording_is_active(), len(recorder.notes), recorder.trial_path.name])
        with torch.no_grad():
            for parameter in [*model.parameters(), *critic.parameters()]:
                assert parameter.grad is not None
                parameter.sub_(parameter.grad, alpha=0.1)
                parameter.grad = None
    recorder.finalize()


def recurrent(api: Api, root: Path, log: list[Any]) -> None:
    """A cell over several iterations, with first values of its memory, and a loss in the last."""
    torch.manual_seed(2)
    cell, head = nn.LSTMCell(3, 4), nn.Linear(4, 1)
    recorder = api.recorder(root, "memory", "recurrent", api.every(2, 1.5), max_num_batch_size_to_record=1)
    recorder.track_module("cell", cell)
    recorder.track_module("head", head)
    for step in range(9):
        recorder.start_batch(step, B)
        h, c = torch.zeros(B, 4), torch.zeros(B, 4)
        recorder.register_tensor("h", h, is_initial_value=True)
        recorder.register_tensor("c", c, is_initial_value=True)
        for time in range(3):
            recorder.start_iteration()
            log.append([-1 if recorder.iteration is None else int(recorder.iteration), recorder.recording_is_active()])
            x = torch.rand(B, 3)
            recorder.register_tensor("x", x, is_input=True)
            h, c = cell(x, (h, c))
            recorder.register_tensor("c", c)
            recorder.register_tensor("h", h)
            if time == 2:
                loss = head(h).square().mean()
                recorder.register_tensor("loss", loss, is_loss=True)
                loss.backward()
                recorder.record_current_gradients("gradients")
            recorder.finish_iteration()
        recorder.finish_batch()
        for parameter in [*cell.parameters(), *head.parameters()]:
            parameter.grad = None
    recorder.finalize()


def types(api: Api, root: Path, log: list[Any]) -> None:
    """Types that are known late, with a category for each sample."""
    torch.manual_seed(3)
    model = nn.Linear(3, 2)
    recorder = api.recorder(root, "late", "types", api.every(3), 3)
    recorder.track_module("model", model)
    for step in range(10):
        if step == 6:
            recorder.declare_that_all_different_types_of_execution_have_been_encountered()
        recorder.start_batch(step, B, None)
        recorder.start_iteration()
        x = torch.rand(B, 3)
        recorder.register_tensor("x", x, is_input=True, recording_type="neuron")
        output = model(x)
        recorder.register_tensor("output", output)
        loss = output.square().mean()
        recorder.register_tensor("loss", loss, is_loss=True)
        loss.backward()
        recorder.decide_recording_of_batch(["even", "odd"][step % 2], [["low", "high"][number % 2] for number in range(B)])
        log.append(recorder.recording_is_active())
        recorder.record_current_gradients("gradients")
        recorder.record_kpi_in_graph("curves", "loss", loss)
        recorder.finish_iteration()
        recorder.finish_batch()
        model.zero_grad()
    recorder.finalize()


SCRIPTS = (layered, recurrent, types)


def run_scripts(tool: str, root: Path) -> list[Any]:
    """Runs all of them, and returns what they have read."""
    api = imported(tool)
    log: list[Any] = []
    root.mkdir()
    for script in SCRIPTS:
        script(api, root, log)
    return log


if __name__ == "__main__":
    Path(sys.argv[3]).write_text(json.dumps(run_scripts(sys.argv[1], Path(sys.argv[2]))), encoding="utf-8")
