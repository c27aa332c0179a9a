"""The description of one recorded step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from comgra_export.storage.model.gradient_flows import GradientFlow
from comgra_export.storage.model.lines import Gap

__all__ = [
    "DropoutCall",
    "EstimatedNorms",
    "GradientFacts",
    "LossCall",
    "ModuleRuns",
    "ParameterFacts",
    "RecordedSamples",
    "StepDescription",
    "StepException",
    "TargetFact",
    "TensorReference",
]


@dataclass(frozen=True)
class RecordedSamples:
    """The samples recorded one by one: positions in the batch (`S` of them), and, if known, an id and a category for each."""

    index: tuple[int, ...]
    id: tuple[str, ...] | None = None
    category: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ModuleRuns:
    """Which tracked modules ran in a step. One entry per module that did.

    Attributes:
        modules: Positions in `Network.modules`, ascending.
        training: Whether it was in training mode when it ran last.
        calls: How often it ran forwards. The recomputation of checkpointed blocks is not counted.
    """

    modules: tuple[int, ...]
    training: tuple[bool, ...]
    calls: tuple[int, ...]


class EstimatedNorms(NamedTuple):
    """Says that the norms of a parameter were estimated from some of its elements.

    Attributes:
        parameter: Its position in `Network.parameters`.
        elements: From how many elements.
        error: The standard error of the norm of its update, relative to it. None if it is not known, as it is if no element changed.
    """

    parameter: int
    elements: int
    error: float | None


@dataclass(frozen=True)
class ParameterFacts:
    """What a step did to the parameters. One entry per parameter.

    Attributes:
        parameters: Positions in `Network.parameters`, ascending.
        norm: Euclidean norm before the step.
        update_norm: Euclidean norm of the difference between the values after the step and before it.
        accumulated_gradient_difference: Euclidean norm of what the gradient still held of earlier steps when the first backward pass of
            this step reached it; None if it is not known or nothing was recorded.
        estimated: The parameters whose `norm` and `update_norm` were estimated, ascending. If such an `update_norm` is 0, no element that
            was compared has changed; others may have.
    """

    parameters: tuple[int, ...]
    norm: tuple[float, ...]
    update_norm: tuple[float, ...]
    accumulated_gradient_difference: tuple[float | None, ...]
    estimated: tuple[EstimatedNorms, ...] = ()


@dataclass(frozen=True)
class GradientFacts:
    """What is known of the gradients of one loss group.

    Attributes:
        backward_passes: How many backward passes of this step they are the sum of; None if it is not known.
        loss_scale: The factor by which a `GradScaler` had multiplied the loss. The gradients are recorded without it. None: no scaler is
            known.
        changed_in_place_by: What changed gradients of parameters in place between the backward pass and the recording, such as `mul_` of
            clipping. Names of operations, each once, in their order. None if it is not known.
        averaged_over_ranks: Whether the gradients of parameters are averaged over the processes of a distributed run (True) or those of
            this process alone (False); None if the run is not distributed or it is not known.
    """

    group: str
    backward_passes: int | None = None
    loss_scale: float | None = None
    changed_in_place_by: tuple[str, ...] | None = None
    averaged_over_ranks: bool | None = None


class TensorReference(NamedTuple):
    """A tensor of the step's layout: its name and its iteration."""

    name: str
    iteration: int


@dataclass(frozen=True)
class LossCall:
    """A call of one of PyTorch's loss functions.

    Attributes:
        function: Its name in `torch.nn.functional`, such as `cross_entropy`.
        options: Its arguments other than tensors, defaults included, such as `reduction`: numbers, booleans, strings and nulls.
        prediction: Its first tensor; None if nothing is recorded of it. The same holds for the next two.
        target: Its argument `target`; its second tensor if it has no such argument.
        result: What it returned.
    """

    function: str
    options: Mapping[str, float | bool | str | None] = field(default_factory=dict)
    prediction: TensorReference | None = None
    target: TensorReference | None = None
    result: TensorReference | None = None


@dataclass(frozen=True)
class TargetFact:
    """How a target of a loss function compares with an input of the network, value by value.

    Attributes:
        target: The target.
        input: The input.
        is_same: Whether they hold the same integers in the same order; None if they are not both integers, or not as many. Negative ones of
            the target do not count if eight others are left.
        feature: The feature of the input, counted from 0, that goes best with the target; None if that is not known.
        share: The share of its variance that the classes of the target explain, without what chance explains; or the squared correlation if
            the target is not one of classes.
        next_share: The same for the feature that comes next.
    """

    target: TensorReference
    input: TensorReference
    is_same: bool | None = None
    feature: int | None = None
    share: float | None = None
    next_share: float | None = None


class TokenFact(NamedTuple):
    """A tensor in which the tokens of a sample are almost the same.

    Attributes:
        tensor: The tensor.
        cosine: The mean cosine between different tokens of the first samples.
    """

    tensor: TensorReference
    cosine: float


class StepException(NamedTuple):
    """An exception that was raised in the step, and was caught if the step went on.

    Attributes:
        type: The name of its class.
        iteration: In which iteration of the step.
        module: The innermost tracked module that was running; None if none was.
        function: The function of PyTorch that raised it; None if other code did.
    """

    type: str
    iteration: int
    module: str | None = None
    function: str | None = None


class DropoutCall(NamedTuple):
    """A function that sets some values to 0 at random, as it was called in the step. Modules for dropout are not among them.

    Attributes:
        function: Its name.
        share: The share of values that it drops.
        module: The innermost tracked module that was running; None if none was.
    """

    function: str
    share: float
    module: str | None = None


@dataclass(frozen=True)
class StepDescription:
    """`steps/STEP.json`. `layout`, `structures` and `calls` hold hashes; a structure is None if the graph is missing.

    Attributes:
        session: Which opening of the recording wrote it.
        triggered: Why it was recorded although the schedule did not ask for it, or None.
        learning_rates: Per optimizer, in the order of `Network.optimizers`, and parameter group, at the end of the step.
        held_bytes: The most memory that the recorder held for this step, its parts added up.
        calls: The calls of watched modules, per iteration; None if there are none. Empty if no module was watched.
        epoch: In which epoch it was made, as the user counts them; None if they did not say.
        flows: The gradient flows, whose numbers are in files of their own.
        losses: The calls of loss functions that were seen, in order.
        backward_roots: The tensors at which backward passes of the step began, each once, in order. What is not recorded is left
            out.
        target_facts: How its targets compare with its inputs.
        token_facts: The tensors in which the tokens of a sample are almost the same.
        exceptions: Those that functions of PyTorch and tracked modules raised, in order, at most 100.
        dropouts: The functions that dropped values, each once for a module, at most 100.
    """

    step: float
    type_of_execution: str
    batch_size: int
    layout: str
    structures: tuple[str | None, ...]
    samples: RecordedSamples
    time: float | None = None
    session: int = 0
    triggered: str | None = None
    learning_rates: tuple[tuple[float, ...], ...] | None = None
    module_runs: ModuleRuns | None = None
    parameters: ParameterFacts | None = None
    gradients: tuple[GradientFacts, ...] = ()
    held_bytes: int | None = None
    gaps: tuple[Gap, ...] = field(default_factory=tuple)
    calls: tuple[str | None, ...] = ()
    epoch: float | None = None
    flows: tuple[GradientFlow, ...] = ()
    losses: tuple[LossCall, ...] = ()
    backward_roots: tuple[TensorReference, ...] = ()
    target_facts: tuple[TargetFact, ...] = ()
    token_facts: tuple[TokenFact, ...] = ()
    exceptions: tuple[StepException, ...] = ()
    dropouts: tuple[DropoutCall, ...] = ()
