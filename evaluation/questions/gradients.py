"""Does following gradients through the graph lead to the cause of vanishing and exploding gradients?

One layer of a network is spoiled. Four ways to look for it are compared by how many layers must be read until it is reached.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export.analysis.findings.catalogue import all_rules
from comgra_export.analysis.findings.find import find
from comgra_export.analysis.history.run import Run, read_runs
from comgra_export.analysis.history.series import TensorKey

__all__ = ["results"]

_LAYERS, _WIDTH, _STEPS = 10, 32, 8
Fault = Literal["vanishing", "exploding"]
_FACTORS: dict[Fault, float] = {"vanishing": 1e-3, "exploding": 50.0}


class _Residual(nn.Module):
    """Blocks that are added to what comes in."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(_WIDTH, _WIDTH) for _ in range(_LAYERS))
        self.out = nn.Linear(_WIDTH, 1)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + 0.3 * torch.tanh(block(x))
        result: Tensor = self.out(x)
        return result


def _plain(activation: Callable[[], nn.Module]) -> nn.Module:
    layers = [layer for _ in range(_LAYERS) for layer in (nn.Linear(_WIDTH, _WIDTH), activation())]
    return nn.Sequential(*layers, nn.Linear(_WIDTH, 1))


_NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "tanh": lambda: _plain(nn.Tanh),
    "leaky ReLU": lambda: _plain(nn.LeakyReLU),
    "residual": _Residual,
}


class _Places(NamedTuple):
    """How many layers are read until the spoiled one, by each way; None if it is not named at all."""

    norms: int | None
    jumps: int | None
    graph: int | None
    findings: int | None


def results(seeds: int) -> str:
    """The table."""
    ways = ("gradient norms in order", "largest jump between layers", "largest change along the graph", "first place of the findings")
    lines = [f"| network | fault | {' | '.join(ways)} |", "|---|---|" + "---|" * len(ways)]
    for network, make in _NETWORKS.items():
        for fault in _FACTORS:
            places = [_experiment(make, fault, seed) for seed in range(seeds)]
            columns = [_column([place[way] for place in places]) for way in range(len(_Places._fields))]
            lines.append(f"| {network} | {fault} | {' | '.join(columns)} |")
    return "\n".join(lines) + "\n"


def _column(places: list[int | None]) -> str:
    known = [place for place in places if place is not None]
    first = sum(place == 1 for place in known)
    median = f", median {np.median(known):g}" if known else ""
    return f"first in {first} of {len(places)}{median}"


def _experiment(make: Callable[[], nn.Module], fault: Fault, seed: int) -> _Places:
    torch.manual_seed(seed)
    model = make()
    linear = [(name, module) for name, module in model.named_modules() if isinstance(module, nn.Linear)][:_LAYERS]
    for _, module in linear:
        nn.init.xavier_normal_(module.weight, 1.3)
    name, spoiled = linear[int(torch.randint(1, _LAYERS - 1, ()))]
    with torch.no_grad():
        spoiled.weight *= _FACTORS[fault]
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    with tempfile.TemporaryDirectory() as folder:
        always = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1)
        with comgra_export.watch(model, folder, decision_maker_for_recordings=always, histograms=False):
            for _ in range(_STEPS):
                x = torch.randn(32, _WIDTH)
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), x[:, :1]).backward()
                optimizer.step()
        (run,) = read_runs(Path(folder))
        return _Places(
            *(_place(f"model.{name}", ways) for ways in (_by_norm(run, fault), _by_jump(run), _by_graph(run), _by_findings(run)))
        )


def _place(module: str, order: Iterator[str]) -> int | None:
    """The place of a module in an order in which each counts once."""
    return next((place for place, name in enumerate(dict.fromkeys(order), 1) if name == module), None)


def _gradient(run: Run, key: TensorKey) -> float:
    series = run.gradients(key)
    return 0.0 if series is None else float(np.median(series.root_mean_square))


def _by_norm(run: Run, fault: Fault) -> Iterator[str]:
    """Layers by the gradient of their weights: the smallest first if gradients vanish, else the largest."""
    weights = [key for key in run.of_type("parameter") if key.name.endswith(".weight")]
    order = sorted(weights, key=lambda key: _gradient(run, key), reverse=fault == "exploding")
    return (key.name.removesuffix(".weight") for key in order)


def _by_jump(run: Run) -> Iterator[str]:
    """Layers by how much the gradient of their weights differs from that of the layer before."""
    weights = [key for key in run.of_type("parameter") if key.name.endswith(".weight")]
    norms = [max(_gradient(run, key), 1e-300) for key in weights]
    jumps = [(abs(np.log(norm / before)), key.name) for before, norm, key in zip(norms, norms[1:], weights[1:], strict=False)]
    return (name.removesuffix(".weight") for _, name in sorted(jumps, reverse=True))


def _by_graph(run: Run) -> Iterator[str]:
    """Layers by how much the gradient changes between what they return and what they were computed from."""
    graph = run.graph(0)
    changes = []
    for child, parents in graph.parents.items():
        module = run.tensors[child].module if child in run.tensors else None
        for parent in parents:
            pair = _gradient(run, parent), _gradient(run, child)
            is_layer = module is not None and f"{module}.weight" in run.parameters and parent.iteration >= 0
            if is_layer and module is not None and min(pair) > 0:
                changes.append((abs(np.log(pair[0] / pair[1])), module))
    return (module for _, module in sorted(changes, reverse=True))


def _by_findings(run: Run) -> Iterator[str]:
    """The places that findings name, in the order of the report."""
    for finding in find(run, all_rules()).findings:
        for place in finding.places:
            yield place.name.partition(":")[0].removesuffix(".weight").removesuffix(".bias")
