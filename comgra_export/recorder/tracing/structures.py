"""From registered tensors and their dependencies to the graph of one iteration."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence

from comgra_export.errors import MisuseError
from comgra_export.recorder.tracing.registrations import INITIAL_ITERATION, Registration, shown_tensor
from comgra_export.recorder.tracing.search import Dependencies
from comgra_export.storage.model.layout import NotKnown, ShownTensor, Structure

__all__ = ["build_structure", "unused_input"]

OLD_SUFFIX = "*old"

_Edges = Sequence[tuple[int, int]]


def build_structure(
    iteration: int,
    in_iteration: Sequence[Registration],
    registrations: Sequence[Registration],
    direct_dependencies: Callable[[Registration], Dependencies],
    structures: dict[int, Structure],
) -> Structure:
    """Builds the dependency graph of an iteration.

    Shown are the tensors that were registered in it, and what they depend on directly: parameters, and tensors registered earlier, at which
    the search stops. A tensor with several names in this iteration is a chain: what it depends on leads to the first name, what depends on
    it comes from the last.

    `direct_dependencies` finds the registered tensors that a tensor depends on directly. If it does not know all of them, the first name of
    the tensor says why, unless the tensor is one at which a graph begins: an input, a target, a parameter, an initial value. The graph is
    added to `structures`, those of earlier steps by iteration.

    Raises:
        MisuseError: A node holds tensors of different types, a role twice, or tensors that depend on each other; or connections form a
            loop.
    """
    dependencies: list[tuple[int, int, bool]] = []
    not_known: dict[int, NotKnown] = {}
    for registration in in_iteration:
        known, reason = direct_dependencies(registration)
        dependencies += [(source, registration.number, carries) for source, carries in known]
        may_begin = registration.traits.type not in ("calculated", "loss") or registration.first.iteration == INITIAL_ITERATION
        if reason is not None and not may_begin:
            not_known[registration.number] = reason
    here = {registration.number for registration in in_iteration}
    rows: list[ShownTensor] = []
    firsts: dict[int, int] = {}
    lasts: dict[int, int] = {}
    edges: list[tuple[int, int]] = []
    for number in sorted(here.union(source for source, _, _ in dependencies)):
        registration, first = registrations[number], len(rows)
        if number in here:
            here_as = [reference for reference in registration.references if reference.iteration == iteration]
            rows += [_shown(registration, reference.name, reference.node, reference.role) for reference in here_as]
        else:
            rows.append(_shown_as_earlier(registration, iteration))
        firsts[number], lasts[number] = first, len(rows) - 1
        edges += [(row, row + 1) for row in range(first, len(rows) - 1)]
    without_gradient: set[tuple[int, int]] = set()
    for source, sink, carries_gradient in dependencies:
        edges.append((lasts[source], firsts[sink]))
        if not carries_gradient:
            without_gradient.add(edges[-1])
    edges.sort()
    structure = Structure(
        tuple(rows),
        tuple(edges),
        tuple(position for position, edge in enumerate(edges) if edge in without_gradient),
        tuple(sorted((firsts[number], reason) for number, reason in not_known.items())),
    )
    before = structures.get(iteration)
    if before == structure:
        return before
    _check_nodes(rows)
    _check_for_loops(rows, edges)
    structures[iteration] = structure
    return structure


def unused_input(structures: Sequence[Structure], registrations: Sequence[Registration]) -> str | None:
    """The name of the first input of the user that nothing took which was seen, neither a function nor a connection made by hand.

    An argument of a watched module is no mistake if nothing takes it.

    Returns:
        The name; None if there is none, or nothing but inputs was registered.
    """
    inputs = (registration for registration in registrations if registration.traits.type == "input")
    unused = [registration for registration in inputs if not registration.is_found and not registration.traced.is_used]
    if not unused or not any(registration.traits.type in ("calculated", "loss") for registration in registrations):
        return None
    sources = {structure.tensors[source].name for structure in structures for source, _ in structure.dependencies}
    for registration in unused:
        if sources.isdisjoint(reference.name for reference in registration.references):
            return registration.first.name
    return None


def _shown_as_earlier(registration: Registration, iteration: int) -> ShownTensor:
    """A tensor of an earlier iteration is shown under the newest name that it had then, except for parameters."""
    first = registration.first
    if registration.traits.type == "parameter":
        return _shown(registration, first.name, first.node, first.role)
    newest = next((reference for reference in reversed(registration.references) if reference.iteration < iteration), first)
    origin = "__from_initialization" if newest.iteration == -1 else f"__from_iteration_{newest.iteration}"
    return _shown(registration, newest.name, newest.node + OLD_SUFFIX, newest.role + origin)


def _shown(registration: Registration, name: str, node: str, role: str) -> ShownTensor:
    record = registration.first
    return shown_tensor(name, node, role, registration.traits.type, record.name, record.iteration)


def _check_nodes(rows: Sequence[ShownTensor]) -> None:
    first_of_node: dict[str, ShownTensor] = {}
    roles: dict[tuple[str, str], ShownTensor] = {}
    for row in rows:
        first = first_of_node.setdefault(row.node, row)
        if first.type != row.type:
            raise MisuseError(
                f"finish_iteration: the node {row.node!r} holds the tensors {first.name!r} of the type {first.type} and "
                f"{row.name!r} of the type {row.type}. "
                "Give tensors of different types different values of node_name."
            )
        if (row.node, row.role) in roles:
            raise MisuseError(
                f"finish_iteration: the tensors {roles[row.node, row.role].name!r} and {row.name!r} both have the role "
                f"{row.role!r} in the node {row.node!r}. "
                "Give one of them another role_within_node."
            )
        roles[row.node, row.role] = row


def _check_for_loops(rows: Sequence[ShownTensor], edges: _Edges) -> None:
    """Nodes, not only tensors, must have an order: a graph of columns cannot be drawn otherwise."""
    node_edges = {(rows[source].node, rows[sink].node) for source, sink in edges}
    waiting: dict[str, int] = defaultdict(int)
    dependents: dict[str, list[str]] = defaultdict(list)
    for source_node, sink_node in node_edges:
        waiting[sink_node] += 1
        dependents[source_node].append(sink_node)
    nodes = {row.node for row in rows}
    ready = deque(node for node in nodes if not waiting[node])
    placed: set[str] = set()
    while ready:
        node = ready.popleft()
        placed.add(node)
        for dependent in dependents[node]:
            waiting[dependent] -= 1
            if not waiting[dependent]:
                ready.append(dependent)
    if len(placed) < len(nodes):
        raise MisuseError(_describe_loop(rows, edges, {node for node in nodes if node not in placed}))


def _describe_loop(rows: Sequence[ShownTensor], edges: _Edges, stuck: set[str]) -> str:
    """Finds a chain of tensors that leads from a node back to it, to name it."""
    dependents: dict[int, list[int]] = defaultdict(list)
    for source, sink in edges:
        if rows[source].node in stuck and rows[sink].node in stuck:
            dependents[source].append(sink)
    for start in range(len(rows)):
        chain = _chain_back_to_node(rows, dependents, start)
        if chain is None:
            continue
        names = [rows[row].name for row in chain]
        if chain[0] == chain[-1]:
            return (
                f"finish_iteration: tensors depend on each other in a loop: {names}. "
                "Remove the call of add_tensor_connection that leads back to an earlier tensor."
            )
        return (
            f"finish_iteration: the node {rows[start].node!r} was assigned to two places of the graph, since its tensors "
            "depend on each other. "
            f"This is the chain, from the first to the last: {names}. Give one of the two another node_name."
        )
    return (
        f"finish_iteration: the nodes {sorted(stuck)} depend on each other in a loop, so that there is no order in which to draw them. "
        "Give some of their tensors another node_name."
    )


def _chain_back_to_node(rows: Sequence[ShownTensor], dependents: dict[int, list[int]], start: int) -> list[int] | None:
    came_from: dict[int, int] = {}
    queue = deque([start])
    while queue:
        row = queue.popleft()
        for dependent in dependents.get(row, ()):
            if rows[dependent].node == rows[start].node:
                chain = [dependent, row]
                while chain[-1] != start:
                    chain.append(came_from[chain[-1]])
                return chain[::-1]
            if dependent not in came_from:
                came_from[dependent] = row
                queue.append(dependent)
    return None
