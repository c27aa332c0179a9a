"""What the user has handed over to a recorder: modules, optimizers and a scaler."""

from __future__ import annotations

from comgra_export.recorder.gradients.scaling import ScalerRegistry
from comgra_export.recorder.modules.optimizers import OptimizerRegistry
from comgra_export.recorder.modules.registry import ModuleRegistry
from comgra_export.recorder.modules.watched import WatchedModules
from comgra_export.storage.model.network import Network

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

    def refresh(self) -> bool:
        """Takes up what was added to the modules and optimizers since, or replaced in them. Returns whether anything was.

        Raises:
            MisuseError: As `ModuleRegistry.track`, for what was added.
        """
        signature, self._signature = self._signature, self.optimizers.signature()
        return self.modules.refresh() or self._signature != signature

    def network(self) -> Network:
        """The content of `network.json`."""
        network = self.modules.network()
        if not len(self.optimizers):
            return network
        positions = {id(parameter): position for position, parameter in self.modules.parameters_by_position().items()}
        return Network(network.modules, network.parameters, self.optimizers.entries(lambda parameter: positions.get(id(parameter))))
