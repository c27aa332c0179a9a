"""The calls by which a training script hands over its modules, its optimizers and its scaler."""

from __future__ import annotations

import sys

from torch import nn

from comgra_export.errors import MisuseError
from comgra_export.recorder.modules.registry import unwrapped
from comgra_export.recorder.modules.training_state import TrainingState
from comgra_export.recorder.numbers.histograms import HISTOGRAM_VALUES
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.recorder.session.call_order import CallOrder
from comgra_export.storage.text.names import shown

__all__ = ["Tracking"]


class Tracking:
    """The part of the recorder that takes modules, optimizers and a scaler.

    Args:
        output: Where they are written; None for a recorder that is turned off.
        training: What has been handed over.
    """

    def __init__(self, output: RecordingOutput | None, training: TrainingState) -> None:
        self._output = output
        self._training = training
        self._order = CallOrder()

    def track_module(self, module_name: str, module: nn.Module) -> None:
        """Registers a module and everything in it, so that its parameters are recorded.

        Args:
            module_name: Its name, without a dot. Its parts are called `module_name.submodule.parameter`.
            module: The module. A wrapper of torch (compiled, distributed) is looked through.

        Raises:
            MisuseError: Called during a step; or the name or module is not usable or known already; or a lazy parameter has no shape
                yet.
        """
        if self._order.stage != "inactive":
            raise MisuseError(f"track_module: {module_name!r} is tracked within step {self._order.step}. Track modules between steps.")
        self._training.modules.track(module_name, module)
        self._write_network()

    def watch(
        self,
        module: nn.Module,
        name: str = "model",
        *,
        values: bool = False,
        histograms: bool = True,
        histogram_values: int | None = HISTOGRAM_VALUES,
    ) -> None:
        """Records, on recorded steps, what goes into every call of a module and of all modules in it, and what comes out.

        These tensors are shown like registered ones, as `model.encoder: output` or `model: input x`, in the iteration in which the call is
        made; a further call of the same module in it is `model.encoder (call 2)`. The first dimension counts as that of the batch where it
        has the size `current_batch_size`. A tensor that is registered already is shown once, as it is. `register_tensor` can be used
        within the module; where it says something else about a tensor, that counts.

        Args:
            module: The module. It is tracked, unless it is tracked already.
            name: As for `track_module`.
            values: Whether every value of the recorded samples is kept, and not only statistics.
            histograms: Whether there is a histogram of each of these tensors, of the parameters of the module, and of their gradients.
            histogram_values: How many values of a tensor are looked at for its histogram, at most: of a larger one, every so-manieth of
                them. None: all.

        Raises:
            MisuseError: Called during a step; or the module is watched already; or `histogram_values` is no integer from 1 on; or as for
                `track_module`.
        """
        if self._order.stage != "inactive":
            raise MisuseError(f"watch: {name!r} is watched within step {self._order.step}. Watch modules between steps.")
        if histogram_values is not None and (type(histogram_values) is not int or histogram_values < 1):
            raise MisuseError(
                f"watch: histogram_values is {shown(histogram_values)}. Give how many values of a tensor to look at, None for all of "
                "them, or histograms=False for no histograms."
            )
        modules, watched = self._training.modules, self._training.watched
        if not isinstance(module, nn.Module):
            raise MisuseError(f"watch: {name!r} is a {type(module).__name__}. Give a torch.nn.Module.")
        inner = unwrapped(module)
        if inner in watched:
            raise MisuseError(f"watch: the module {name!r} is watched already, as {modules.name_of(inner)!r}. Watch it once.")
        if inner not in modules:
            self.track_module(name, module)
        limit = sys.maxsize if histogram_values is None else histogram_values
        watched.add(inner, values, limit if histograms else 0)

    def get_name_of_module(self, module: nn.Module) -> str:
        """The full dotted name of a module, as `track_module` gave it.

        Raises:
            MisuseError: The module is not part of a tracked one.
        """
        return self._training.modules.name_of(module)

    def track_optimizers(self, *optimizers: object, **named: object) -> None:
        """Tells of the optimizers: which parameters they hold, with which settings, and from now on their learning rates are recorded.

        Args:
            *optimizers: Optimizers, which are called by their class.
            **named: Optimizers by name: `track_optimizers(generator=adam, critic=sgd)`.

        Raises:
            MisuseError: Called during a step; or one of them is no optimizer, or is tracked already, or its name is taken.
        """
        if self._order.stage != "inactive":
            raise MisuseError(f"track_optimizers was called within step {self._order.step}. Track optimizers between steps.")
        for optimizer in optimizers:
            self._training.optimizers.track(optimizer)
        for name, optimizer in named.items():
            self._training.optimizers.track(optimizer, name)
        self._write_network()

    def track_grad_scaler(self, grad_scaler: object) -> None:
        """Tells of the scaler of mixed-precision training, so that gradients are recorded without the factor of the loss.

        Args:
            grad_scaler: A `torch.amp.GradScaler`, or something that has `get_scale()`.

        Raises:
            MisuseError: It is no scaler, or there is one already.
        """
        self._training.scalers.track(grad_scaler)

    def _write_network(self) -> None:
        if self._output is not None:
            self._output.write_network(self._training.network())
