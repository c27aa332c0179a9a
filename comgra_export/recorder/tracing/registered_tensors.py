"""The tensors that were registered in a step: their names, and how they depend on each other."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.tracing.registrations import (
    INITIAL_ITERATION,
    Reference,
    Registration,
    TensorReference,
    Traits,
    difference_between,
)
from comgra_export.recorder.tracing.search import Dependency, TracedValue, Tracer
from comgra_export.recorder.tracing.structures import build_structure
from comgra_export.storage.model import Structure

__all__ = ["Connectable", "RegisteredTensors"]

Connectable = Tensor | str | TensorReference
"""A tensor, the name of a registered one (that of its newest iteration), or its name and iteration."""


class RegisteredTensors:
    """The tensors of one step, by number and by name.

    Args:
        tracer: Knows what was computed from what.
        step: The step.
        gap_keeper: Where trouble goes.
        known_structures: The dependency graphs of the last steps, by iteration.

    Attributes:
        all: Every tensor that was registered so far, by number.
        in_iteration: Those that have a name in the iteration in progress, or the last one, by number.
    """

    def __init__(self, tracer: Tracer[Any], step: int, gap_keeper: GapKeeper, known_structures: dict[int, Structure]) -> None:
        self.all: list[Registration] = []
        self.in_iteration: dict[int, Registration] = {}
        self._tracer = tracer
        self._step = step
        self._gap_keeper = gap_keeper
        self._known_structures = known_structures
        self._iteration: int | None = None
        self._by_name: dict[tuple[str, int], Registration] = {}
        self._newest_iteration: dict[str, int] = {}
        self._names_by_place: dict[tuple[str, str, int], str] = {}
        self._nodes: set[tuple[str, int]] = set()
        self._computed: dict[tuple[str, int], Registration] = {}

    def start_iteration(self, iteration: int) -> None:
        """Begins an iteration."""
        self._iteration = iteration
        self.in_iteration.clear()

    def add(self, reference: Reference, tensor: Tensor, traits: Traits, histogram_values: int = 0) -> Registration:
        """Registers a tensor as it is now, or another name of one that was registered before.

        Args:
            reference: The name.
            tensor: The tensor.
            traits: What is recorded of it.
            histogram_values: How many of its values, at most, a histogram is made of; 0: as before, and none for a new tensor.

        Returns:
            The tensor, with this name as its last one.

        Raises:
            MisuseError: The name, or the role within the node, is taken in this iteration; or the tensor has a name already, with other
                traits.
        """
        name, iteration = reference.name, reference.iteration
        if self._computed:
            self._make_room(reference)
        if (name, iteration) in self._by_name or (reference.node, reference.role, iteration) in self._names_by_place:
            raise self._taken(reference)
        value = self._tracer.value_to_register(tensor)
        before: Registration | None = None if value.number is None else self.all[value.number]
        if before is not None and before.may_become(traits):
            self._forget_name(before)
            registration = before
            registration.rename(reference, traits.type)
            registration.is_found = registration.is_computed = False
        elif before is None or (before.is_found and (before.traits != traits or not before.is_watched)):
            registration = Registration(len(self.all), value, traits, reference, histogram_values=histogram_values)
            self.all.append(registration)
            self._tracer.register(value, registration.number)
            if before is not None:
                # What the user says of a tensor counts.
                before.replaced_by = registration
                registration.histogram_values = before.histogram_values
                self.in_iteration.pop(before.number, None)
        else:
            registration = before
            _check_alias(registration, reference, traits)
            registration.others += (reference,)
        self._name(registration, reference)
        return registration

    def add_computed(self, base: str, tensor: Tensor, traits: Traits, histogram_values: int, *, is_watched: bool) -> Registration:
        """Registers a tensor, which is not registered yet, in the iteration in progress under the name of a function.

        Args:
            base: The name. If it is taken, a number is added.
            tensor: The tensor.
            traits: As for `add`.
            histogram_values: As for `add`.
            is_watched: Whether its gradient is recorded.
        """
        reference = self._free_reference(base)
        registration = self.add(reference, tensor, traits, histogram_values)
        registration.is_found = registration.is_computed = True
        registration.is_watched = is_watched
        self._computed[reference.node, reference.iteration] = registration
        return registration

    def _name(self, registration: Registration, reference: Reference) -> None:
        name, iteration = reference.name, reference.iteration
        self._by_name[name, iteration] = registration
        if iteration >= self._newest_iteration.get(name, INITIAL_ITERATION):
            self._newest_iteration[name] = iteration
        self._names_by_place[reference.node, reference.role, iteration] = name
        self._nodes.add((reference.node, iteration))
        if iteration == self._iteration:
            self.in_iteration[registration.number] = registration

    def _forget_name(self, registration: Registration) -> None:
        """Makes the name of a tensor free that is named after a function."""
        first = registration.first
        self._by_name.pop((first.name, first.iteration), None)
        self._names_by_place.pop((first.node, first.role, first.iteration), None)
        self._nodes.discard((first.node, first.iteration))
        self._computed.pop((first.node, first.iteration), None)

    def _make_room(self, reference: Reference) -> None:
        """Gives another name to what is named after a function if the user wants that name, for a tensor or for a node."""
        for name in {reference.name, reference.node}:
            holder = self._computed.get((name, reference.iteration))
            if holder is not None:
                other = self._free_reference(name, holder.first.iteration)
                self._forget_name(holder)
                holder.rename(other, holder.traits.type)
                self._name(holder, other)
                self._computed[other.node, other.iteration] = holder

    def _free_reference(self, base: str, iteration: int | None = None) -> Reference:
        """A name that no tensor and no node has: the base itself, or with a number."""
        if iteration is None:
            iteration = self._iteration
        assert iteration is not None
        name, number = base, 1
        while (name, iteration) in self._by_name or not self._nodes.isdisjoint({(name, iteration), (name, INITIAL_ITERATION)}):
            number += 1
            name = f"{base} ({number})"
        return Reference(name, iteration, name, name)

    def add_state(self, reference: Reference, traits: Traits) -> Registration:
        """Registers the state of a module, of which only the values are recorded.

        Raises:
            MisuseError: The name is taken in this iteration.
        """
        if (reference.name, reference.iteration) in self._by_name:
            raise self._taken(reference)
        registration = Registration(len(self.all), TracedValue(), traits, reference, is_state=True)
        self.all.append(registration)
        self._by_name[reference.name, reference.iteration] = registration
        return registration

    def find(self, tensor: Tensor) -> Registration | None:
        """The registration of a tensor with the values that it has now."""
        number = self._tracer.value_to_register(tensor).number
        return None if number is None else self.all[number]

    def depends_on_registered(self, tensor: Tensor) -> bool:
        """Whether anything that is registered went into what a tensor holds now."""
        value = self._tracer.value_of(tensor)
        return value.number is not None or bool(self._tracer.direct_dependencies(value, "computed"))

    def value_of(self, tensor: Tensor) -> TracedValue:
        """What a tensor holds now, as a place in the graph. It has a number as soon as the tensor is registered."""
        value: TracedValue = self._tracer.value_to_register(tensor)
        return value

    def record_of(self, value: TracedValue) -> Registration | None:
        """The registration with the numbers of a value; None if there are none."""
        if value.number is None:
            return None
        registration = self.all[value.number]
        registration = registration.replaced_by or registration
        return None if registration.entry is None else registration

    def find_name(self, name: str, iteration: int) -> Registration | None:
        """What was registered under a name in an iteration, by the user or since a watched module met it."""
        registration = self._by_name.get((name, iteration))
        return None if registration is None else registration.replaced_by or registration

    def names_in(self, iteration: int) -> list[str]:
        """All names of an iteration."""
        return [name for name, of_iteration in self._by_name if of_iteration == iteration]

    def has(self, subject: Connectable) -> bool:
        """Whether a name is that of a registered tensor. A tensor itself needs none, and what is neither is for `connect` to refuse."""
        return not isinstance(subject, str | TensorReference) or self._key_of(subject) in self._by_name

    def connect(self, source: Connectable, sink: Connectable) -> None:
        """Adds a dependency of the sink by hand.

        Raises:
            MisuseError: One of the two is not known, or they are the same tensor.
        """
        source_value, sink_value = self._find("src", source), self._find("sink", sink)
        if source_value is sink_value:
            raise MisuseError(
                f"add_tensor_connection: src and sink are the same tensor, {self._label(source_value, source)}. Connect two different ones."
            )
        with self._gap_keeper.guard("connection", "a connection could not be added", step=self._step, iteration=self._iteration):
            self._tracer.connect(source_value, sink_value)

    def build_structure(self, iteration: int, in_iteration: list[Registration]) -> Structure | None:
        """Builds the dependency graph of an iteration; None if that fails, which is a gap.

        Args:
            iteration: Its number.
            in_iteration: The tensors that have a name in it.

        Raises:
            MisuseError: The nodes or the connections contradict each other.
        """
        with self._gap_keeper.guard("graph", "the dependency graph could not be built", step=self._step, iteration=iteration):
            return build_structure(iteration, in_iteration, self.all, self._direct_dependencies, self._known_structures)
        return None

    def clear(self) -> None:
        """Lets go of everything."""
        self.all.clear()
        self.in_iteration.clear()
        self._by_name.clear()
        self._computed.clear()

    def _direct_dependencies(self, registration: Registration) -> list[Dependency]:
        return self._tracer.direct_dependencies(registration.traced, registration.last.name)

    def _key_of(self, subject: str | TensorReference) -> tuple[str, int]:
        if isinstance(subject, TensorReference):
            return subject.tensor_name, subject.iteration
        return subject, self._newest_iteration.get(subject, INITIAL_ITERATION)

    def _find(self, argument: str, subject: Connectable) -> TracedValue:
        if isinstance(subject, Tensor):
            value: TracedValue = self._tracer.value_of(subject)
            return value
        if not isinstance(subject, str | TensorReference):
            raise MisuseError(
                f"add_tensor_connection: {argument} is a {type(subject).__name__}. Give a tensor, the name of a registered "
                "tensor, or a TensorReference."
            )
        registration = self._by_name.get(self._key_of(subject))
        if registration is None:
            raise MisuseError(
                f"add_tensor_connection: there is no registered tensor {subject!r} for {argument} in step {self._step}. "
                "Register it first, or give the tensor itself."
            )
        return registration.traced

    def _label(self, value: TracedValue, subject: Connectable) -> str:
        if value.number is not None:
            return repr(self.all[value.number].last.name)
        return f"a tensor of the shape {list(subject.shape)} that is not registered" if isinstance(subject, Tensor) else repr(subject)

    def _taken(self, reference: Reference) -> MisuseError:
        if (reference.name, reference.iteration) in self._by_name:
            when = "before the first iteration" if reference.iteration == INITIAL_ITERATION else f"in iteration {reference.iteration}"
            return MisuseError(
                f"register_tensor: the name {reference.name!r} was given twice {when} of step {self._step}. "
                "Give every tensor of an iteration a name of its own; a module that runs several times needs a counter in its names."
            )
        other = self._names_by_place[reference.node, reference.role, reference.iteration]
        return MisuseError(
            f"register_tensor: the tensor {reference.name!r} has the role {reference.role!r} in the node {reference.node!r}, "
            f"and so has {other!r} in the same iteration. Give one of them another role_within_node."
        )


def _check_alias(registration: Registration, reference: Reference, traits: Traits) -> None:
    first = registration.first
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
