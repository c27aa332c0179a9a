"""A script for comgra's recorder and for ours. Nothing in it is random.

tests/data/comgra holds what comgra 0.11.5 has recorded of it: `python comgra_script.py FOLDER`, in an environment with comgra.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch

__all__ = ["STEPS", "train"]

STEPS = (0, 2, 3)


class Net(torch.nn.Module):
    """Two layers, whose weights are not random."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(torch.linspace(-0.7, 0.9, parameter.numel()).view(parameter.shape))


def train(recorder_class: Any, decision_class: Any, root: Path) -> None:  # noqa: ANN401
    """Records four steps, three of them in full, with two iterations each."""
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    recorder = recorder_class(root, "group", "trial", decision_class(set(STEPS)), max_num_batch_size_to_record=2)
    recorder.track_module("net", net)
    recorder.add_note("A note.")
    for step in range(4):
        recorder.start_batch(step, 3, "even" if step % 2 == 0 else "odd")
        for iteration in range(2):
            recorder.start_iteration()
            x = torch.linspace(-1, 1, 9).view(3, 3) * (step + 1) + iteration
            y = torch.linspace(0, 1, 6).view(3, 2)
            recorder.register_tensor("x", x, is_input=True)
            recorder.register_tensor("y", y, is_target=True)
            h = torch.tanh(net.a(x))
            recorder.register_tensor("h", h, recording_type="neuron")
            place = {"node_name": "pair", "role_within_node": "first", "record_per_batch_index": False}
            recorder.register_tensor("double", h * 2, recording_type="kpis", **place)
            out = net.b(h)
            recorder.register_tensor("out", out, recording_type="neuron")
            loss = (out - y).square().mean()
            recorder.register_tensor("loss", loss, is_loss=True)
            optimizer.zero_grad()
            loss.backward()
            recorder.record_current_gradients(f"gradients {iteration}")
            recorder.finish_iteration()
        optimizer.step()
        recorder.record_kpi_in_graph("loss", "mse", loss.detach())
        recorder.finish_batch()
    recorder.finalize()


if __name__ == "__main__":
    from comgra.objects import DecisionMakerForRecordingsHardcoded  # type: ignore[import-not-found]
    from comgra.recorder import ComgraRecorder  # type: ignore[import-not-found]

    Path(sys.argv[1]).mkdir()
    train(ComgraRecorder, DecisionMakerForRecordingsHardcoded, Path(sys.argv[1]))
