"""The factor of a GradScaler, and which gradients it was taken out of already."""

from __future__ import annotations

import gc

import pytest
import torch
from torch import Tensor, nn

from comgra_export.errors import MisuseError
from comgra_export.recorder.gradients.scaling import ScalerRegistry, StepScaling, divide_by_scale
from support.recorder.listening import Listening


def make_scaler(init_scale: float = 1024.0, **arguments: float) -> torch.amp.GradScaler:
    return torch.amp.GradScaler("cpu", init_scale=init_scale, **arguments)  # type: ignore[arg-type]


def track(scaler: object) -> ScalerRegistry:
    registry = ScalerRegistry()
    registry.track(scaler)
    return registry


class Pair:
    """Two networks with an optimizer each, and one scaler."""

    def __init__(self) -> None:
        self.networks = [nn.Linear(3, 1), nn.Linear(3, 1)]
        self.optimizers = [torch.optim.SGD(network.parameters(), lr=0.1) for network in self.networks]
        self.scaler = make_scaler()

    def backward(self, number: int) -> None:
        self.scaler.scale(self.networks[number](torch.ones(2, 3)).sum()).backward()

    def states(self, scaling: StepScaling) -> list[bool | None]:
        return [scaling.is_unscaled(network.weight) for network in self.networks]


def test_the_scale_is_known_before_its_first_use_and_follows_updates() -> None:
    scaler = make_scaler(growth_interval=1)
    registry = track(scaler)
    assert registry.scale() == 1024
    parameter = nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    scaler.scale(parameter.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert registry.scale() == 2048


def test_no_scale_without_a_scaler_that_works() -> None:
    assert ScalerRegistry().scale() is None
    disabled = torch.amp.GradScaler("cpu", enabled=False)
    assert track(disabled).scale() is None
    scaler = make_scaler()
    registry = track(scaler)
    del scaler
    gc.collect()
    assert registry.scaler() is None
    assert registry.scale() is None


def test_a_scale_on_another_device_is_copied_there() -> None:
    scaler = make_scaler()
    scaler._scale = torch.full((), 8.0, device="meta")  # Any attempt to read it here raises.
    scale = track(scaler).scale()
    assert isinstance(scale, Tensor)
    assert scale.device.type == "meta"
    assert scale is not scaler._scale


def test_scalers_of_other_kinds() -> None:
    class Fixed:
        def get_scale(self) -> float:
            return 16.0

    fixed = Fixed()
    assert track(fixed).scale() == 16.0


def test_one_scaler_is_tracked_once() -> None:
    scaler = make_scaler()
    registry = track(scaler)
    with pytest.raises(MisuseError, match="this one is tracked already"):
        registry.track(scaler)
    with pytest.raises(MisuseError, match="another one is tracked already"):
        registry.track(make_scaler())
    del scaler
    gc.collect()
    other = make_scaler(2.0)
    registry.track(other)
    assert registry.scale() == 2
    with pytest.raises(MisuseError, match=r"a float has no get_scale\(\)"):
        ScalerRegistry().track(1024.0)
    with pytest.raises(MisuseError, match="a type has no get_scale"):
        ScalerRegistry().track(torch.amp.GradScaler)


@pytest.mark.parametrize("is_handed_over", [True, False])
def test_a_scaler_is_found_for_its_step_unless_one_is_handed_over(is_handed_over: bool) -> None:
    registry = ScalerRegistry()
    own, first, second = (torch.amp.GradScaler("cpu", init_scale=factor) for factor in (4.0, 8.0, 16.0))
    if is_handed_over:
        registry.track(own)
    step = StepScaling(registry, [], watched=True)
    for scaler, scale in ((first, 8.0), (first, 8.0), (second, 16.0)):
        scaler.scale(torch.ones(()))
        step.find(scaler)
        step.after_backward()
        assert step.scale == (4.0 if is_handed_over else scale)
    assert step.may_scale()
    assert StepScaling(registry, [], watched=True).scale == (4.0 if is_handed_over else None)


def test_the_scale_of_a_step_is_that_of_its_last_backward_pass() -> None:
    pair = Pair()
    scaling = StepScaling(track(pair.scaler), pair.optimizers, watched=True)
    assert scaling.scale == 1024
    with Listening(scaling):
        pair.backward(0)
        pair.scaler.step(pair.optimizers[0])
        pair.scaler.update(4.0)
        assert scaling.scale == 1024
        pair.optimizers[0].zero_grad()
        pair.backward(0)
        assert scaling.scale == 4


@pytest.mark.parametrize("handed_over", [True, False])
@pytest.mark.parametrize("watched", [True, False])
def test_unscaled_and_scaled_gradients_are_distinguished(watched: bool, handed_over: bool) -> None:
    pair = Pair()
    scaling = StepScaling(track(pair.scaler), pair.optimizers if handed_over else [], watched=watched)
    unknown = not watched and not handed_over
    with Listening(*([scaling] if watched else [])):
        pair.backward(0)
        pair.backward(1)
        assert pair.states(scaling) == [False, False]
        pair.scaler.unscale_(pair.optimizers[0])
        assert pair.states(scaling) == ([None, None] if unknown else [True, False])
        torch.nn.utils.clip_grad_norm_(pair.networks[0].parameters(), 1e-3)
        pair.scaler.step(pair.optimizers[1])
        assert pair.states(scaling) == ([None, None] if unknown else [True, True])
    assert scaling.error is None


@pytest.mark.parametrize("set_to_none", [True, False])
def test_new_gradients_are_scaled_again(set_to_none: bool) -> None:
    pair = Pair()
    scaling = StepScaling(track(pair.scaler), [], watched=True)
    with Listening(scaling):
        pair.backward(0)
        pair.scaler.step(pair.optimizers[0])
        pair.scaler.update()
        assert pair.states(scaling) == [True, False]
        pair.optimizers[0].zero_grad(set_to_none)
        pair.backward(0)
        pair.backward(1)
        assert pair.states(scaling) == [False, False]


def test_unscaled_sparse_gradients_are_recognized() -> None:
    table = nn.Embedding(5, 2, sparse=True)
    optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
    scaler = make_scaler()
    scaling = StepScaling(track(scaler), [], watched=True)
    with Listening(scaling):
        scaler.scale(table(torch.tensor([1])).sum()).backward()
        assert scaling.is_unscaled(table.weight) is False
        scaler.unscale_(optimizer)
        assert scaling.is_unscaled(table.weight) is True
        before = table.weight.grad
        optimizer.zero_grad()
        scaler.scale(table(torch.tensor([1])).sum()).backward()
        assert scaling.is_unscaled(table.weight) is False
        table.weight.grad = before  # As if the memory had been used again.
        assert scaling.is_unscaled(table.weight) is False


def test_gradients_are_divided_exactly() -> None:
    scale = 2.0**16
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        gradient = torch.randn(100).to(dtype)
        for factor in (scale, torch.tensor(scale)):
            divided = divide_by_scale(gradient * scale, factor)
            assert divided.dtype == dtype
            assert torch.equal(divided, gradient)
    small = torch.full((3,), 2.0**-20)
    assert torch.equal(divide_by_scale((small * scale).half(), scale), small)
    odd = torch.tensor([float("nan"), float("inf"), -float("inf")])
    assert torch.equal(divide_by_scale(odd, scale).nan_to_num(7), odd.nan_to_num(7))
    assert divide_by_scale(torch.zeros(0), scale).shape == (0,)
