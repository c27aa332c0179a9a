"""Following the training through one step: which modules ran, with which learning rates, and what happened to the gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from torch import Tensor, nn

from comgra_export.recorder.gradients.averaging import AveragingOverRanks, run_is_distributed
from comgra_export.recorder.gradients.parameter_history import GradientDifferences, GradientHistory
from comgra_export.recorder.gradients.scaling import StepScaling
from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.modules.exceptions import StepExceptions
from comgra_export.recorder.modules.running import ModuleWatch
from comgra_export.recorder.modules.training_state import TrainingState
from comgra_export.storage.model.step_description import GradientFacts, ModuleRuns

__all__ = ["TrainingWatch"]


class TrainingWatch:
    """Follows modules and gradients through one recorded step, from `start` to `release`. `exceptions` gets those of modules.

    `watched` says whether the operations of the step are watched, and `before_overwrite` and `after_backward` will be called.
    `follows_gradients` says whether to find out what happens to the gradients of parameters, which needs a hook for each.

    Attributes:
        scaling: The factor by which the gradients are too large.
    """

    def __init__(
        self, training: TrainingState, calls: ModuleCalls, exceptions: StepExceptions, *, watched: bool, follows_gradients: bool
    ) -> None:
        self._training = training
        self._exceptions = exceptions
        self._module_watch = ModuleWatch(calls, training.modules.modules(), exceptions)
        self.scaling = StepScaling(training.scalers, training.optimizers.optimizers(), watched=watched)
        averaging = AveragingOverRanks(self._module_watch.data_parallel) if run_is_distributed() else None
        parameters = training.modules.parameters_by_position() if follows_gradients else {}
        self._history = GradientHistory(parameters, watched=watched and follows_gradients, averaging=averaging)
        self._groups: list[tuple[GradientFacts, float | Tensor | None]] = []
        self._differences = GradientDifferences((), ())

    def start(self) -> None:
        """Begins to follow the modules."""
        self._module_watch.start()

    def release(self) -> None:
        """Removes every hook, and lets go of all tensors and modules. It still knows what it found out."""
        self._module_watch.release()
        self._history.release()

    def after_backward(self) -> None:
        """Notes a backward pass that has ended."""
        self._history.after_backward()
        self.scaling.after_backward()

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:
        """Notes an operation that is about to write to the memory of these tensors."""
        self._history.before_overwrite(function, tensors)
        self.scaling.before_overwrite(function, tensors)

    def module_of(self, tensor: Tensor) -> str | None:
        """The name of the tracked module to which a tensor belongs."""
        return self._module_watch.module_of(tensor)

    def innermost_module(self) -> tuple[nn.Module, str] | None:
        """The innermost tracked module that runs now, and its name; None if none does."""
        return self._module_watch.innermost()

    def note_exception(self, function: str, error: Exception) -> None:
        """Notes an exception that a function of PyTorch has raised."""
        self._exceptions.note(error, self._module_watch.current(), function)

    def note_gradients(self, group: str) -> None:
        """Notes what has happened to the gradients that are recorded now."""
        noted = GradientFacts(
            group=group,
            backward_passes=self._history.backward_passes(),
            changed_in_place_by=self._history.changed_in_place_by(),
            averaged_over_ranks=self._history.averaged_over_ranks(),
        )
        self._groups.append((noted, self.scaling.scale))
        self._differences = self._history.differences()

    def backward_passes(self) -> int | None:
        """How many backward passes the gradients of parameters are the sum of, or how many were seen; None if they cannot be seen."""
        return self._history.backward_passes()

    def gradients(self) -> Callable[[], tuple[GradientFacts, ...]]:
        """What happened to the gradients of each group. The function returned waits for the device."""
        groups = tuple(self._groups)
        return lambda: tuple(replace(group, loss_scale=None if scale is None else float(scale)) for group, scale in groups)

    def learning_rates(self) -> Callable[[], tuple[tuple[float, ...], ...] | None]:
        """The learning rates as they are now; None if no optimizer is tracked. The function returned waits for the device."""
        rates = self._training.optimizers.learning_rates()
        return lambda: tuple(tuple(float(rate) for rate in groups) for groups in rates) or None

    def optimizers(self) -> tuple[str, ...]:
        """The names of the tracked optimizers."""
        return self._training.optimizers.names()

    def module_runs(self) -> ModuleRuns:
        """Which tracked modules have run."""
        return self._module_watch.runs()

    def gradient_differences(self) -> Callable[[], dict[int, float]]:
        """What the gradients held besides what this step added to them, when they were recorded last.

        Returns:
            A function that waits for the device: norms by position of the parameter.
        """
        kept = self._differences
        factor = 1.0 if self.scaling.scale is None else self.scaling.scale

        def read() -> dict[int, float]:
            differences = dict.fromkeys(kept.nothing, 0.0)
            for positions, norms in kept.norms:
                differences.update(zip(positions, (norms.double() / factor).tolist(), strict=True))
            return differences

        return read

    def errors(self) -> list[Exception]:
        """What went wrong while the user's code ran."""
        return [error for error in (self._module_watch.error, self._history.error, self.scaling.error) if error is not None]
