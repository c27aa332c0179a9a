"""Gradients through single calls of checkpointed blocks, functions of the user and random networks."""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder
from support.recorder.call_gradients import Port, Residual, alone, means, names_of, record, scale
from support.recorder.reading import read_records

pytestmark = pytest.mark.slow


class Checkpointed(nn.Module):
    def __init__(self, reentrant: bool) -> None:
        super().__init__()
        self.layer = scale(2.0)
        self.reentrant = reentrant

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = checkpoint(self.layer, x, use_reentrant=self.reentrant)
        return result + self.layer(x)  # type: ignore[no-any-return]


@pytest.mark.parametrize(("reentrant", "inside"), [(False, 2.0), (True, None)])
def test_a_checkpointed_block_is_right_or_left_out(recorder: ComgraRecorder, reentrant: bool, inside: float | None) -> None:
    net = Residual(Checkpointed(reentrant))
    recorder.watch(net, "net")
    record(recorder, lambda: net(torch.ones(1, 1, requires_grad=True)).sum())
    own, mean = alone(recorder), means(recorder)
    assert (mean["net: input x"], mean[own["net.branch", 0, "x"]]) == (5, 4)
    assert mean[own["net.branch.layer", 1, "input"]] == 2
    name = own.get(("net.branch.layer", 0, "input"))
    assert (name is None) == reentrant
    assert inside == (None if name is None else mean[name])


class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(_: Any, x: Tensor) -> Tensor:  # noqa: ANN401
        return x * 3

    @staticmethod
    def backward(_: Any, *gradients: Tensor) -> Tensor:  # noqa: ANN401
        return gradients[0] * 3


class Tripling(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return Tripled.apply(x)  # type: ignore[no-any-return, no-untyped-call]


def test_functions_of_the_user_are_passed(recorder: ComgraRecorder) -> None:
    net = Residual(Tripling())
    recorder.watch(net, "net")
    record(recorder, lambda: net(torch.ones(1, 1, requires_grad=True)).sum())
    assert (means(recorder)["net.branch: gradient of input x"], means(recorder)["net: input x"]) == (3, 4)


def test_what_autocast_has_converted_in_another_call_is_left_out(recorder: ComgraRecorder) -> None:
    net = nn.ModuleDict({"a": scale(2.0), "b": scale(3.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1, requires_grad=True)
        hidden = x * 1
        with torch.autocast("cpu", dtype=torch.bfloat16):
            leaf = net["a"](x) + net["b"](x)
            return (leaf + 10 * net["a"](hidden) + 10 * net["b"](hidden)).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    # One conversion of the leaf serves both calls. Every other tensor is converted in each call.
    assert alone(recorder) == {
        ("net.a", 1, "input"): "net.a (call 2): gradient of input",
        ("net.b", 1, "input"): "net.b (call 2): gradient of input",
    }
    assert means(recorder)["net.a (call 2): gradient of input"] == 20
    assert means(recorder)["net.b (call 2): gradient of input"] == 30


# Random networks, against hooks of PyTorch.


class Program(nn.Module):
    """Computes new values from known values, step by step: by layers (some used several times), sums, products and further programs."""

    def __init__(self, random: np.random.Generator, depth: int) -> None:
        super().__init__()
        self.parts = nn.ModuleList()
        self.steps: list[tuple[str, int, int, int]] = []
        for _ in range(int(random.integers(3, 7))):
            kind = str(random.choice(["layer", "layer", "again", "sum", "product", "both", "program"]))
            if kind in ("layer", "both") or (kind == "again" and not self.parts):
                kind = "layer" if kind == "again" else kind
                self.parts.append(nn.Linear(4, 4) if kind == "layer" else Both())
            elif kind == "program" and depth > 0:
                self.parts.append(Program(random, depth - 1))
            elif kind == "program":
                kind = "sum"
            first, second = int(random.integers(1000)), int(random.integers(1000))
            part = int(random.integers(len(self.parts))) if kind == "again" else len(self.parts) - 1
            self.steps.append((kind, part, first, second))

    def forward(self, x: Tensor) -> Tensor:
        known = [x]
        for kind, number, first, second in self.steps:
            left, right = known[first % len(known)], known[second % len(known)]
            part = self.parts[number] if number >= 0 else None
            if kind == "sum" or part is None:
                known.append(left + right)
            elif kind == "product":
                known.append(torch.tanh(left) * right)
            elif isinstance(part, Both):
                known.append(part(left, right))
            else:
                known.append(part(left))
        return known[-1] + known[-2]


class Both(nn.Module):
    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return torch.cat([left, right], dim=1)[:, ::2]


def gradients_through_calls(net: nn.Module, x: Tensor) -> dict[Port, Tensor | None]:
    """The gradients through single calls. Each call gets copies of its inputs, so the network must not be used again."""
    copies: dict[Port, Tensor] = {}
    counts: dict[nn.Module, int] = defaultdict(int)
    names = {module: name for name, module in net.named_modules(prefix="net")}

    def copied(module: nn.Module, arguments: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        paths = ["left", "right"] if isinstance(module, Both) else ["x"] if isinstance(module, Program) else ["input"]
        own = tuple(argument.clone() for argument in arguments)
        for path, argument in zip(paths, own, strict=True):
            argument.retain_grad()
            copies[names[module], counts[module], path] = argument
        counts[module] += 1
        return own

    for module in net.modules():
        module.register_forward_pre_hook(copied)
    net(x).square().sum().backward()
    return {port: argument.grad for port, argument in copies.items()}


@pytest.mark.parametrize("seed", range(40))
def test_what_every_call_of_a_random_network_gives_back_is_that_of_a_copy_of_its_input(recorder: ComgraRecorder, seed: int) -> None:
    torch.manual_seed(seed)
    net = Program(np.random.default_rng(seed), depth=2).double()
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    expected = gradients_through_calls(copy.deepcopy(net), x.detach().clone().requires_grad_())
    recorder.watch(net, "net")
    record(recorder, lambda: net(x).square().sum(), batch_size=3)
    records = read_records(recorder)
    sums: dict[tuple[str, int, str], Tensor] = defaultdict(lambda: torch.zeros(3, 4, dtype=torch.float64))
    names = {port: own or total for port, (total, own) in names_of(recorder).items()}
    assert names.keys() == expected.keys()
    # A tensor that goes into a call twice has one gradient through it.
    for (module, number, path), gradient in expected.items():
        if gradient is not None:
            sums[module, number, names[module, number, path] or ""] += gradient
    for (_, _, name), gradient in sums.items():
        shown = records["gradients", name, 0].statistics
        for item, values in (("mean", gradient), ("abs_mean", gradient.abs())):
            assert shown[item][3:] == pytest.approx(values.mean(dim=1).tolist(), rel=1e-9, abs=1e-12), (name, item)


def test_full_backward_hooks_show_the_same(recorder: ComgraRecorder) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(Residual(nn.Sequential(nn.Linear(4, 4), nn.Tanh())), Residual(nn.Linear(4, 4)), nn.Linear(4, 1))
    other, x = copy.deepcopy(net), torch.randn(2, 4, requires_grad=True)
    shown: dict[str, float] = {}
    for name, module in other.named_modules(prefix="net"):

        def note(_: nn.Module, gradients: tuple[Tensor, ...], __: object, name: str = name) -> None:
            shown[name] = gradients[0].mean().item()

        module.register_full_backward_hook(note)
    other(x.detach().clone().requires_grad_()).sum().backward()
    recorder.watch(net, "net")
    record(recorder, lambda: net(x).sum(), batch_size=2)
    mean = means(recorder)
    assert {name for name, _, _ in alone(recorder)} == {"net.0.branch", "net.0.branch.0", "net.1.branch"}
    assert shown == pytest.approx({module: mean[own or total or ""] for (module, _, _), (total, own) in names_of(recorder).items()})
