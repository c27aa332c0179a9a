"""What one recorded training step collects, until it is whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from comgra_export.errors import MisuseError
from comgra_export.recorder.arrays import GroupNumbers, arrange
from comgra_export.recorder.dependencies import DependencyTracer, Spot
from comgra_export.recorder.dtypes import number_type, why_not_recordable
from comgra_export.recorder.gaps import GapKeeper, describe_error
from comgra_export.recorder.gradients import GradientWatch
from comgra_export.recorder.measurements import Measurements
from comgra_export.recorder.registrations import Reference, Registration, TensorReference, Traits, difference_between
from comgra_export.recorder.structures import build_structure
from comgra_export.storage.model import Blob, Gap, Group, Layout, Structure, TensorEntry

__all__ = ["FORWARD", "INITIAL_ITERATION", "RecordedStep", "StepOptions"]

FORWARD = "forward"
INITIAL_ITERATION = -1


@dataclass(frozen=True)
class StepOptions:
    """How steps are recorded.

    Attributes:
        max_samples: How many samples are recorded one by one; None for all.
        node_prefixes: Parameters whose name begins with one of these share a node.
        with_svd: Whether singular values of parameters are computed.
        request_gradients: Whether `requires_grad` of the user's tensors may be borrowed.
    """

    max_samples: int | None
    node_prefixes: tuple[str, ...]
    with_svd: bool
    request_gradients: bool


@dataclass
class RecordedStep:
    """One training step that is being recorded.

    Args:
        number: The training step.
        type_of_execution: Its type.
        batch_size: `B`.
        per_sample_by_default: Whether tensors are recorded per sample where the call does not say.
        options: How it is recorded.
        gap_keeper: Where trouble goes.
        untouchable: Identities of tensors of which `requires_grad` may not be borrowed.

    Attributes:
        iteration: The iteration in progress, or the last one; None before the first.
        gaps: What could not be recorded of this step.
        structures: The dependency graph of every iteration; None where it is missing.
    """

    number: int
    type_of_execution: str
    batch_size: int
    per_sample_by_default: bool
    options: StepOptions
    gap_keeper: GapKeeper
    untouchable: set[int]

    def __post_init__(self) -> None:
        self.iteration: int | None = None
        self.gaps: list[Gap] = []
        self.structures: list[Structure | None] = []
        self._tracer = DependencyTracer()
        self._gradients = GradientWatch(self.options.request_gradients)
        self._registrations: list[Registration] = []
        self._in_iteration: dict[int, Registration] = {}
        self._by_name: dict[tuple[str, int], Registration] = {}
        self._newest_iteration: dict[str, int] = {}
        self._names_by_place: dict[tuple[str, str, int], str] = {}
        self._groups: dict[str, Measurements] = {FORWARD: self._measurements(FORWARD)}

    @property
    def samples(self) -> int:
        """`S`: how many samples are recorded one by one."""
        return self.batch_size if self.options.max_samples is None else min(self.batch_size, self.options.max_samples)

    def start_iteration(self) -> None:
        """Begins the next iteration; the first one is 0."""
        self.iteration = 0 if self.iteration is None else self.iteration + 1
        self._in_iteration.clear()

    def register_parameters(self, parameters: Mapping[str, nn.Parameter]) -> None:
        """Registers the parameters of the tracked modules, with the values that they have now."""
        for name, parameter in parameters.items():
            traits = Traits("parameter", "kpis_and_svd" if self.options.with_svd and parameter.dim() == 2 else "kpis", None, False)
            node = next((prefix for prefix in self.options.node_prefixes if name.startswith(prefix)), name)
            self.register(Reference(name, INITIAL_ITERATION, node, name), parameter, traits)

    def register(self, reference: Reference, tensor: Tensor, traits: Traits) -> None:
        """Registers a tensor, or another name of one, with the values that it has now.

        Raises:
            MisuseError: The name, or the role within the node, is taken in this iteration; or the tensor has a name already, with other
                traits.
        """
        self._check_unused(reference)
        spot = self._tracer.spot_to_register(tensor)
        if spot.number is None:
            registration = self._add_tensor(spot, reference, tensor, traits)
        else:
            registration = self._registrations[spot.number]
            _check_alias(registration, reference, traits)
            registration.references.append(reference)
        self._by_name[reference.name, reference.iteration] = registration
        self._newest_iteration[reference.name] = max(reference.iteration, self._newest_iteration.get(reference.name, INITIAL_ITERATION))
        self._names_by_place[reference.node, reference.role, reference.iteration] = reference.name
        if reference.iteration == self.iteration:
            self._in_iteration[registration.number] = registration

    def connect(self, source: Tensor | str | TensorReference, sink: Tensor | str | TensorReference) -> None:
        """Adds a dependency of the sink by hand.

        Raises:
            MisuseError: One of the two is not known, or they are the same tensor.
        """
        source_spot, sink_spot = self._find("src", source), self._find("sink", sink)
        if source_spot is sink_spot:
            raise MisuseError(
                f"add_tensor_connection: src and sink are the same tensor, {self._label(source_spot, source)}. Connect two different ones."
            )
        with self.gap_keeper.guard("connection", "a connection could not be added", step=self.number, iteration=self.iteration):
            if isinstance(sink, Tensor):
                self._request_gradient(sink)
            self._tracer.connect(source_spot, sink_spot)

    def record_gradients(self, group: str, clear: bool) -> None:
        """Records the gradients that all registered tensors have now.

        Args:
            group: Name of the recording type.
            clear: Whether to forget them afterwards, save those of parameters.

        Raises:
            MisuseError: The name is taken.
        """
        if group in self._groups:
            taken_by = "the values of the forward pass" if group == FORWARD else "another call in this training step"
            raise MisuseError(
                f"record_current_gradients: the name {group!r} is taken by {taken_by}. Give every call of a step a name of its own."
            )
        self._groups[group] = measurements = self._measurements(group)
        for registration in self._registrations:
            self._measure_gradient(registration, measurements)
            if clear and registration.traits.type != "parameter":
                self._gradients.clear(registration.number)
        measurements.compute()

    def finish_iteration(self) -> None:
        """Builds the dependency graph of the iteration.

        Raises:
            MisuseError: The nodes or the connections contradict each other.
        """
        assert self.iteration is not None
        structure = None
        with self.gap_keeper.guard("graph", "the dependency graph could not be built", step=self.number, iteration=self.iteration):
            structure = build_structure(self.iteration, list(self._in_iteration.values()), self._registrations, self._direct_dependencies)
        self.structures.append(structure)

    def finish(self) -> tuple[Layout, list[tuple[str, Blob]]]:
        """Computes what is left to compute.

        Returns:
            What the step holds, and its arrays.
        """
        self._groups[FORWARD].compute()
        parts = {group: measurements.parts() for group, measurements in self._groups.items()}
        recorded = {
            group: sorted(measurements.absent.union(*(part.positions for part in parts[group])))
            for group, measurements in self._groups.items()
        }
        numbers = sorted(set().union(*recorded.values()))
        rows = {number: row for row, number in enumerate(numbers)}
        entries = tuple(entry for entry in (self._registrations[number].entry for number in numbers) if entry is not None)
        groups = tuple(Group(group, tuple(rows[number] for number in members)) for group, members in recorded.items())
        layout = Layout(entries, groups)
        return layout, arrange(layout, [GroupNumbers(parts[group], self._groups[group].absent, rows) for group in recorded])

    def release(self) -> None:
        """Removes every hook, and gives back every flag and gradient of the user's tensors."""
        with self.gap_keeper.guard("release", "a tensor could not be put back as it was", step=self.number):
            self._gradients.release()

    def discard(self) -> None:
        """Breaks the cycle of this step and its groups, so that its tensors need not wait for the garbage collector."""
        self._groups.clear()

    def _add_tensor(self, spot: Spot, reference: Reference, tensor: Tensor, traits: Traits) -> Registration:
        registration = Registration(len(self._registrations), spot, traits, [reference])
        self._registrations.append(registration)
        self._tracer.register(spot, registration.number)
        with self.gap_keeper.guard(
            "values", "it could not be recorded", step=self.number, iteration=reference.iteration, tensor=reference.name
        ):
            reason = why_not_recordable(tensor)
            if reason is None:
                self._request_gradient(tensor)
                self._gradients.watch(registration.number, tensor)
                self._measure_values(registration, tensor)
            else:
                self.gap_keeper.report("unsupported tensor", Gap(reason, self.number, reference.iteration, None, reference.name))
        return registration

    def _measure_values(self, registration: Registration, tensor: Tensor) -> None:
        traits, reference = registration.traits, registration.references[0]
        numbers = number_type(tensor.dtype)
        assert numbers is not None
        entry = TensorEntry(
            name=reference.name,
            iteration=reference.iteration,
            node=reference.node,
            role=reference.role,
            type=traits.type,
            kind=traits.kind,
            dtype=numbers.name,
            stored=numbers.stored,
            shape=tuple(tensor.shape),
            batch_dimension=traits.batch_dimension,
            samples=self.samples if traits.per_sample else 0,
            operation=None if tensor.grad_fn is None else tensor.grad_fn.name(),
        )
        self._groups[FORWARD].add(registration.number, entry, numbers, tensor)
        registration.entry, registration.numbers = entry, numbers

    def _measure_gradient(self, registration: Registration, measurements: Measurements) -> None:
        entry, numbers = registration.entry, registration.numbers
        if entry is None or numbers is None:
            return
        try:
            gradient = self._gradients.gradient(registration.number)
            if gradient is None:
                measurements.add_absent(registration.number, entry, numbers)
            else:
                dense = gradient if gradient.layout == torch.strided else gradient.to_dense()
                measurements.add(registration.number, entry, numbers, dense, copy=False)
        except Exception as error:
            measurements.fail(registration.number, error)

    def _request_gradient(self, tensor: Tensor) -> None:
        if id(tensor) not in self.untouchable and why_not_recordable(tensor) is None:
            self._gradients.request_gradient(tensor)

    def _measurements(self, group: str) -> Measurements:
        def fail(number: int, error: Exception) -> None:
            reference = self._registrations[number].references[0]
            reason = f"its numbers could not be computed ({describe_error(error)})"
            self.gap_keeper.report("numbers", Gap(reason, self.number, reference.iteration, group, reference.name), error)

        return Measurements(fail)

    def _direct_dependencies(self, registration: Registration) -> list[int]:
        return self._tracer.direct_dependencies(registration.spot, registration.references[-1].name)

    def _check_unused(self, reference: Reference) -> None:
        if (reference.name, reference.iteration) in self._by_name:
            when = "before the first iteration" if reference.iteration == INITIAL_ITERATION else f"in iteration {reference.iteration}"
            raise MisuseError(
                f"register_tensor: the name {reference.name!r} was given twice {when} of step {self.number}. "
                "Give every tensor of an iteration a name of its own; a module that runs several times needs a counter in its names."
            )
        other = self._names_by_place.get((reference.node, reference.role, reference.iteration))
        if other is not None:
            raise MisuseError(
                f"register_tensor: the tensor {reference.name!r} has the role {reference.role!r} in the node {reference.node!r}, "
                f"and so has {other!r} in the same iteration. Give one of them another role_within_node."
            )

    def _find(self, argument: str, subject: Tensor | str | TensorReference) -> Spot:
        if isinstance(subject, Tensor):
            return self._tracer.spot(subject)
        if isinstance(subject, str):
            key = (subject, self._newest_iteration.get(subject, INITIAL_ITERATION))
        elif isinstance(subject, TensorReference):
            key = (subject.tensor_name, subject.iteration)
        else:
            raise MisuseError(
                f"add_tensor_connection: {argument} is a {type(subject).__name__}. Give a tensor, the name of a registered "
                "tensor, or a TensorReference."
            )
        if key not in self._by_name:
            raise MisuseError(
                f"add_tensor_connection: there is no registered tensor {subject!r} for {argument} in step {self.number}. "
                "Register it first, or give the tensor itself."
            )
        return self._by_name[key].spot

    def _label(self, spot: Spot, subject: Tensor | str | TensorReference) -> str:
        if spot.number is not None:
            return repr(self._registrations[spot.number].references[-1].name)
        return f"a tensor of the shape {list(subject.shape)} that is not registered" if isinstance(subject, Tensor) else repr(subject)


def _check_alias(registration: Registration, reference: Reference, traits: Traits) -> None:
    first = registration.references[0]
    if registration.traits != traits:
        raise MisuseError(
            f"register_tensor: the tensor {reference.name!r} was registered before, as {first.name!r} in iteration {first.iteration}, "
            f"with another {difference_between(registration.traits, traits)}. Give all names of a tensor the same arguments, "
            "or register a copy of it: tensor.clone()."
        )
    for other in registration.references:
        if (other.node, other.iteration) == (reference.node, reference.iteration):
            raise MisuseError(
                f"register_tensor: the tensor {reference.name!r} was registered before in the same iteration, as {other.name!r}, "
                f"and for the same node {reference.node!r}. Give one of the two another node_name, or leave it out."
            )
