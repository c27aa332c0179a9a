"""References to the optimizers that the user passes."""

from __future__ import annotations

import gc
import math
import weakref
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from comgra_export.errors import MisuseError
from comgra_export.recorder.modules.optimizers import OptimizerRegistry


def parameters(count: int) -> list[nn.Parameter]:
    return [nn.Parameter(torch.zeros(2)) for _ in range(count)]


class Positions:
    def __init__(self, known: list[nn.Parameter]) -> None:
        self._known = {id(parameter): position for position, parameter in enumerate(known)}

    def __call__(self, parameter: nn.Parameter) -> int | None:
        return self._known.get(id(parameter))


def test_groups_and_settings_of_optimizers() -> None:
    known = parameters(3)
    foreign = parameters(1)
    groups: list[dict[str, Any]] = [{"params": [known[2], *foreign]}, {"params": [known[0]], "lr": 0.5, "nickname": "head"}]
    sgd = torch.optim.SGD(groups, lr=0.1, momentum=0.9)
    adam = torch.optim.Adam([known[1]], lr=torch.tensor(0.25), betas=(0.5, 0.75))
    registry = OptimizerRegistry()
    registry.track(sgd)
    registry.track(adam, "the second")
    first, second = registry.entries(Positions(known))
    assert (first.name, first.type, second.name, second.type) == ("SGD", "SGD", "the second", "Adam")
    assert [group.parameters for group in first.groups] == [(2,), (0,)]
    assert [group.parameters for group in second.groups] == [(1,)]
    assert first.groups[0].options["lr"] == 0.1
    assert first.groups[0].options["momentum"] == 0.9
    assert first.groups[1].options["lr"] == 0.5
    assert first.groups[1].options["nickname"] == "head"
    assert first.groups[1].options["nesterov"] is False
    assert first.groups[1].options["foreach"] is None
    assert second.groups[0].options["lr"] == 0.25
    assert (second.groups[0].options["betas[0]"], second.groups[0].options["betas[1]"]) == (0.5, 0.75)
    assert "params" not in first.groups[0].options


def test_settings_without_a_plain_value_are_left_out() -> None:
    optimizer = torch.optim.SGD(parameters(1), lr=0.1)
    optimizer.param_groups[0].update(
        function=print, table={"a": 1}, matrix=torch.zeros(2, 2), whole=3, param_names=["first"], elsewhere=torch.zeros((), device="meta")
    )
    registry = OptimizerRegistry()
    registry.track(optimizer)
    options = registry.entries(lambda _: None)[0].groups[0].options
    assert options["whole"] == 3
    assert {type(value) for value in options.values()} <= {int, float, bool, str, type(None)}
    assert not {"function", "table", "matrix", "elsewhere"} & options.keys()
    assert not any(name.startswith("param_names") for name in options)


def test_learning_rates_follow_the_schedule_while_settings_stay() -> None:
    groups: list[dict[str, Any]] = [{"params": parameters(1)}, {"params": parameters(1), "lr": 4.0}]
    optimizer = torch.optim.SGD(groups, lr=1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    other = torch.optim.Adam(parameters(1), lr=torch.tensor(0.125))
    registry = OptimizerRegistry()
    registry.track(optimizer)
    registry.track(other)
    assert registry.learning_rates() == ((1.0, 4.0), (0.125,))
    optimizer.step()
    schedule.step()
    other.param_groups[0]["lr"].fill_(0.5)
    assert registry.learning_rates() == ((0.5, 2.0), (0.5,))
    assert [group.options["lr"] for group in registry.entries(lambda _: None)[0].groups] == [1.0, 4.0]


def test_a_learning_rate_on_another_device_is_copied_there() -> None:
    optimizer = torch.optim.SGD(parameters(1), lr=0.1)
    rate = torch.full((1,), 0.5, device="meta")  # Any attempt to read it here raises.
    optimizer.param_groups[0]["lr"] = rate
    registry = OptimizerRegistry()
    registry.track(optimizer)
    ((copy,),) = registry.learning_rates()
    assert isinstance(copy, Tensor)
    assert copy.device.type == "meta"
    assert copy.shape == ()
    assert copy is not rate
    assert "lr" not in registry.entries(lambda _: None)[0].groups[0].options


def test_a_group_without_a_learning_rate_has_none() -> None:
    optimizer = torch.optim.SGD(parameters(1), lr=0.1)
    optimizer.param_groups[0]["lr"] = None
    registry = OptimizerRegistry()
    registry.track(optimizer)
    assert math.isnan(registry.learning_rates()[0][0])


def test_the_signature_tells_when_groups_change() -> None:
    known = parameters(3)
    optimizer = torch.optim.SGD([known[0]], lr=0.1)
    registry = OptimizerRegistry()
    registry.track(optimizer)
    signatures = [registry.signature()]
    optimizer.param_groups[0]["lr"] = 7.0
    assert registry.signature() == signatures[0]
    optimizer.add_param_group({"params": [known[1]], "lr": 0.2})
    signatures.append(registry.signature())
    optimizer.param_groups[0]["params"][0] = known[2]
    signatures.append(registry.signature())
    registry.track(torch.optim.SGD(known, lr=0.1))
    signatures.append(registry.signature())
    assert len(set(signatures)) == 4
    groups = registry.entries(Positions(known))[0].groups
    assert [group.parameters for group in groups] == [(2,), (1,)]
    assert [group.options["lr"] for group in groups] == [0.1, 0.2]


def test_an_optimizer_is_not_kept_alive() -> None:
    known = parameters(1)
    optimizer = torch.optim.SGD(known, lr=0.1)
    registry = OptimizerRegistry()
    registry.track(optimizer)
    before = registry.entries(Positions(known))
    alive = weakref.ref(optimizer)
    del optimizer
    gc.collect()
    assert alive() is None
    assert registry.entries(Positions(known)) == before
    assert math.isnan(registry.learning_rates()[0][0])
    assert registry.optimizers() == []


class AcceleratedOptimizer(torch.optim.Optimizer):
    """As in accelerate: an optimizer that has no groups of its own."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer


class Holder:
    def __init__(self, optimizer: object) -> None:
        self.optimizer = optimizer


@pytest.mark.parametrize("wrap", [AcceleratedOptimizer, Holder, lambda inner: Holder(AcceleratedOptimizer(inner))])
def test_wrappers_are_looked_through(wrap: Any) -> None:  # noqa: ANN401
    optimizer = torch.optim.AdamW(parameters(1), lr=0.5)
    registry = OptimizerRegistry()
    registry.track(wrap(optimizer))
    assert registry.entries(lambda _: None)[0].name == "AdamW"
    assert registry.learning_rates() == ((0.5,),)
    with pytest.raises(MisuseError, match=r"this AdamW is tracked already, as 'AdamW'"):
        registry.track(optimizer, "again")


def test_names_are_unique() -> None:
    optimizers = [torch.optim.SGD(parameters(1), lr=0.1) for _ in range(4)]
    registry = OptimizerRegistry()
    for optimizer in optimizers[:3]:
        registry.track(optimizer)
    assert [entry.name for entry in registry.entries(lambda _: None)] == ["SGD", "SGD 2", "SGD 3"]
    with pytest.raises(MisuseError, match=r"the name 'SGD 2' is taken"):
        registry.track(optimizers[3], "SGD 2")
    with pytest.raises(MisuseError, match="is empty"):
        registry.track(optimizers[3], "")
    assert len(registry) == 3


def test_what_the_user_says_of_an_optimizer_that_was_found_counts() -> None:
    first, second, third = (torch.optim.SGD(parameters(1), lr=0.1) for _ in range(3))
    registry = OptimizerRegistry()
    assert [registry.track_found(optimizer) for optimizer in (first, second, first)] == [True, True, False]
    registry.track(second, "SGD")
    registry.track(third, "critic")
    assert not registry.track_found(third)
    # The order stays, since positions count.
    assert [entry.name for entry in registry.entries(lambda _: None)] == ["SGD 2", "SGD", "critic"]
    registry.track(first)
    assert [entry.name for entry in registry.entries(lambda _: None)] == ["SGD 2", "SGD", "critic"]
    with pytest.raises(MisuseError, match="is tracked already"):
        registry.track(first)


@pytest.mark.parametrize("wrong", [None, "SGD", nn.Linear(1, 1), Holder(None), torch.optim.SGD])
def test_something_else_is_refused(wrong: object) -> None:
    with pytest.raises(MisuseError, match=r"neither a torch.optim.Optimizer nor holds one"):
        OptimizerRegistry().track(wrong)
