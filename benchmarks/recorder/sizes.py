"""What a recorded step costs under `watch` without options, for transformers of different sizes: time, memory and bytes on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.harness.memory import peak_memory
from benchmarks.harness.own_process import Series, Unavailable
from benchmarks.harness.table import Row
from benchmarks.harness.timing import ratios
from benchmarks.harness.transformer import several_threads
from benchmarks.harness.watchers import Watcher
from benchmarks.harness.workload import Workload
from comgra_export.storage import find_recordings, open_recording

__all__ = ["HEADING", "SIZES", "SizedTraining", "measure", "measure_size"]

HEADING = "Transformers of different sizes under watch, with all defaults: 2 sequences of 256 tokens, Adam"

SIZES: dict[str, tuple[int, int, int]] = {
    "10 million": (256, 10, 8192),
    "28 million": (384, 14, 8192),
    "98 million": (768, 12, 16384),
    "306 million": (1024, 23, 16384),
}
"""Width, layers and size of the vocabulary, by the number of parameters."""

_SEQUENCES, _TOKENS = 2, 256
_WIDTH_OF_HEAD = 64
_LIMIT = 1800.0


def measure(workload: Workload) -> list[Row]:
    """Measure each size in a process of its own, since a peak of memory never falls again."""
    rows = []
    for name, (width, layers, vocabulary) in SIZES.items():
        size = (
            {"width": 64, "layers": 1, "vocabulary": 100}
            if workload.quick
            else {"width": width, "layers": layers, "vocabulary": vocabulary}
        )
        series, missing = {}, ""
        try:
            series = workload.run_ours("our watcher", measure_size, _LIMIT, rounds=1 if workload.quick else 3, **size)
        except Unavailable as reason:
            missing = str(reason)
        plain = series.get("plain", [])
        rows += [
            Row(f"{name}: not watched", plain, "s/step", missing),
            Row(f"{name}: ratio, training waits", ratios(series.get("held", []), plain), "x", missing),
            Row(f"{name}: ratio, until it is on disk", ratios(series.get("total", []), plain), "x", missing),
            Row(f"{name}: ratio of processor time", ratios(series.get("processor", []), series.get("plain processor", [])), "x", missing),
            Row(f"{name}: memory added at the peak", [value / 1e6 for value in series.get("memory", [])], "MB", missing),
            Row(f"{name}: held by the recorder", [value / 1e6 for value in series.get("held bytes", [])], "MB", missing),
            Row(f"{name}: bytes on disk per step", [value / 1e6 for value in series.get("disk", [])], "MB", missing),
            Row(f"{name}: parameters whose norms are estimated", series.get("estimated", []), "parameters", missing),
        ]
    return rows


def measure_size(watcher: Watcher, folder: Path, *, width: int, layers: int, vocabulary: int, rounds: int) -> Series:
    """Train without a recorder and with every step recorded in turn, in a process that has only trained before.

    Returns:
        Seconds of a step: `plain`, recorded while training waits (`held`) and until it is on disk (`total`); seconds of all processors of
        both. Bytes by which recording raised the peak of the process, that a step says were held, and on disk per step. How many
        parameters were `estimated`.
    """
    training = SizedTraining(width, layers, vocabulary)
    series: Series = {name: [] for name in ("plain", "held", "total", "plain processor", "processor")}
    with several_threads():
        for _ in range(2):
            training.train_once()
        before = peak_memory()
        for number in range(rounds):
            processor, begin = process_time(), perf_counter()
            training.train_once()
            series["plain"].append(perf_counter() - begin)
            series["plain processor"].append(process_time() - processor)
            with watcher(training.model, folder / f"round {number}", "recorded") as wait:
                # The recorder inspects the model in the first step.
                training.train_once()
                wait()
                processor, begin = process_time(), perf_counter()
                training.train_once()
                series["held"].append(perf_counter() - begin)
                wait()
                series["total"].append(perf_counter() - begin)
                series["processor"].append(process_time() - processor)
        after = peak_memory()
    (recording,) = map(open_recording, find_recordings(folder / "round 0"))
    step = recording.step(recording.steps[-1])
    disk = sum(path.stat().st_size for path in (folder / "round 0").rglob("*") if path.is_file())
    estimated = () if step.parameters is None else step.parameters.estimated
    return {
        **series,
        "memory": [after - before],
        "held bytes": [step.held_bytes or 0],
        "disk": [disk / len(recording.steps)],
        "estimated": [len(estimated)],
    }


class _Model(nn.Module):
    """A decoder of tokens, as language models are."""

    def __init__(self, width: int, layers: int, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, width // _WIDTH_OF_HEAD, 4 * width, 0.0, functional.gelu, batch_first=True, norm_first=True)
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1], device=tokens.device)
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=True)
        logits: Tensor = functional.linear(self.norm(x), self.embedding.weight)
        return logits


class SizedTraining:
    """A transformer of a size in training: the same weights and data every time it is made."""

    def __init__(self, width: int, layers: int, vocabulary: int, device: torch.device | None = None) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.model = _Model(width, layers, vocabulary).to(device)
            self._tokens = torch.randint(vocabulary, (_SEQUENCES, _TOKENS + 1)).to(device)
        self._optimizer = torch.optim.Adam(self.model.parameters(), 1e-4)

    def train_once(self, register: Callable[[str, Tensor], object] = lambda _name, _tensor: None) -> None:
        """Trains on one batch. `register` gets the names of two tensors, and the tensors."""
        self._optimizer.zero_grad()
        logits = self.model(self._tokens[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), self._tokens[:, 1:].flatten())
        register("embedding of the first token", self.model.embedding(self._tokens[:, 0]))
        register("logits of the last token", logits[:, -1])
        loss.backward()
        self._optimizer.step()
