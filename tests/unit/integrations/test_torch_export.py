"""The graph of an exported program, as a recording without values."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export.errors import MisuseError
from comgra_export.integrations.torch_export import record_program
from comgra_export.storage import open_recording


class _Block(nn.Module):
    scale: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.fc(x)) * self.scale + x


class _Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = _Block()
        self.block.fc.bias.requires_grad_(False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        left, right = self.block(x).chunk(2, dim=1)
        # Computed of the size of the batch alone, then a tensor of it, then an index.
        return left / x.shape[0], right.argmax(dim=1)


def test_a_page_shows_the_graph_of_a_program_without_values(tmp_path: Path) -> None:
    model = _Model()
    batch = torch.export.Dim("batch")
    program = torch.export.export(model, (torch.rand(3, 4),), dynamic_shapes={"x": {0: batch}})
    shapes_before = [str(node.meta.get("val")) for node in program.graph.nodes]
    trial_folder = record_program(program, tmp_path / "recordings")
    assert [str(node.meta.get("val")) for node in program.graph.nodes] == shapes_before, "a size was closed"
    page = comgra_export.export(trial_folder, tmp_path / "program.html").path
    for path in (trial_folder, page):
        (trial,) = comgra_export.read(path).trials.values()
        graph = trial.graph()
        edges = {
            (source, target): flows
            for source, target, flows in zip(*(graph.edges[key] for key in ("source", "target", "has_gradient")), strict=True)
        }
        assert edges == {
            ("x", "linear"): True,
            ("model.block.fc.weight", "linear"): True,
            ("model.block.fc.bias", "linear"): True,
            ("linear", "relu"): True,
            ("relu", "mul"): True,
            ("model.block.scale", "mul"): True,
            ("mul", "add"): True,
            ("x", "add"): True,
            ("add", "getitem"): True,
            ("add", "getitem_1"): True,
            ("getitem", "div"): True,
            ("x", "div"): True,
            ("getitem_1", "argmax"): False,
        }
        types = dict(zip(graph.nodes["tensor"], graph.nodes["type"], strict=True))
        assert (types["x"], types["model.block.scale"], types["div"]) == ("input", "parameter", "calculated")
        assert len(trial.statistics["step"]) == 0
        assert "The program was not run, so there are no values." in trial.notes["text"][0]
    recording = open_recording(trial_folder / "rank-0")
    described = {entry.name: entry for entry in recording.layout(recording.step(0).layout).tensors}
    assert [parameter.requires_grad for parameter in recording.network.parameters] == [True, False]
    linear, part = described["linear"], described["getitem"]
    assert (linear.shape, linear.dtype, linear.operation, linear.module) == ((3, 4), "F32", "aten.linear.default", "model.block.fc")
    assert (part.shape, part.operation, part.module) == ((3, 2), "aten.chunk.default", "model")
    assert described["argmax"].dtype == "I64"
    with pytest.raises(MisuseError):
        record_program(program, tmp_path / "recordings")
    record_program(program, tmp_path / "recordings", replace=True)
