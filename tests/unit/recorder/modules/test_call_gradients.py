"""The gradients that come back through single calls of watched modules."""

from __future__ import annotations

import copy
import gc
import weakref
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.autograd.graph import Node, get_gradient_edge
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder
from comgra_export.recorder.gradients.sums import GradientSum
from comgra_export.recorder.host.autograd import Edge, edge_to
from comgra_export.storage import open_recording
from comgra_export.storage.model.layout import FLAG_GRADIENT_ABSENT
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import Record, folder_of, read_gaps, read_records

pytestmark = pytest.mark.slow


Port = tuple[str, int, str]
"""An input: the module, which of its calls in the iteration, and the path."""


def record(recorder: ComgraRecorder, body: Callable[[], Tensor | None], batch_size: int = 1) -> None:
    """Records a step of one iteration. What the body returns is the loss; if it returns none, it has run its backward passes itself."""
    with recorder.batch(0, batch_size), recorder.iteration():
        loss = body()
        if loss is not None:
            loss.backward()
        recorder.record_current_gradients("gradients")


def names_of(recorder: ComgraRecorder, iteration: int = 0) -> dict[Port, tuple[str | None, str | None]]:
    """For every tensor that went into a call, the record of it, and that of its gradient through this call alone."""
    recording = open_recording(folder_of(recorder))
    tree = recording.calls(recording.step(0).calls[iteration] or "")
    names = [module.name for module in recording.network.modules]
    return {
        (names[tree.calls[port.call].module], tree.calls[port.call].number, port.path): (port.record_name, port.gradient_record_name)
        for port in tree.ports
        if port.side == "input" and port.record_name is not None
    }


def alone(recorder: ComgraRecorder) -> dict[Port, str]:
    """The inputs that have a gradient of their own, with the names of the records."""
    return {port: own for port, (_, own) in names_of(recorder).items() if own is not None}


def means(recorder: ComgraRecorder, group: str = "gradients") -> dict[str, float | None]:
    """The mean of each record of a gradient in the first iteration, over the values and the batch; None where it was absent."""
    records = read_records(recorder)
    return {name: mean_of(kept) for (of, name, iteration), kept in records.items() if of == group and iteration == 0}


def mean_of(kept: Record) -> float | None:
    absent = kept.counts[4] & FLAG_GRADIENT_ABSENT
    return None if absent else next(iter(kept.statistics.values()))[0]


class Two(nn.Module):
    """Two layers without bias that read the same."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(2, 3, bias=False)
        self.b = nn.Linear(2, 2, bias=False)
        self.a.weight.data = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        self.b.weight.data = torch.tensor([[1.0, 0.0], [2.0, -1.0]])

    def forward(self, x: Tensor) -> Tensor:
        return self.a(x).sum() + 3 * self.b(x).sum()  # type: ignore[no-any-return]


@pytest.mark.parametrize("requires_grad", [False, True])
def test_the_gradient_through_each_of_two_layers_is_that_worked_out_by_hand(recorder: ComgraRecorder, requires_grad: bool) -> None:
    net = Two()
    recorder.watch(net, "net", histogram_values=10)
    record(recorder, lambda: net(torch.tensor([[1.0, 2.0]], requires_grad=requires_grad)))
    assert names_of(recorder) == {
        ("net", 0, "x"): ("net: input x", None),
        ("net.a", 0, "input"): ("net: input x", "net.a: gradient of input"),
        ("net.b", 0, "input"): ("net: input x", "net.b: gradient of input"),
    }
    records = read_records(recorder)
    # Sums of the columns: [9, 12] of a; three times those of b, [3, -1], are [9, -3].
    assert records["gradients", "net.a: gradient of input", 0].extrema == [9, 12]
    assert records["gradients", "net.b: gradient of input", 0].extrema == [-3, 9]
    assert records["gradients", "net: input x", 0].extrema == [9, 18]
    assert records["gradients", "net.b: gradient of input", 0].statistics["abs_mean"][0] == 6
    entry = records["gradients", "net.a: gradient of input", 0].entry
    assert (entry.type, entry.kind, entry.shape, entry.batch_dimension, entry.module) == ("calculated", "kpis", (1, 2), 0, "net.a")
    assert (entry.node, entry.role, entry.histogram, entry.samples) == ("net.a", "gradient of input", True, 1)
    assert ("forward", "net.a: gradient of input", 0) not in records


def test_a_gradient_through_one_of_two_calls_of_a_module_is_absent_through_the_other(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 1, bias=False)
    layer.weight.data = torch.tensor([[2.0, 4.0]])
    net = nn.ModuleDict({"layer": layer})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.tensor([[1.0, 1.0]])
        first, _ = layer(x), layer(x)
        return first.sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert alone(recorder) == {
        ("net.layer", 0, "input"): "net.layer: gradient of input",
        ("net.layer", 1, "input"): "net.layer (call 2): gradient of input",
    }
    mean = means(recorder)
    assert mean["net.layer: gradient of input"] == mean["net.layer: input"] == 3
    assert mean["net.layer (call 2): gradient of input"] is None


class Residual(nn.Module):
    def __init__(self, branch: nn.Module) -> None:
        super().__init__()
        self.branch = branch

    def forward(self, x: Tensor) -> Tensor:
        return x + self.branch(x)  # type: ignore[no-any-return]


def scale(by: float) -> nn.Linear:
    """A layer that multiplies by a number."""
    layer = nn.Linear(1, 1, bias=False)
    layer.weight.data.fill_(by)
    return layer


def test_of_a_residual_block_the_branch_alone_has_one_less_than_the_total(recorder: ComgraRecorder) -> None:
    net = Residual(scale(5.0))
    recorder.watch(net, "net")
    record(recorder, lambda: net(torch.ones(1, 1)).sum())
    assert alone(recorder) == {("net.branch", 0, "input"): "net.branch: gradient of input"}
    assert means(recorder)["net.branch: gradient of input"] == 5
    assert means(recorder)["net: input x"] == 6


def test_a_tensor_that_goes_into_one_call_alone_has_no_gradient_besides_its_own(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True)), nn.Linear(2, 1))
    recorder.watch(net)
    record(recorder, lambda: net(torch.ones(1, 2)).sum())
    assert alone(recorder) == {}


def test_what_the_loss_uses_besides_the_network_is_no_part_of_the_gradient_through_it(recorder: ComgraRecorder) -> None:
    net = scale(5.0)
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1)
        recorder.register_tensor("x", x, is_input=True)
        return (net(x) + 2 * x).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert names_of(recorder)["net", 0, "input"] == ("x", "net: gradient of input")
    assert (means(recorder)["net: gradient of input"], means(recorder)["x"]) == (5, 7)


def test_calls_that_compute_the_same_share_the_record_of_the_outer_one(recorder: ComgraRecorder) -> None:
    inner = nn.Sequential(nn.Sequential(scale(2.0)))
    net = nn.ModuleDict({"inner": inner, "other": Residual(scale(3.0))})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1)
        return (inner(x) + net["other"](x)).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    shared = "net.inner: gradient of input"
    assert alone(recorder) == {
        ("net.inner", 0, "input"): shared,
        ("net.inner.0", 0, "input"): shared,
        ("net.inner.0.0", 0, "input"): shared,
        # The residual connection belongs to the block, but not to what is in it.
        ("net.other", 0, "x"): "net.other: gradient of input x",
        ("net.other.branch", 0, "input"): "net.other.branch: gradient of input",
    }
    mean = means(recorder)
    assert (mean[shared], mean["net.other: gradient of input x"], mean["net.other.branch: gradient of input"]) == (2, 4, 3)
    assert mean["net.inner: input"] == 6


class Attending(nn.Module):
    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        return (query * key).sum()


def test_a_tensor_that_goes_in_at_several_places_of_a_call_has_one_gradient_through_it(recorder: ComgraRecorder) -> None:
    attending = Attending()
    net = nn.ModuleDict({"attending": attending, "other": scale(7.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.full((1, 1), 4.0)
        return attending(x, key=x) + net["other"](x).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    # Of x * x: 2 x.
    assert means(recorder)["net.attending: gradient of input query"] == 8
    assert alone(recorder)["net.attending", 0, "key"] == alone(recorder)["net.attending", 0, "query"]


class Changing(nn.Module):
    """A branch that changes its input in place, before the input is used again."""

    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU(inplace=True)
        self.layer = scale(2.0)

    def forward(self, x: Tensor) -> Tensor:
        hidden = x * 3
        through = self.relu(hidden)
        # `hidden` is what the activation returned: another value than what went into it.
        return self.layer(hidden) + through  # type: ignore[no-any-return]


def test_operations_in_place_make_another_tensor_of_the_same_object(recorder: ComgraRecorder) -> None:
    net = Changing()
    recorder.watch(net, "net")
    record(recorder, lambda: net(torch.ones(1, 1)).sum())
    mean = means(recorder)
    assert alone(recorder) == {("net.layer", 0, "input"): "net.layer: gradient of input"}
    assert mean["net.layer: gradient of input"] == 2
    assert mean["net.relu: output"] == mean["net.relu: input"] == 3


class Returning(nn.Module):
    """Returns its input and a result computed from it."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x, x * 2


def test_of_an_input_that_is_returned_as_it_is_there_is_only_the_total(recorder: ComgraRecorder) -> None:
    net = nn.ModuleDict({"returning": Returning(), "identity": nn.Identity(), "layer": scale(5.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1)
        same, double = net["returning"](net["identity"](x))
        return (net["layer"](same) + double).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert alone(recorder) == {("net.layer", 0, "input"): "net.layer: gradient of input"}
    assert means(recorder)["net.layer: gradient of input"] == 5
    assert means(recorder)["net.identity: input"] == 7


class Halving(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        x.mul_(0.5)
        return x * 4


def test_of_a_view_that_a_call_changes_in_place_there_is_only_the_total(recorder: ComgraRecorder) -> None:
    net = nn.ModuleDict({"layer": scale(5.0).requires_grad_(False), "halving": Halving()})
    recorder.watch(net, "net")

    def body() -> Tensor:
        view = (torch.ones(1, 2, requires_grad=True) * 2)[:, :1]
        return (net["layer"](view) + net["halving"](view)).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert alone(recorder) == {}


class Leaving(nn.Module):
    """Leaves a loss of its own behind, which its result does not depend on."""

    def forward(self, x: Tensor) -> Tensor:
        self.loss = (x * 10).sum()
        return x * 2


def test_a_loss_that_a_module_keeps_is_part_of_the_gradient_through_it(recorder: ComgraRecorder) -> None:
    leaving = Leaving()
    net = nn.ModuleDict({"leaving": leaving, "other": scale(3.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1)
        result = leaving(x) + net["other"](x)
        return result.sum() + leaving.loss  # type: ignore[no-any-return]

    record(recorder, body)
    assert means(recorder)["net.leaving: gradient of input x"] == 12
    assert means(recorder)["net.other: gradient of input"] == 3


class Reading(nn.Module):
    """Reads what was computed from its input before it was called."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        assert self.before is not None
        return x * 2 + self.before


def test_what_was_computed_from_an_input_before_a_call_is_no_part_of_it(recorder: ComgraRecorder) -> None:
    net = Reading()
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1, requires_grad=True)
        net.before = x * 100
        return net(x).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert (means(recorder)["net: gradient of input x"], means(recorder)["net: input x"]) == (2, 102)


def test_backward_passes_are_summed(recorder: ComgraRecorder) -> None:
    net = Two()
    recorder.watch(net, "net")

    def body() -> None:
        x = torch.tensor([[1.0, 2.0]])
        first, second = net.a(x).sum(), net.b(x).sum()
        (first + second).backward(retain_graph=True)
        (first * 10).backward()

    record(recorder, body)
    # For a, the mean of [9, 12] is 10.5. For b, the mean of [3, -1] is 1.
    assert means(recorder)["net.a: gradient of input"] == 10.5 * 11
    assert means(recorder)["net.b: gradient of input"] == 1
    assert means(recorder)["net.a: input"] == 10.5 * 11 + 1


def test_what_comes_whole_through_one_call_first_may_come_through_another_one_later(recorder: ComgraRecorder) -> None:
    net = Two()
    recorder.watch(net, "net")

    def body() -> None:
        hidden = torch.tensor([[1.0, 2.0]], requires_grad=True).exp()
        net.a(hidden).sum().backward(retain_graph=True)
        net.b(hidden).sum().backward()

    record(recorder, body)
    mean = means(recorder)
    assert (mean["net.a: gradient of input"], mean["net.b: gradient of input"], mean["net.a: input"]) == (10.5, 1, 11.5)


def test_a_second_pass_that_leads_to_a_tensor_from_elsewhere_does_not_lose_the_first(recorder: ComgraRecorder) -> None:
    net = scale(5.0)
    recorder.watch(net, "net")

    def body() -> None:
        x = torch.ones(1, 1, requires_grad=True)
        recorder.register_tensor("x", x)
        other = x * 2
        net(x).sum().backward()
        other.sum().backward()

    record(recorder, body)
    assert (means(recorder)["net: gradient of input"], means(recorder)["x"]) == (5, 7)


def test_every_group_of_gradients_has_its_own(recorder: ComgraRecorder) -> None:
    net = Two()
    recorder.watch(net, "net")
    with recorder.batch(0, 1), recorder.iteration():
        x = torch.tensor([[1.0, 2.0]])
        first, second = net.a(x).sum(), net.b(x).sum()
        first.backward()
        recorder.record_current_gradients("first")
        second.backward()
        recorder.record_current_gradients("second")
    assert means(recorder, "first")["net.a: gradient of input"] == 10.5
    assert means(recorder, "first")["net.b: gradient of input"] is None
    assert means(recorder, "second")["net.b: gradient of input"] == 1


def test_gradients_that_are_forgotten_are_not_counted_again(recorder: ComgraRecorder) -> None:
    net = Two()
    recorder.watch(net, "net")
    with recorder.batch(0, 1), recorder.iteration():
        loss = net(torch.tensor([[1.0, 2.0]]))
        loss.backward(retain_graph=True)
        recorder.record_current_gradients("first", set_gradients_to_zero_if_not_a_parameter=True)
        (loss * 2).backward()
        recorder.record_current_gradients("second")
    name = "net.a: gradient of input"
    assert (means(recorder, "first")[name], means(recorder, "second")[name]) == (10.5, 21)


def test_gradients_that_are_asked_for_count_too(recorder: ComgraRecorder) -> None:
    net = nn.ModuleDict({"a": scale(2.0), "b": scale(3.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1, requires_grad=True)
        hidden = x * 1
        score = (net["a"](hidden) + net["b"](hidden)).square().sum()
        (slope,) = torch.autograd.grad(score, hidden, create_graph=True)
        return slope.sum() + 0 * score  # type: ignore[no-any-return]

    record(recorder, body)
    # The slope of (a h + b h)^2 is 2 (a + b)^2 h = 50: a has 2 / 5 and b 3 / 5 of it. Its own slope is 50 again, in the same shares.
    mean = means(recorder)
    assert (mean["net.a: gradient of input"], mean["net.b: gradient of input"]) == (40, 60)
    assert mean["net.a: input"] == 100


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


def test_a_name_that_the_user_has_given_stays_theirs(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    net = Residual(scale(5.0))
    recorder.watch(net, "net")

    def body() -> Tensor:
        recorder.register_tensor("net.branch: gradient of input", torch.ones(1, 1))
        return net(torch.ones(1, 1)).sum()  # type: ignore[no-any-return]

    with pytest.warns(match="another tensor has its name"):
        record(recorder, body)
    assert alone(recorder) == {}
    assert [gap.tensor for gap in read_gaps(recorder)] == ["net.branch: gradient of input"]


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


# A guest in training.


class Gate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(300, 300)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.layer(x)  # type: ignore[no-any-return]


def test_training_goes_on_bit_by_bit_as_it_does_unwatched(make_recorder: MakeRecorder) -> None:
    def train(recorder: ComgraRecorder | None) -> list[Tensor]:
        torch.manual_seed(1)
        branch = nn.Sequential(nn.Linear(300, 300), nn.ReLU(inplace=True))
        net = nn.Sequential(Residual(branch), Gate(), nn.Dropout(), nn.Linear(300, 1))
        optimizer = torch.optim.Adam(net.parameters())
        if recorder is not None:
            recorder.watch(net)
        for step in range(3):
            # Larger than the limit for copies.
            x = torch.randn(400, 300)
            if recorder is not None:
                recorder.start_batch(step, 400)
                recorder.start_iteration()
            optimizer.zero_grad()
            net(x).square().mean().backward()
            if recorder is not None:
                recorder.record_current_gradients("gradients")
            optimizer.step()
            if recorder is not None:
                recorder.finish_iteration()
                recorder.finish_batch()
        return [*net.parameters(), torch.get_rng_state()]

    recorder = make_recorder()
    for watched, unwatched in zip(train(recorder), train(None), strict=True):
        assert torch.equal(watched, unwatched)
    assert {module for module, _, _ in alone(recorder)} == {"model.0.branch", "model.0.branch.0", "model.1.layer"}


def test_nothing_is_called_after_the_step(recorder: ComgraRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    net = Residual(scale(5.0))
    recorder.watch(net, "net")
    called = []
    original = GradientSum.__call__

    def count(self: GradientSum, gradient: Tensor | None) -> None:
        called.append(gradient)
        original(self, gradient)

    monkeypatch.setattr(GradientSum, "__call__", count)
    with recorder.batch(0, 1), recorder.iteration():
        loss = net(torch.ones(1, 1, requires_grad=True)).sum()
        loss.backward(retain_graph=True)
    assert called
    called.clear()
    loss.backward()
    assert called == []


class Saved:
    """A tensor that only a graph keeps."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor


def test_no_graph_is_kept(recorder: ComgraRecorder) -> None:
    net = Residual(scale(5.0))
    recorder.watch(net, "net")
    saved: list[weakref.ref[Saved]] = []

    def pack(tensor: Tensor) -> Saved:
        holder = Saved(tensor)
        saved.append(weakref.ref(holder))
        return holder

    gc.disable()
    try:
        with recorder.batch(0, 1), recorder.iteration():
            x = torch.ones(1, 1, requires_grad=True)
            with torch.autograd.graph.saved_tensors_hooks(pack, lambda holder: holder.tensor):
                dropped, hidden = x * x, x * x
            net(dropped)
            result = net(hidden)
            del dropped, hidden
            result.sum().backward(retain_graph=True)
            assert [reference() is None for reference in saved] == [True, True, False, False]
            del result
            recorder.record_current_gradients("gradients")
            assert [reference() is None for reference in saved] == [True] * 4
    finally:
        gc.enable()
    assert list(alone(recorder)) == [("net.branch", 1, "input")]


def test_a_step_of_which_it_is_decided_later_has_them_too(recorder: ComgraRecorder) -> None:
    net = Two()
    recorder.watch(net, "net")
    recorder.start_batch(0, 1, type_of_execution=None)
    recorder.start_iteration()
    net(torch.tensor([[1.0, 2.0]])).backward()
    recorder.decide_recording_of_batch("train")
    recorder.record_current_gradients("gradients")
    recorder.finish_iteration()
    recorder.finish_batch()
    assert (means(recorder)["net.a: gradient of input"], means(recorder)["net.b: gradient of input"]) == (10.5, 3)


def test_every_iteration_has_its_own(recorder: ComgraRecorder) -> None:
    net = Residual(scale(5.0))
    recorder.watch(net, "net")
    with recorder.batch(0, 1):
        memory = torch.ones(1, 1)
        for _ in range(2):
            with recorder.iteration():
                memory = net(memory)
        memory.sum().backward()
        recorder.record_current_gradients("gradients")
    name = "net.branch: gradient of input"
    records = read_records(recorder)
    # Each pass multiplies by 6. The branch contributes 5 of it.
    assert [mean_of(records["gradients", name, iteration]) for iteration in (0, 1)] == [30, 5]
    recording = open_recording(folder_of(recorder))
    trees = [recording.calls(digest or "") for digest in recording.step(0).calls]
    assert [[port.gradient_record_iteration for port in tree.ports if port.gradient_record_name == name] for tree in trees] == [[0], [1]]


def test_after_a_graph_of_gradients_that_another_thread_may_have_made_there_are_none(recorder: ComgraRecorder) -> None:
    net = nn.ModuleDict({"a": scale(2.0), "b": scale(3.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        hidden = torch.ones(1, 1, requires_grad=True) * 1
        score = (net["a"](hidden) + net["b"](hidden)).square().sum()
        # The device of a pass that begins at an edge is not known.
        (slope,) = torch.autograd.grad(get_gradient_edge(score), hidden, torch.ones(()), create_graph=True)
        return slope.sum()

    record(recorder, body)
    assert alone(recorder) == {}
    (gap,) = read_gaps(recorder)
    assert "create_graph=True" in gap.reason
    assert (gap.step, gap.group, gap.tensor) == (0, None, None)


def test_a_graph_is_looked_through_once_however_deep_its_calls_are_nested(
    make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = []

    def count(node: Node, output: int) -> Edge:
        looked_at.append(output)
        return edge_to(node, output)

    monkeypatch.setattr("comgra_export.recorder.modules.uses.edge_to", count)

    def edges_of(depth: int) -> int:
        looked_at.clear()
        net: nn.Module = scale(1.0)
        for _ in range(depth):
            net = nn.Sequential(net, nn.Tanh())
        residual, recorder = Residual(net), make_recorder()
        recorder.watch(residual, "net")
        record(recorder, lambda: residual(torch.ones(1, 1)).sum())
        return len(looked_at)

    assert edges_of(80) - edges_of(40) == edges_of(40) - edges_of(0)


def test_trouble_of_our_own_is_a_gap(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(node: Node, output: int) -> Edge:
        raise RuntimeError(f"{node} {output}")

    recorder, net = make_recorder(strict=False), Two()
    recorder.watch(net, "net")
    monkeypatch.setattr("comgra_export.recorder.modules.uses.edge_to", fail)
    with pytest.warns(match="gradients through single calls are not known"):
        record(recorder, lambda: net(torch.tensor([[1.0, 2.0]])))
    assert alone(recorder) == {}
    assert means(recorder)["net: input x"] == 13.5
