"""A compiler that traces the training script does not trace the recorder."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_edges, read_records

B = 4


@pytest.fixture(autouse=True)
def forget_compiled_code() -> Iterator[None]:
    yield
    torch.compiler.reset()


class Network(nn.Module):
    def __init__(self, recorder: ComgraRecorder) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
        vars(self)["recorder"] = recorder

    def forward(self, x: Tensor) -> Tensor:
        recorder: ComgraRecorder = vars(self)["recorder"]
        hidden = torch.relu(self.first(x))
        recorder.register_tensor("hidden", hidden)
        kept = recorder.detach_while_keeping_connection(hidden)
        output: Tensor = self.second(hidden) + kept
        recorder.register_tensor("output", output)
        recorder.record_kpi_in_graph("norms", "output", output.norm())
        return output


def test_recorded_steps_run_eagerly_and_nothing_is_compiled_for_them(make_recorder: MakeRecorder) -> None:
    operations: list[int] = []

    def backend(graph: torch.fx.GraphModule, _: object) -> Callable[..., object]:
        operations.append(sum(node.op == "call_function" for node in graph.graph.nodes))
        return graph.forward

    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded({1, 2, 3}))
    network = Network(recorder)
    recorder.track_module("net", network)
    compiled = torch.compile(network, backend=backend)
    for step in range(4):
        with recorder.batch(step, B), recorder.iteration():
            x = torch.randn(B, 3)
            recorder.register_tensor("x", x, is_input=True)
            compiled(x).sum().backward()
            recorder.record_current_gradients("gradients")
    assert read_edges(recorder, 3) >= {("x", "hidden"), ("hidden", "output"), ("net.second.weight", "output")}
    assert not read_records(recorder, 3)["gradients", "hidden", 0].counts[4]
    assert len(operations) == 1, operations
