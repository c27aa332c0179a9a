"""The numbers of a step that is over, on their way to the thread that writes."""

from __future__ import annotations

from torch import Tensor

from comgra_export.recorder.modules.training_watch import TrainingWatch
from comgra_export.recorder.numbers.finished_numbers import FinishedNumbers
from comgra_export.recorder.numbers.parameter_norms import ParameterNorms
from comgra_export.recorder.numbers.transfer import Transfer
from comgra_export.recorder.output.finished_step import StepNumbers
from comgra_export.recorder.step.options import StepOptions

__all__ = ["ArrivingNumbers"]


class ArrivingNumbers:
    """All numbers of a step, on their way to the CPU.

    The training thread makes this, and the thread that writes calls `compute`. It refers to none of the user's tensors.

    Attributes:
        size: How many bytes they take until they are computed.
    """

    def __init__(
        self,
        tensors: FinishedNumbers,
        parameters: ParameterNorms | None,
        norms: list[Tensor],
        training_watch: TrainingWatch,
        options: StepOptions,
    ) -> None:
        self._tensors = tensors
        self._parameters = parameters
        self._norms = len(norms)
        # Copies on devices come before the transfer: who waits for that also waits for them, on whatever stream the script computes.
        self._gradient_differences = training_watch.gradient_differences()
        self._learning_rates = training_watch.learning_rates()
        self._optimizers = training_watch.optimizers()
        self._gradients = training_watch.gradients()
        self._transfer = Transfer(norms + tensors.rows)
        self._scratch, self._layouts = options.scratch_of_writing, options.known_layouts
        self.size = self._transfer.size + tensors.size

    def compute(self) -> StepNumbers:
        """Waits for the devices, and computes what is left. The thread that writes calls it once."""
        arrived = self._transfer.wait()
        norms, rows = arrived[: self._norms], arrived[self._norms :]
        layout, arrays, target_facts, token_facts = self._tensors.arrange(rows, self._scratch, self._layouts)
        return StepNumbers(
            layout,
            arrays,
            parameters=None if self._parameters is None else self._parameters.put_together(norms, self._gradient_differences()),
            learning_rates=self._learning_rates(),
            gradients=self._gradients(),
            optimizers=self._optimizers,
            target_facts=target_facts,
            token_facts=token_facts,
        )
