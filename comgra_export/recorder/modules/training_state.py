"""What is recorded of a step besides its tensors: modules, optimizers, and what became of the gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from torch import Tensor, nn

from comgra_export.recorder.gradients.averaging import AveragingOverRanks, run_is_distributed
from comgra_export.recorder.gradients.parameter_history import GradientDifferences, GradientHistory
from comgra_export.recorder.gradients.scaling import ScalerRegistry, StepScaling, divide_by_scale
from comgra_export.recorder.modules.optimizers import OptimizerRegistry
from comgra_export.recorder.modules.registry import ModuleRegistry
from comgra_export.recorder.modules.running import ModuleWatch
from comgra_export.recorder.modules.watched import WatchedModules
from comgra_export.storage.model import GradientFacts, ModuleRuns, Network

__all__ = ["StepFacts", "TrainingState"]


class TrainingState:
    """What the user has handed over: modules, optimizers and a scaler.

    Attributes:
        modules: The tracked modules.
        optimizers: The tracked optimizers.
        scalers: The tracked `GradScaler`.
        watched: Those of the modules of which every call is recorded.
    """

    def __init__(self, modules: ModuleRegistry) -> None:
        self.modules = modules
        self.optimizers = OptimizerRegistry()
        self.scalers = ScalerRegistry()
        self.watched = WatchedModules()
        self._signature = self.optimizers.signature()

    def refresh(self) -> bool:
        """Looks what was added to the modules and optimizers since, or replaced in them; returns whether anything was.

        Raises:
            MisuseError: As `ModuleRegistry.track`, for what was added.
        """
        signature, self._signature = self._signature, self.optimizers.signature()
        return self.modules.refresh() or self._signature != signature

    def network(self) -> Network:
        """All of it, for `network.json`."""
        network = self.modules.network()
        if not len(self.optimizers):
            return network
        positions = {id(parameter): position for position, parameter in self.modules.parameters_by_position().items()}
        return Network(network.modules, network.parameters, self.optimizers.entries(lambda parameter: positions.get(id(parameter))))


class StepFacts:
    """Follows modules and gradients through one recorded step, from `start` to `release`.

    Args:
        training: What the user has handed over.
        watched: Whether the operations of the step are watched, and `before_overwrite` and `after_backward` will be called.
        follows_gradients: Whether to find out what becomes of the gradients of parameters. It needs a hook for each of them.

    Attributes:
        scale_is_doubtful: Whether a gradient was recorded of which it is not known if the factor was taken out already.
    """

    def __init__(self, training: TrainingState, *, watched: bool, follows_gradients: bool) -> None:
        self.scale_is_doubtful = False
        self._training = training
        self._module_watch = ModuleWatch(training.modules.modules())
        self._scaling = StepScaling(training.scalers, training.optimizers.optimizers(), watched=watched)
        averaging = AveragingOverRanks(self._module_watch.data_parallel) if run_is_distributed() else None
        parameters = training.modules.parameters_by_position() if follows_gradients else {}
        self._history = GradientHistory(parameters, watched=watched and follows_gradients, averaging=averaging)
        self._gradients: list[tuple[GradientFacts, float | Tensor | None]] = []
        self._differences = GradientDifferences((), ())

    def start(self) -> None:
        """Begins to follow the modules."""
        self._module_watch.start()

    def release(self) -> None:
        """Removes every hook, and lets go of all tensors and modules. What is known stays."""
        self._module_watch.release()
        self._history.release()

    def after_backward(self) -> None:
        """Notes a backward pass that has ended."""
        self._history.after_backward()
        self._scaling.after_backward()

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:
        """Notes an operation that is about to write to the memory of these tensors."""
        self._history.before_overwrite(function, tensors)
        self._scaling.before_overwrite(function, tensors)

    def module_of(self, tensor: Tensor) -> str | None:
        """The name of the tracked module to which a tensor belongs."""
        return self._module_watch.module_of(tensor)

    def note_gradients(self, group: str) -> None:
        """Notes how the gradients came about that are recorded now."""
        facts = GradientFacts(
            group=group,
            backward_passes=self._history.backward_passes(),
            changed_in_place_by=self._history.changed_in_place_by(),
            averaged_over_ranks=self._history.averaged_over_ranks(),
        )
        self._gradients.append((facts, self._scaling.scale))
        self._differences = self._history.differences()

    def backward_passes(self) -> int | None:
        """How many backward passes the gradients of parameters are the sum of, or how many were seen; None if they cannot be seen."""
        return self._history.backward_passes()

    @property
    def has_scaler(self) -> bool:
        """Whether the loss is multiplied by a factor."""
        return self._scaling.scale is not None

    def may_be_scaled(self) -> bool:
        """Whether gradients that come now may have a factor by which a scaler has multiplied the loss."""
        return self._scaling.may_scale()

    def without_scale(self, gradient: Tensor, parameter: nn.Parameter | None) -> Tensor:
        """A gradient without the factor by which a scaler has multiplied the loss.

        Args:
            gradient: The gradient; not changed.
            parameter: Whose it is; None where it is another tensor's.
        """
        scale = self._scaling.scale
        if scale is None:
            return gradient
        is_unscaled = parameter is not None and self._scaling.is_unscaled(parameter)
        if is_unscaled is None:
            self.scale_is_doubtful = True
        return divide_by_scale(gradient, scale) if is_unscaled is False else gradient

    def gradients(self) -> Callable[[], tuple[GradientFacts, ...]]:
        """What is known of the groups of gradients. The function returned waits for the device."""
        noted = tuple(self._gradients)
        return lambda: tuple(replace(facts, loss_scale=None if scale is None else float(scale)) for facts, scale in noted)

    def learning_rates(self) -> Callable[[], tuple[tuple[float, ...], ...] | None]:
        """The learning rates as they are now; None where no optimizer was handed over. The function returned waits for the device."""
        rates = self._training.optimizers.learning_rates()
        return lambda: tuple(tuple(float(rate) for rate in groups) for groups in rates) or None

    def module_runs(self) -> ModuleRuns:
        """Which tracked modules have run."""
        return self._module_watch.runs()

    def gradient_differences(self) -> Callable[[], dict[int, float]]:
        """What the gradients, when they were recorded last, held besides what this step added to them.

        Returns:
            A function that waits for the device: norms by position of the parameter.
        """
        found = self._differences
        factor = 1.0 if self._scaling.scale is None else self._scaling.scale

        def read() -> dict[int, float]:
            differences = dict.fromkeys(found.nothing, 0.0)
            for positions, norms in found.norms:
                differences.update(zip(positions, (norms.double() / factor).tolist(), strict=True))
            return differences

        return read

    def errors(self) -> list[Exception]:
        """What went wrong while the user's code ran."""
        return [error for error in (self._module_watch.error, self._history.error, self._scaling.error) if error is not None]
