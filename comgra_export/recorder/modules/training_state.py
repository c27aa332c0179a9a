"""What the user has handed over to a recorder: modules, optimizers and a scaler."""

from __future__ import annotations

from dataclasses import replace

from comgra_export.recorder.gradients.scaling import ScalerRegistry
from comgra_export.recorder.modules.optimizers import OptimizerRegistry
from comgra_export.recorder.modules.registry import ModuleRegistry
from comgra_export.recorder.modules.unregistered import find_unregistered
from comgra_export.recorder.modules.watched import WatchedModules
from comgra_export.storage.model.network import Network, UnregisteredEntry

__all__ = ["TrainingState"]


class TrainingState:
    """What the user has handed over: modules, optimizers and a scaler.

    Attributes:
        watched: Those modules whose every call is recorded.
    """

    def __init__(self, modules: ModuleRegistry) -> None:
        self.modules = modules
        self.optimizers = OptimizerRegistry()
        self.scalers = ScalerRegistry()
        self.watched = WatchedModules()
        self._signature = self.optimizers.signature()
        self._unregistered: tuple[UnregisteredEntry, ...] = ()
        self._versions: dict[int, int | None] = {}

    def refresh(self) -> bool:
        """Takes up what was added to the modules and optimizers since, or replaced in them. Returns whether anything was.

        Raises:
            MisuseError: As `ModuleRegistry.track`, for what was added.
        """
        signature, self._signature = self._signature, self.optimizers.signature()
        has_new_modules = self.modules.refresh()
        before, self._unregistered = self._unregistered, self._find_unregistered()
        return has_new_modules or self._signature != signature or self._unregistered != before

    def network(self) -> Network:
        """The content of `network.json`."""
        network = replace(self.modules.network(), unregistered=self._unregistered)
        if not len(self.optimizers):
            return network
        positions = {id(parameter): position for position, parameter in self.modules.parameters_by_position().items()}
        return replace(network, optimizers=self.optimizers.entries(lambda parameter: positions.get(id(parameter))))

    def _find_unregistered(self) -> tuple[UnregisteredEntry, ...]:
        return find_unregistered(self.modules.modules(), self._known_parameters, self._versions)

    def _known_parameters(self) -> set[int]:
        """The identities of all parameters that are tracked, or that a tracked optimizer holds."""
        groups = (group for optimizer in self.optimizers.optimizers() for group in optimizer.param_groups)
        held = {id(parameter) for group in groups for parameter in group["params"]}
        return held | {id(parameter) for parameter in self.modules.parameters().values()}
