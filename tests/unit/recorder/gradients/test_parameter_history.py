"""The share of earlier steps in gradients, how many backward passes they sum up, and what changed them."""

from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor, nn

from comgra_export.recorder.gradients.parameter_history import GradientDifferences, GradientHistory, function_name
from support.recorder.listening import Listening


def flat(differences: GradientDifferences) -> dict[int, float]:
    """Differences by position."""
    norms = dict.fromkeys(differences.nothing, 0.0)
    for positions, values in differences.norms:
        norms |= dict(zip(positions, values.tolist(), strict=True))
    return norms


def by_position(network: nn.Module) -> dict[int, nn.Parameter]:
    return dict(enumerate(network.parameters()))


def two_heads() -> nn.ModuleDict:
    return nn.ModuleDict({"body": nn.Linear(3, 3), "left": nn.Linear(3, 1, bias=False), "right": nn.Linear(3, 1, bias=False)})


def loss_of(network: nn.ModuleDict, head: str) -> Tensor:
    loss: Tensor = (network[head](network["body"](torch.randn(4, 3))) ** 2).sum()
    return loss


def fresh_gradients(network: nn.ModuleDict, losses: Sequence[Tensor]) -> list[Tensor]:
    """The sum of the gradients of these losses alone, computed apart; zeros where there is none."""
    total = [torch.zeros_like(parameter) for parameter in network.parameters()]
    for loss in losses:
        gradients = torch.autograd.grad(loss, list(network.parameters()), retain_graph=True, allow_unused=True)
        total = [before if gradient is None else before + gradient for before, gradient in zip(total, gradients, strict=True)]
    return total


@pytest.mark.parametrize("watched", [True, False])
def test_differences_are_those_to_the_fresh_gradients(watched: bool) -> None:
    network = two_heads()
    loss_of(network, "left").backward()
    history = GradientHistory(by_position(network), watched=watched)
    losses = [loss_of(network, "left"), loss_of(network, "right")]
    # Computed apart with copies, so that the hooks do not see it.
    fresh = fresh_gradients(network, [])
    for loss in losses:
        before = [None if p.grad is None else p.grad.clone() for p in network.parameters()]
        loss.backward()
        for total, parameter, old in zip(fresh, network.parameters(), before, strict=True):
            if parameter.grad is not None:
                total += parameter.grad - (0 if old is None else old)
    norms = flat(history.differences())
    expected = {
        position: float((parameter.grad - fresh[position]).norm())  # type: ignore[operator]
        for position, parameter in by_position(network).items()
    }
    assert norms == pytest.approx(expected, rel=1e-5, abs=1e-6)
    assert norms[3] == 0  # The right head had no gradient.
    assert expected[0] > 0.1
    assert history.error is None
    history.release()


def test_nothing_is_left_where_there_was_no_gradient() -> None:
    network = two_heads()
    history = GradientHistory(by_position(network), watched=False)
    assert not any(parameter._backward_hooks for parameter in network.parameters())
    for _ in range(2):
        loss_of(network, "left").backward()
    assert history.differences() == ((0, 1, 2), ())
    history.release()


@pytest.mark.parametrize("set_to_none", [True, False])
@pytest.mark.parametrize("watched", [True, False])
def test_nothing_is_left_where_gradients_are_cleared_within_the_step(set_to_none: bool, watched: bool) -> None:
    network = two_heads()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    loss_of(network, "left").backward()
    history = GradientHistory(by_position(network), watched=watched)
    with Listening(*([history] if watched else [])):
        optimizer.zero_grad(set_to_none=set_to_none)
        loss_of(network, "left").backward()
    assert flat(history.differences()) == {0: 0, 1: 0, 2: 0}
    history.release()


@pytest.mark.parametrize("clear", ["zero_grad", "data"])
def test_gradients_may_be_set_to_zero_between_two_passes(clear: str) -> None:
    network = two_heads()
    loss_of(network, "left").backward()
    history = GradientHistory(by_position(network), watched=True)
    with Listening(history):
        loss_of(network, "left").backward()
        assert flat(history.differences())[0] != 0
        for parameter in network.parameters():
            if parameter.grad is not None:
                (parameter.grad if clear == "zero_grad" else parameter.grad.data).zero_()
        loss_of(network, "left").backward()
    assert flat(history.differences()) == {0: 0, 1: 0, 2: 0}
    assert history.backward_passes() == 1
    history.release()


def test_a_gradient_that_no_pass_reaches_is_left_over_as_a_whole() -> None:
    network = two_heads()
    loss_of(network, "right").backward()
    history = GradientHistory(by_position(network), watched=True)
    with Listening(history):
        network["body"].zero_grad()
        loss_of(network, "left").backward()
    gradient = network["right"].weight.grad
    assert isinstance(gradient, Tensor)
    assert flat(history.differences()) == pytest.approx({0: 0, 1: 0, 2: 0, 3: float(gradient.norm())})
    history.release()


def test_a_gradient_that_was_replaced_is_not_known() -> None:
    network = two_heads()
    loss_of(network, "left").backward()
    history = GradientHistory(by_position(network), watched=False)
    loss_of(network, "left").backward()
    network["body"].weight.grad = torch.ones(3, 3)
    network["left"].weight.grad = None
    network["body"].bias.grad = network["body"].bias.grad  # The same one.
    assert list(flat(history.differences())) == [1]
    history.release()


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_norms_do_not_overflow_in_half_precision(dtype: torch.dtype) -> None:
    parameter = nn.Parameter(torch.zeros(100, dtype=dtype))
    parameter.grad = torch.full((100,), 30000.0, dtype=dtype)
    history = GradientHistory({7: parameter}, watched=False)
    parameter.sum().backward()
    expected = 10 * float(torch.tensor(30000.0, dtype=dtype))
    assert flat(history.differences())[7] == pytest.approx(expected, rel=1e-6)
    history.release()


def test_sparse_and_complex_gradients() -> None:
    table = nn.Embedding(5, 2, sparse=True)
    wave = nn.Parameter(torch.ones(2, dtype=torch.complex64))

    def backward() -> None:
        (table(torch.tensor([1, 1, 3])).sum() * 3 + (wave * wave.conj()).real.sum()).backward()

    backward()
    history = GradientHistory({0: table.weight, 1: wave}, watched=True)
    with Listening(history):
        backward()
        backward()
    # Row 1 is used twice: [6, 6] and [3, 3]. The gradient of |z|^2 is 2 z.
    assert flat(history.differences()) == pytest.approx({0: 90**0.5, 1: 8**0.5})
    assert history.backward_passes() == 2
    history.release()


def test_backward_passes_are_counted_since_gradients_were_cleared() -> None:
    network = two_heads()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    loss_of(network, "left").backward()
    history = GradientHistory(by_position(network), watched=True)
    counts = []
    with Listening(history):
        counts.append(history.backward_passes())
        loss_of(network, "left").backward()
        counts.append(history.backward_passes())
        loss = loss_of(network, "left")
        loss.backward(retain_graph=True)
        loss.backward()
        counts.append(history.backward_passes())
        optimizer.step()
        optimizer.zero_grad()
        loss_of(network, "right").backward()
        counts.append(history.backward_passes())
        torch.nn.utils.clip_grad_norm_(network.parameters(), 0.1)
        x = torch.randn(2, requires_grad=True)
        (x * 2).sum().backward()
        counts.append(history.backward_passes())
    assert counts == [0, 1, 3, 1, 1]
    assert GradientHistory(by_position(network), watched=False).backward_passes() is None
    history.release()


def test_passes_are_not_known_if_the_script_sets_gradients_of_its_own() -> None:
    layer = nn.Linear(2, 1)
    history = GradientHistory(by_position(layer), watched=True)
    with Listening(history):
        layer(torch.ones(3, 2)).sum().backward()
        assert history.backward_passes() == 1
        assert layer.bias.grad is not None
        layer.bias.grad = layer.bias.grad + torch.randn(1)
    assert history.backward_passes() is None


def test_passes_that_reach_no_parameter_are_counted() -> None:
    x = torch.randn(2, requires_grad=True)
    history = GradientHistory({}, watched=True)
    with Listening(history):
        (x * 2).sum().backward()
        (x * 2).sum().backward()
    assert history.backward_passes() == 2


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_gradients_of_gradients_add_up() -> None:
    parameter = nn.Parameter(torch.ones(2))
    history = GradientHistory({0: parameter}, watched=True)
    with Listening(history):
        for _ in range(2):
            (parameter**2).sum().backward(create_graph=True)
    assert history.backward_passes() == 2
    assert flat(history.differences()) == {0: 0}
    history.release()
    parameter.grad = None


def clip_by_norm(network: nn.Module, foreach: bool) -> None:
    torch.nn.utils.clip_grad_norm_(network.parameters(), 0.1, foreach=foreach)


def scale_data(network: nn.Module) -> None:
    for parameter in network.parameters():
        if parameter.grad is not None:
            parameter.grad.data *= 0.5


def change_a_part(network: nn.Module) -> None:
    gradient = next(network.parameters()).grad
    assert gradient is not None
    gradient[0].clamp_(-1, 1)
    gradient.view(-1).add_(1)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda _: None, ()),
        (lambda network: clip_by_norm(network, True), ("_foreach_mul_",)),
        (lambda network: clip_by_norm(network, False), ("mul_",)),
        (lambda network: torch.nn.utils.clip_grad_value_(network.parameters(), 0.1, foreach=False), ("clamp_",)),
        (scale_data, ("mul_",)),
        (change_a_part, ("clamp_", "add_")),
        (lambda _: torch.zeros(3).add_(1), ()),
        (lambda network: torch.optim.SGD(network.parameters(), lr=0.1).step(), ()),
    ],
)
def test_what_changes_gradients_in_place_is_named(change: Callable[[nn.Module], object], expected: tuple[str, ...]) -> None:
    network = two_heads()
    history = GradientHistory(by_position(network), watched=True)
    with Listening(history):
        loss_of(network, "left").backward()
        scale_data(network)
        loss_of(network, "left").backward()
        assert history.changed_in_place_by() == ()
        change(network)
    assert history.changed_in_place_by() == expected
    assert history.error is None
    assert GradientHistory(by_position(network), watched=False).changed_in_place_by() is None
    history.release()


def test_names_of_operations_are_cleaned() -> None:
    names = ["torch.Tensor.mul_", "__imul__", "__itruediv__", "_amp_foreach_non_finite_check_and_unscale_", "__setitem__", "mul"]
    assert [function_name(name) for name in names] == [
        "mul_",
        "mul_",
        "div_",
        "_amp_foreach_non_finite_check_and_unscale_",
        "setitem",
        "mul",
    ]


def test_training_is_not_touched() -> None:
    torch.manual_seed(1)
    network = two_heads()
    plain = copy.deepcopy(network)
    data = [torch.randn(4, 3) for _ in range(3)]

    def run(network: nn.ModuleDict, observed: bool) -> None:
        optimizer = torch.optim.Adam(network.parameters(), lr=0.1)
        for x in data:
            history = GradientHistory(by_position(network), watched=True) if observed else None
            with Listening(*([] if history is None else [history])):
                network["left"](network["body"](x)).square().sum().backward()
                if history is not None:
                    history.differences()
                optimizer.step()
            if history is not None:
                history.release()

    run(network, True)
    run(plain, False)
    for first, second in zip(network.parameters(), plain.parameters(), strict=True):
        assert torch.equal(first, second)
        assert (first.grad is None) == (second.grad is None)
        assert first.grad is None or torch.equal(first.grad, second.grad)  # type: ignore[arg-type]
        assert not first._backward_hooks


def test_gradients_are_not_kept_alive() -> None:
    network = two_heads()
    loss_of(network, "left").backward()
    history = GradientHistory(by_position(network), watched=True)
    with Listening(history):
        loss_of(network, "left").backward()
        history.before_overwrite("mul_", [torch.ones(1)])
        assert network["body"].weight.grad is not None
        alive = weakref.ref(network["body"].weight.grad)
        network.zero_grad()
    assert alive() is None
    parameters = [weakref.ref(parameter) for parameter in network.parameters()]
    history.release()
    del network
    gc.collect()
    assert all(parameter() is None for parameter in parameters)


def test_trouble_within_the_backward_pass_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    network = two_heads()
    loss_of(network, "left").backward()

    def fail(*arguments: object, **named: object) -> None:
        raise RuntimeError("no norm")

    history = GradientHistory(by_position(network), watched=True)
    monkeypatch.setattr(torch.linalg, "vector_norm", fail)
    loss_of(network, "left").backward()
    assert str(history.error) == "no norm"
    history.release()
