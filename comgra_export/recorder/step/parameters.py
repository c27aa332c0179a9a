"""The parameters of the tracked modules in one step: their values before it, and by how much it changed them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.host.torch_internals import local_tensor, version_of
from comgra_export.recorder.modules.registry import ModuleRegistry
from comgra_export.recorder.numbers.buffers import SnapshotMemory
from comgra_export.recorder.numbers.parameter_norms import ParameterNorms
from comgra_export.recorder.numbers.snapshots import ParameterSnapshots
from comgra_export.storage.model.lines import Gap

__all__ = ["StepParameters"]

_State = tuple[int | None, int]


class StepParameters:
    """What the parameters were before a step.

    If it is not known from the beginning that the step is recorded, copies are made only when that is decided. Parameters that have changed
    until then are left out.

    Attributes:
        values_before: The values before the step, while parameters are registered, by the identity of the parameter.
        changed: Identities of parameters that had changed already when it was decided to record the step.
        held_bytes: How much memory the copies take.
    """

    def __init__(self, modules: ModuleRegistry, memory: SnapshotMemory, step: float, gap_keeper: GapKeeper) -> None:
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
        """Remembers the versions of the parameters, by which `find_changed` sees later which have changed."""
        self._states = {id(parameter): _state_of(parameter) for parameter in self._modules.parameters().values()}

    def find_changed(self) -> None:
        """Finds the parameters that have changed since `remember_states`, if that was called."""
        if self._states:
            parameters = self._modules.parameters().values()
            self.changed = {id(parameter) for parameter in parameters if self._states.get(id(parameter)) != _state_of(parameter)}

    def take_snapshots(self) -> None:
        """Copies the parameters that have not changed."""
        by_position = self._modules.parameters_by_position()
        parameters = {position: parameter for position, parameter in by_position.items() if id(parameter) not in self.changed}
        with self._gap_keeper.guard("snapshots", "the parameters could not be copied before the step", step=self._step):
            self._snapshots = snapshots = ParameterSnapshots(parameters, self._memory)
            self.held_bytes = snapshots.bytes
            self.values_before = {
                id(parameter): values for position, parameter in parameters.items() if (values := snapshots.values(position)) is not None
            }

    def finish(self) -> tuple[list[Tensor], ParameterNorms | None]:
        """Computes by how much the step changed the parameters.

        Returns:
            As `ParameterSnapshots.finish`. Nothing if there are no copies, or if that fails, which is a gap.
        """
        if self._snapshots is None:
            return [], None
        with self._gap_keeper.guard("snapshots", "by how much the step changed the parameters could not be computed", step=self._step):
            norms, parameter_norms = self._snapshots.finish(self._modules.parameters_by_position())
            if parameter_norms.missing:
                names = [parameter.name for parameter in self._modules.network().parameters]
                for position, reason in parameter_norms.missing.items():
                    self._gap_keeper.report("snapshots", Gap(reason, self._step, None, None, names[position]))
            return norms, parameter_norms
        return [], None

    def hand_over(self) -> Callable[[], None]:
        """Hands over the copies. Any thread may call the function returned, once it does not need them any more."""
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
