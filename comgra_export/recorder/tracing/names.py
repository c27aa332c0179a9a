"""The names of the tensors of one step."""

from __future__ import annotations

from comgra_export.errors import MisuseError
from comgra_export.recorder.tracing.registrations import INITIAL_ITERATION, Reference, Registration
from comgra_export.storage.text.steps import step_in_words

__all__ = ["Names"]


class Names:
    """The names of the tensors of one step, in all of its iterations, and the nodes and roles that are in use.

    A name that a tensor has from a function gives way as soon as the user wants it for another tensor or for a node.
    """

    def __init__(self) -> None:
        self._by_name: dict[tuple[str, int], Registration] = {}
        self._newest_iteration: dict[str, int] = {}
        self._by_place: dict[tuple[str, str, int], str] = {}
        self._nodes: set[tuple[str, int]] = set()
        self._computed: dict[tuple[str, int], Registration] = {}

    def find(self, name: str, iteration: int) -> Registration | None:
        """The tensor that has a name in an iteration."""
        return self._by_name.get((name, iteration))

    def key_of(self, name: str) -> tuple[str, int]:
        """A name with the newest iteration in which a tensor has it."""
        return name, self._newest_iteration.get(name, INITIAL_ITERATION)

    def __contains__(self, key: tuple[str, int]) -> bool:
        return key in self._by_name

    def names_in(self, iteration: int) -> list[str]:
        """All names of an iteration."""
        return [name for name, of_iteration in self._by_name if of_iteration == iteration]

    def claim(self, reference: Reference, step: float) -> None:
        """Makes sure that a name, and the role within the node, can be given.

        Raises:
            MisuseError: One of the two is taken in this iteration.
        """
        if self._computed:
            for name in {reference.name, reference.node}:
                holder = self._computed.get((name, reference.iteration))
                if holder is not None:
                    self._rename(holder)
        if (reference.name, reference.iteration) in self._by_name:
            raise _taken(reference, step)
        other = self._by_place.get((reference.node, reference.role, reference.iteration))
        if other is not None:
            raise MisuseError(
                f"register_tensor: the tensor {reference.name!r} has the role {reference.role!r} in the node {reference.node!r}, "
                f"and so has {other!r} in the same iteration. Give one of them another role_within_node."
            )

    def give(self, registration: Registration, reference: Reference) -> None:
        """Gives a tensor a name that was claimed."""
        name, iteration = reference.name, reference.iteration
        self._by_name[name, iteration] = registration
        if iteration >= self._newest_iteration.get(name, INITIAL_ITERATION):
            self._newest_iteration[name] = iteration
        self._by_place[reference.node, reference.role, iteration] = name
        self._nodes.add((reference.node, iteration))

    def give_to_state(self, registration: Registration, step: float) -> None:
        """Gives the state of a module its name. It is in no graph, and so has no place in one.

        Raises:
            MisuseError: The name is taken in this iteration.
        """
        reference = registration.first
        if (reference.name, reference.iteration) in self._by_name:
            raise _taken(reference, step)
        self._by_name[reference.name, reference.iteration] = registration

    def note_computed(self, registration: Registration) -> None:
        """Notes that a tensor has its name from a function."""
        self._computed[registration.first.name, registration.first.iteration] = registration

    def take_back(self, registration: Registration) -> None:
        """Takes the name of a tensor that has it from a function."""
        first = registration.first
        del self._by_name[first.name, first.iteration]
        del self._by_place[first.node, first.role, first.iteration]
        self._nodes.discard((first.node, first.iteration))
        del self._computed[first.name, first.iteration]

    def free_reference(self, base: str, iteration: int) -> Reference:
        """A name that neither a tensor nor a node has: the base itself, or with a number."""
        name, number = base, 1
        while (name, iteration) in self._by_name or not self._nodes.isdisjoint({(name, iteration), (name, INITIAL_ITERATION)}):
            number += 1
            name = f"{base} ({number})"
        return Reference(name, iteration, name, name)

    def clear(self) -> None:
        """Lets go of the tensors."""
        self._by_name.clear()
        self._computed.clear()

    def _rename(self, holder: Registration) -> None:
        other = self.free_reference(holder.first.name, holder.first.iteration)
        self.take_back(holder)
        holder.rename(other, holder.traits.type)
        self.give(holder, other)
        self.note_computed(holder)


def _taken(reference: Reference, step: float) -> MisuseError:
    """Makes the error for a name that was given twice in an iteration."""
    when = "before the first iteration" if reference.iteration == INITIAL_ITERATION else f"in iteration {reference.iteration}"
    return MisuseError(
        f"register_tensor: the name {reference.name!r} was given twice {when} of {step_in_words(step)}. "
        "Give every tensor of an iteration a name of its own; a module that runs several times needs a counter in its names."
    )
