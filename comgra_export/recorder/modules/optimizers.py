"""The tracked optimizers: which parameters they hold, with which settings and learning rates."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from numbers import Integral, Real

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.tracing.registrations import check_name
from comgra_export.storage.model.network import MOST_OPTIMIZERS, OptimizerEntry, OptimizerGroup

__all__ = ["OptimizerRegistry"]

_MAX_WRAPPERS = 8
_MAX_PARTS = 8

_Option = float | bool | str | None


class _TrackedOptimizer:
    def __init__(self, optimizer: Optimizer, name: str, is_found: bool) -> None:
        self.name = name
        self.is_found = is_found
        self.type = type(optimizer).__name__
        self.find = weakref.ref(optimizer)
        self.options = [_options(group) for group in optimizer.param_groups]
        self.groups: tuple[OptimizerGroup, ...] = tuple(OptimizerGroup((), options) for options in self.options)

    def update(self, optimizer: Optimizer, position_of: Callable[[nn.Parameter], int | None]) -> None:
        groups = optimizer.param_groups
        self.options = [*self.options, *(_options(group) for group in groups[len(self.options) :])][: len(groups)]
        self.groups = tuple(
            OptimizerGroup(_positions(group["params"], position_of), options) for group, options in zip(groups, self.options, strict=True)
        )


class OptimizerRegistry:
    """Names the optimizers given to `track` and `track_found`, without keeping them alive.

    Attributes:
        has_left_out: Whether an optimizer got no name, since there are too many.
    """

    def __init__(self) -> None:
        self.has_left_out = False
        self._tracked: list[_TrackedOptimizer] = []

    def track(self, optimizer: object, name: str | None = None) -> None:
        """Names an optimizer, and notes its settings.

        Args:
            optimizer: An optimizer, or a wrapper that holds one in its attribute `optimizer`, such as those of accelerate and Lightning.
            name: Its class name by default, with a number from the second of its class on (`Adam 2`).

        Raises:
            MisuseError: It is not an optimizer, or is tracked already, or the name is not usable or taken.
        """
        inner = _unwrapped(optimizer)
        if inner is None:
            raise MisuseError(
                f"track_optimizers: a {type(optimizer).__name__} is neither a torch.optim.Optimizer nor holds one as its attribute "
                "'optimizer'. Give the optimizer itself."
            )
        known = next((tracked for tracked in self._tracked if tracked.find() is inner), None)
        if known is not None and not known.is_found:
            raise MisuseError(f"track_optimizers: this {known.type} is tracked already, as {known.name!r}. Track each optimizer once.")
        taken = {tracked.name: tracked for tracked in self._tracked if tracked is not known}
        if name is None:
            name = _unused(type(inner).__name__, taken)
        else:
            check_name("track_optimizers", "optimizer", name)
        if name in taken:
            holder = taken[name]
            if not holder.is_found:
                raise MisuseError(
                    f"track_optimizers: the name {name!r} is taken by an optimizer tracked before. Give each a name of its own."
                )
            holder.name = _unused(holder.type, {name, *taken})
        if known is None:
            self._tracked.append(_TrackedOptimizer(inner, name, is_found=False))
        else:
            # What the user says of it counts.
            known.name, known.is_found = name, False

    def track_found(self, optimizer: Optimizer) -> bool:
        """Names an optimizer that was seen to make a step, after its class, unless it is tracked. Returns whether it got a name.

        After `MOST_OPTIMIZERS` of them, `has_left_out` becomes true instead.
        """
        inner = _unwrapped(optimizer)
        if inner is None or any(tracked.find() is inner for tracked in self._tracked):
            return False
        if len(self._tracked) >= MOST_OPTIMIZERS:
            self.has_left_out = True
            return False
        name = _unused(type(inner).__name__, {tracked.name for tracked in self._tracked})
        self._tracked.append(_TrackedOptimizer(inner, name, is_found=True))
        return True

    def __len__(self) -> int:
        return len(self._tracked)

    def optimizers(self) -> list[Optimizer]:
        """The tracked optimizers that still exist."""
        return [optimizer for tracked in self._tracked if (optimizer := tracked.find()) is not None]

    def entries(self, position_of: Callable[[nn.Parameter], int | None]) -> tuple[OptimizerEntry, ...]:
        """All optimizers, in the order in which they were tracked, for `network.json`.

        The settings of a group are those that it had when it was first seen. Pairs such as `betas` become `betas[0]` and `betas[1]`. Only
        numbers, booleans, strings and None are kept. A learning rate on an accelerator is left out: reading it would wait for the device.
        An optimizer that no longer exists is described as it last was.

        Args:
            position_of: The position of a parameter in `Network.parameters`; None if it belongs to no tracked module.
        """
        for tracked in self._tracked:
            optimizer = tracked.find()
            if optimizer is not None:
                tracked.update(optimizer, position_of)
        return tuple(OptimizerEntry(tracked.name, tracked.type, tracked.groups) for tracked in self._tracked)

    def signature(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Equal to an earlier signature as long as no optimizer, group or parameter was added or replaced."""
        return tuple(
            tuple(tuple(map(id, group["params"])) for group in optimizer.param_groups) if (optimizer := tracked.find()) is not None else ()
            for tracked in self._tracked
        )

    def names(self) -> tuple[str, ...]:
        """The names of all, in the order in which they were tracked."""
        return tuple(tracked.name for tracked in self._tracked)

    def learning_rates(self) -> tuple[tuple[float | Tensor, ...], ...]:
        """The learning rates as they are now, per optimizer and group.

        Returns:
            Numbers; NaN if a group has none, or the optimizer no longer exists (then for each group that it last had). A learning rate on
            an accelerator is a copy there, without dimensions, so that it can travel with the other numbers of the step.
        """
        rates: list[tuple[float | Tensor, ...]] = []
        for tracked in self._tracked:
            optimizer = tracked.find()
            if optimizer is None:
                rates.append((float("nan"),) * len(tracked.groups))
            else:
                rates.append(tuple(_learning_rate(group.get("lr")) for group in optimizer.param_groups))
        return tuple(rates)


def _unwrapped(optimizer: object) -> Optimizer | None:
    """The optimizer within wrappers.

    accelerate's wrapper is an `Optimizer` itself. Other optimizers may hold one for purposes of their own, and are left as they are.
    """
    for _ in range(_MAX_WRAPPERS):
        if isinstance(optimizer, Optimizer) and type(optimizer).__name__ != "AcceleratedOptimizer":
            return optimizer
        optimizer = getattr(optimizer, "optimizer", None)
    return None


def _unused(name: str, taken: Iterable[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name} {number}" in taken:
        number += 1
    return f"{name} {number}"


def _positions(parameters: Iterable[nn.Parameter], position_of: Callable[[nn.Parameter], int | None]) -> tuple[int, ...]:
    positions = (position_of(parameter) for parameter in parameters)
    return tuple(position for position in positions if position is not None)


def _options(group: dict[str, object]) -> dict[str, _Option]:
    options: dict[str, _Option] = {}
    for key, value in group.items():
        if isinstance(value, tuple) and len(value) <= _MAX_PARTS:
            options.update((f"{key}[{index}]", float(part)) for index, part in enumerate(value) if isinstance(part, Real))
        elif isinstance(value, Tensor):
            if value.numel() == 1 and value.device.type == "cpu":
                with without_function_overrides():
                    options[key] = value.item()
        elif value is None or isinstance(value, (bool, str)):
            options[key] = value
        elif isinstance(value, Real):
            options[key] = int(value) if isinstance(value, Integral) else float(value)
    return options


def _learning_rate(value: object) -> float | Tensor:
    if isinstance(value, Tensor) and value.numel() == 1:
        with torch.no_grad(), without_function_overrides():
            # Schedulers change it in place.
            return value.item() if value.device.type == "cpu" else value.detach().reshape(()).clone()
    return float(value) if isinstance(value, Real) else float("nan")
