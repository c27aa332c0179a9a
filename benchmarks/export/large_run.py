"""How long it takes to judge a large recording by all rules and associations, and how much memory."""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.harness.memory import peak_memory
from benchmarks.harness.own_process import Series, Unavailable, run_alone
from benchmarks.harness.recorders import RecorderMaker
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import DecisionMakerForRecordingsFrequencyPerType, findings, watch

__all__ = ["HEADING", "judge", "measure"]

HEADING = "Findings and associations of a large recording: a transformer with all values of five samples, every tenth step an evaluation"

_STEPS, _QUICK_STEPS = 2000, 30
_SECONDS, _MEMORY = 10.0, 300.0
_ROUNDS = 3

_BATCH, _LENGTH, _WIDTH, _CLASSES, _SAMPLES = 16, 8, 32, 10, 512


def measure(workload: Workload) -> list[Row]:
    """Train and record here, and judge in a process that has done nothing else."""
    root = workload.folder / "judged"
    _record(root, _QUICK_STEPS if workload.quick else _STEPS)
    size = sum(path.stat().st_size for path in root.rglob("*.safetensors"))
    remark = f"{size / 1e6:,.0f} MB of blobs in {len(list(root.rglob('*.safetensors'))):,} steps"
    try:
        rounds = 1 if workload.quick else _ROUNDS
        judged, missing = run_alone(Path(sys.executable), "our recorder", judge, 600, root=str(root), rounds=rounds), remark
    except Unavailable as reason:
        judged, missing = {}, str(reason)
    return [
        Row("all rules and associations: processor time", judged.get("seconds", []), "s", missing, _SECONDS),
        Row("memory added at the peak", [held / 1e6 for held in judged.get("memory", [])], "MB", missing, _MEMORY),
    ]


def judge(_: RecorderMaker, folder: Path, *, root: str, rounds: int) -> Series:  # noqa: ARG001
    """Judge a recording several times.

    Returns:
        `seconds` of processor time, for each time; `memory`: bytes by which the first raised the peak of the process.
    """
    before, memory = peak_memory(), 0
    times = []
    for _round in range(rounds):
        begin = process_time()
        findings(root)
        times.append(process_time() - begin)
        memory = memory or peak_memory() - before
    return {"seconds": times, "memory": [memory]}


class _Classifier(nn.Module):
    """Two layers of a transformer on sequences `[B, L, W]`, and a linear classifier on their mean."""

    def __init__(self) -> None:
        super().__init__()
        layers = [nn.TransformerEncoderLayer(_WIDTH, 4, 2 * _WIDTH, batch_first=True) for _ in range(2)]
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Linear(_WIDTH, _CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.classifier(self.layers(x).mean(1))
        return logits


def _record(root: Path, steps: int) -> None:
    """Train on sequences whose class is the place of their largest mean, and record every step."""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(_SAMPLES, _LENGTH, _WIDTH, generator=generator)
    classes = inputs.mean(1)[:, :_CLASSES].argmax(1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = _Classifier()
        optimizer = torch.optim.Adam(model.parameters(), 1e-3)
        with watch(model, root, values=True, check=False, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1)):
            for step in range(steps):
                is_training = step % 10 != 9
                model.train(is_training)
                chosen = torch.randint(0, _SAMPLES, (_BATCH,), generator=generator)
                with torch.set_grad_enabled(is_training):
                    loss = functional.cross_entropy(model(inputs[chosen]), classes[chosen])
                if is_training:
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
