"""The tensors that were registered in a step: their names, and how they depend on each other."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.tracing.names import Names
from comgra_export.recorder.tracing.registrations import (
    Reference,
    Registration,
    TensorReference,
    Traits,
    difference_between,
)
from comgra_export.recorder.tracing.search import Dependencies, TracedValue, Tracer
from comgra_export.recorder.tracing.structures import build_structure
from comgra_export.storage.model.layout import Structure
from comgra_export.storage.text.steps import step_in_words

__all__ = ["Connectable", "RegisteredTensors"]

Connectable = Tensor | str | TensorReference
"""A tensor, the name of a registered one (that of its newest iteration), or its name and iteration."""


class RegisteredTensors:
    """The tensors of one step, by number and by name.

    Attributes:
        all: Every tensor that was registered so far, by number.
        in_iteration: Those that have a name in the iteration in progress, or the last one, by number.
    """

    def __init__(self, tracer: Tracer[Any], step: float, gap_keeper: GapKeeper, known_structures: dict[int, Structure]) -> None:
        self.all: list[Registration] = []
        self.in_iteration: dict[int, Registration] = {}
        self._tracer = tracer
        self._step = step
        self._gap_keeper = gap_keeper
        self._known_structures = known_structures
        self._iteration: int | None = None
        self._names = Names()
        self._at_ports: dict[tuple[str, int], Registration] = {}

    def start_iteration(self, iteration: int) -> None:
        """Begins an iteration."""
        self._iteration = iteration
        self.in_iteration.clear()

    def add(self, reference: Reference, tensor: Tensor, traits: Traits, histogram_values: int = 0) -> Registration:
        """Registers a tensor as it is now, or another name of one that was registered before, and returns it with this name as its last.

        A histogram is made of `histogram_values` of its values at most; 0: as before, and none for a new tensor.

        Raises:
            MisuseError: The name, or the role within the node, is taken in this iteration; or the tensor has a name already, with other
                traits.
        """
        self._names.claim(reference, self._step)
        value = self._tracer.value_to_register(tensor)
        before: Registration | None = None if value.number is None else self.all[value.number]
        if before is not None and before.may_become(traits):
            self._names.take_back(before)
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
        self._names.give(registration, reference)
        if reference.iteration == self._iteration:
            self.in_iteration[registration.number] = registration
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
        assert self._iteration is not None
        registration = self.add(self._names.free_reference(base, self._iteration), tensor, traits, histogram_values)
        registration.is_found = registration.is_computed = True
        registration.is_watched = is_watched
        self._names.note_computed(registration)
        return registration

    def add_state(self, reference: Reference, traits: Traits) -> Registration:
        """Registers the state of a module, of which only the values are recorded.

        Raises:
            MisuseError: The name is taken in this iteration.
        """
        registration = Registration(len(self.all), TracedValue(), traits, reference, is_state=True)
        self._names.give_to_state(registration, self._step)
        self.all.append(registration)
        return registration

    def find(self, tensor: Tensor) -> Registration | None:
        """The registration of a tensor with the values that it has now."""
        number = self._tracer.value_to_register(tensor).number
        return None if number is None else self.all[number]

    def depends_on_registered(self, tensor: Tensor) -> bool:
        """Whether anything that is registered went into what a tensor holds now."""
        value = self._tracer.value_of(tensor)
        return value.number is not None or bool(self._tracer.direct_dependencies(value, "computed").known)

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

    def note_port(self, name: str, registration: Registration) -> None:
        """Notes that a tensor would have had this name in the iteration in progress if it had none, since a watched module met it again."""
        assert self._iteration is not None
        self._at_ports[name, self._iteration] = registration

    def find_name(self, name: str, iteration: int) -> Registration | None:
        """What was registered under a name in an iteration, by the user or since a watched module met it."""
        registration = self._names.find(name, iteration) or self._at_ports.get((name, iteration))
        return None if registration is None else registration.replaced_by or registration

    def names_in(self, iteration: int) -> list[str]:
        """All names of an iteration."""
        return self._names.names_in(iteration)

    def has(self, subject: Connectable) -> bool:
        """Whether a name is that of a registered tensor. A tensor itself needs none, and what is neither is for `connect` to refuse."""
        return not isinstance(subject, str | TensorReference) or self._key_of(subject) in self._names

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
        self._at_ports.clear()
        self._names.clear()

    def _direct_dependencies(self, registration: Registration) -> Dependencies:
        return self._tracer.direct_dependencies(registration.traced, registration.last.name)

    def _key_of(self, subject: str | TensorReference) -> tuple[str, int]:
        if isinstance(subject, TensorReference):
            return subject.tensor_name, subject.iteration
        return self._names.key_of(subject)

    def _find(self, argument: str, subject: Connectable) -> TracedValue:
        if isinstance(subject, Tensor):
            value: TracedValue = self._tracer.value_of(subject)
            return value
        if not isinstance(subject, str | TensorReference):
            raise MisuseError(
                f"add_tensor_connection: {argument} is a {type(subject).__name__}. Give a tensor, the name of a registered "
                "tensor, or a TensorReference."
            )
        registration = self._names.find(*self._key_of(subject))
        if registration is None:
            raise MisuseError(
                f"add_tensor_connection: there is no registered tensor {subject!r} for {argument} in {step_in_words(self._step)}. "
                "Register it first, or give the tensor itself."
            )
        return registration.traced

    def _label(self, value: TracedValue, subject: Connectable) -> str:
        if value.number is not None:
            return repr(self.all[value.number].last.name)
        return f"a tensor of the shape {list(subject.shape)} that is not registered" if isinstance(subject, Tensor) else repr(subject)


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
