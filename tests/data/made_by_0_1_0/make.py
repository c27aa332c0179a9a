"""Makes the recordings and bundles of this folder, with the version of comgra_export that is installed.

python make.py FOLDER
"""

from __future__ import annotations

import gzip
import json
import math
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType, DecisionMakerForRecordingsHardcoded

BATCH = 6
SAMPLES = 3
RECORDED_STEPS = (0, 2, 4)
EVALUATE_AFTER = (2, 4)


def main(folder: Path) -> None:
    """Write everything into a folder."""
    torch.set_num_threads(1)
    # The NaN is there on purpose: it is nothing to warn about.
    warnings.simplefilter("ignore")
    expected = {"by_hand": record_by_hand(folder), "watched": record_watched(folder)}
    for name in expected:
        page = comgra_export.export(folder / name, folder / f"{name}.html", title=f"Made with {comgra_export.__version__}", force=True).path
        (folder / f"{name}.html.gz").write_bytes(gzip.compress(page.read_bytes(), 9, mtime=0))
        page.unlink()
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def record_by_hand(folder: Path) -> dict[str, Any]:
    """Record tensors one by one, with everything that can be said of them; returns what they held in the last recorded step."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    schedule = DecisionMakerForRecordingsHardcoded(set(RECORDED_STEPS))
    kept: dict[str, Any] = {}
    with ComgraRecorder(folder, "by_hand", "first", schedule, SAMPLES, existing_trial="replace", sentinels=True) as recorder:
        recorder.track_module("net", net)
        recorder.track_optimizers(optimizer)
        recorder.add_note("Recorded by hand: <b>tensors</b> of every kind.")
        for step in range(5):
            recorder.set_epoch(step // 2)
            recorder.start_batch(
                step,
                BATCH,
                type_of_execution="even" if step % 4 == 0 else "odd",
                category_per_sample=[("cat", "dog")[k % 2] for k in range(BATCH)],
                sample_ids=[f"picture <{k}>" for k in range(BATCH)],
            )
            recorder.start_iteration()
            x = torch.randn(BATCH, 4)
            recorder.register_tensor("x", x, is_input=True)
            hidden = net[1](net[0](x))
            recorder.register_tensor("hidden", hidden)
            output = net[2](hidden)
            recorder.register_tensor("output", output)
            broken = torch.ones(BATCH, 4)
            broken[0] = torch.tensor([math.nan, math.inf, -math.inf, 0.0])
            recorder.register_tensor("broken", broken)
            recorder.register_tensor("half", output.detach().to(torch.bfloat16))
            recorder.register_tensor("count", torch.arange(BATCH).reshape(BATCH, 1) * 1000)
            target = torch.zeros(BATCH, 3)
            recorder.register_tensor("target", target, is_target=True)
            error = ((output - target) ** 2).mean()
            recorder.register_tensor("error", error, is_loss=True)
            size = hidden.abs().mean()
            recorder.register_tensor("size", size, is_loss=True)
            recorder.record_gradient_flow(error, ["x", "hidden", "output"], samples=[0, 1])
            optimizer.zero_grad()
            error.backward(retain_graph=True)
            recorder.record_current_gradients("error")
            gradient = net[0].weight.grad
            kept = {"x": x, "hidden": hidden, "output": output, "error": error, "broken": broken, "half": output.to(torch.bfloat16)}
            kept |= {"net.0.weight": net[0].weight, "gradient of net.0.weight": gradient}
            kept = {name: numbers(tensor) for name, tensor in kept.items()}
            size.backward()
            recorder.record_current_gradients("size")
            recorder.record_kpi_in_graph("loss", "error", error, record_even_if_recording_is_inactive=True)
            recorder.record_kpi_in_graph(
                "loss", "strange", math.nan if step == 1 else float(step), record_even_if_recording_is_inactive=True
            )
            recorder.finish_iteration()
            recorder.finish_batch()
            optimizer.step()
        recorder.add_note("The end.")
    return kept


class Net(nn.Module):
    """A small convolutional network with a residual connection."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3, padding=1)
        self.block = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU())
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        x = x + self.block(x)
        scores: Tensor = self.head(x.mean((2, 3)))
        return scores


def record_watched(folder: Path) -> dict[str, Any]:
    """Watch a network in training and, after some of its steps, in evaluation; returns its input in the last recorded step."""
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    schedule = DecisionMakerForRecordingsFrequencyPerType(2)
    kept: dict[str, Any] = {}
    with comgra_export.watch(
        net,
        folder,
        name="net",
        values=True,
        group="watched",
        trial_id="only",
        existing_trial="replace",
        decision_maker_for_recordings=schedule,
        max_num_batch_size_to_record=2,
    ) as recorder:
        for step in range(5):
            recorder.set_epoch(step // 2)
            pictures, labels = torch.rand(4, 1, 6, 6), torch.tensor([0, 1, 1, 0])
            # The evaluation before it has the number 3, so this training step is recorded as number 4.
            if step == 3:
                kept = {"input": numbers(pictures)}
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(pictures), labels)
            loss.backward()
            optimizer.step()
            recorder.record_kpi_in_graph("loss", "loss", loss, record_even_if_recording_is_inactive=True)
            if step in EVALUATE_AFTER:
                net.eval()
                with torch.no_grad():
                    net(pictures)
                net.train()
                recorder.add_note(f"Epoch {step // 2} is over.")
    return kept


def numbers(tensor: Tensor | None) -> Any:  # noqa: ANN401
    """Nested lists of numbers; those that JSON cannot hold as strings."""
    assert tensor is not None

    def plain(value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, list):
            return [plain(each) for each in value]
        return value if math.isfinite(value) else str(value)

    return plain(tensor.detach().double().tolist())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
