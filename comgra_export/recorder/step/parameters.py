"""The parameters of the tracked modules in one step: their values before it, and by how much it changed them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.host.torch_internals import local_tensor, version_of
from comgra_export.recorder.modules.registry import ModuleRegistry
from comgra_export.recorder.numbers.buffers import SnapshotMemory
from comgra_export.recorder.numbers.snapshots import ParameterNorms, ParameterSnapshots
from comgra_export.storage.model import Gap

__all__ = ["StepParameters"]

_State = tuple[int | None, int]


class StepParameters:
    """What the parameters were before a step.

    Where it is not known from the beginning that the step is recorded, copies are made only when it is decided, of the parameters that
    have not changed until then.

    Args:
        modules: The tracked modules.
        memory: Where copies lie.
        step: The step.
        gap_keeper: Where trouble goes.

    Attributes:
        values_before: The values before the step, while parameters are registered, by the identity of the parameter.
        changed: Identities of parameters that had changed already when it was decided to record the step.
        held_bytes: How much memory the copies take.
    """

    def __init__(self, modules: ModuleRegistry, memory: SnapshotMemory, step: int, gap_keeper: GapKeeper) -> None:
        self.values_before: dict[int, Tensor] = {}
        self.changed: set[int] = set()
        self.held_bytes = 0
        self._modules = modules
        self._memory = memory
        self._step = step
        self._gap_keeper = gap_keeper
        self._states: dict[int, _State] = {}
        self._snapshots: ParameterSnapshots | None = None

    @property
    def has_snapshots(self) -> bool:
        """Whether there are copies."""
        return self._snapshots is not None

    def remember_states(self) -> None:
        """Takes note of what would tell later which parameters have changed."""
        self._states = {id(one): _state_of(one) for one in self._modules.parameters().values()}

    def find_changed(self) -> None:
        """Finds the parameters that have changed since `remember_states`, if that was called."""
        if self._states:
            self.changed = {id(one) for one in self._modules.parameters().values() if self._states.get(id(one)) != _state_of(one)}

    def take_snapshots(self) -> None:
        """Copies the parameters that have not changed."""
        found = self._modules.parameters_by_position()
        parameters = {position: one for position, one in found.items() if id(one) not in self.changed}
        with self._gap_keeper.guard("snapshots", "the parameters could not be copied before the step", step=self._step):
            self._snapshots = snapshots = ParameterSnapshots(parameters, self._memory)
            self.held_bytes = snapshots.bytes
            self.values_before = {
                id(parameter): values for position, parameter in parameters.items() if (values := snapshots.values(position)) is not None
            }

    def finish(self) -> tuple[list[Tensor], ParameterNorms | None]:
        """Computes by how much the step changed the parameters.

        Returns:
            As `ParameterSnapshots.finish`; nothing where there are no copies, or where that fails, which is a gap.
        """
        if self._snapshots is None:
            return [], None
        with self._gap_keeper.guard("snapshots", "by how much the step changed the parameters could not be computed", step=self._step):
            norms, facts = self._snapshots.finish(self._modules.parameters_by_position())
            names = [parameter.name for parameter in self._modules.network().parameters]
            for position, reason in facts.missing.items():
                self._gap_keeper.report("snapshots", Gap(reason, self._step, None, None, names[position]))
            return norms, facts
        return [], None

    def hand_over(self) -> Callable[[], None]:
        """Leaves the copies to somebody else, in whichever thread, who calls what is returned when they are not needed any more."""
        snapshots, self._snapshots = self._snapshots, None
        return _nothing if snapshots is None else snapshots.give_back

    def discard(self) -> None:
        """Lets go of the copies, unless they were handed over."""
        self.values_before.clear()
        self.hand_over()()


def _nothing() -> None:
    pass


def _state_of(parameter: nn.Parameter) -> _State:
    local = local_tensor(parameter)
    return version_of(local), local.data_ptr() if local.layout == torch.strided else 0
