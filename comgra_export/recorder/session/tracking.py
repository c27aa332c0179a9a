"""Taking the modules, the optimizers and the scaler that a script hands over."""

from __future__ import annotations

import sys

from torch import nn

from comgra_export.errors import MisuseError
from comgra_export.recorder.modules.registry import unwrapped
from comgra_export.recorder.modules.training_state import TrainingState
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.recorder.session.call_order import CallOrder
from comgra_export.storage.text.names import shown

__all__ = ["Tracking"]


class Tracking:
    """Checks what is handed over, and writes it down. The recorder's methods of the same names describe the arguments."""

    def __init__(self, output: RecordingOutput | None, training: TrainingState, order: CallOrder) -> None:
        self._output = output
        self._training = training
        self._order = order

    def track_module(self, name: str, module: nn.Module) -> None:
        """As `ComgraRecorder.track_module`."""
        if self._order.stage != "inactive":
            raise MisuseError(f"track_module: {name!r} is tracked within step {self._order.step}. Track modules between steps.")
        self._training.modules.track(name, module)
        self._write_network()

    def watch(self, module: nn.Module, name: str, *, values: bool, histograms: bool, histogram_values: int | None) -> None:
        """As `ComgraRecorder.watch`."""
        if self._order.stage != "inactive":
            raise MisuseError(f"watch: {name!r} is watched within step {self._order.step}. Watch modules between steps.")
        if histogram_values is not None and (type(histogram_values) is not int or histogram_values < 1):
            raise MisuseError(
                f"watch: histogram_values is {shown(histogram_values)}. Give how many values of a tensor to count, None for all of "
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
        watched.add(inner, with_values=values, histogram_values=limit if histograms else 0)

    def track_optimizers(self, *optimizers: object, **named: object) -> None:
        """As `ComgraRecorder.track_optimizers`."""
        if self._order.stage != "inactive":
            raise MisuseError(f"track_optimizers was called within step {self._order.step}. Track optimizers between steps.")
        for optimizer in optimizers:
            self._training.optimizers.track(optimizer)
        for name, optimizer in named.items():
            self._training.optimizers.track(optimizer, name)
        self._write_network()

    def _write_network(self) -> None:
        if self._output is not None:
            self._output.write_network(self._training.network())
