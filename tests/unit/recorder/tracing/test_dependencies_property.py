"""The dependency graph of random networks, against a naive search in a model of them."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import torch
from hypothesis import given, reject
from hypothesis import strategies as st
from torch import Tensor

from comgra_export import ComgraRecorder
from support.breadth import examples
from support.recorder.doubling import double
from support.recorder.reading import read_edges, read_edges_without_gradient

B = 2
OPERATIONS = ("leaf", "unknown leaf", "add", "unary", "chunk", "cat", "in-place", "detach", "connect")


@dataclass(eq=False)
class Value:
    """A tensor of the model: which others it was computed from, and under which names it is registered."""

    tensor: Tensor
    parents: list[Value] = field(default_factory=list)
    names: list[tuple[str, int]] = field(default_factory=list)
    shares_memory: bool = False


def nearest_registered(value: Value) -> Iterator[Value]:
    """Every path back, one by one, up to the first registered tensor on it."""
    for parent in value.parents:
        if parent.names:
            yield parent
        else:
            yield from nearest_registered(parent)


def expected_edges(values: list[Value], iteration: int) -> set[tuple[str, str]]:
    edges: set[tuple[str, str]] = set()
    for value in values:
        current = [name for name, when in value.names if when == iteration]
        edges.update(pairwise(current))
        for source in nearest_registered(value) if current else ():
            inside = [name for name, when in source.names if when == iteration]
            before = source.names[-1]
            label = inside[-1] if inside else f"{before[0]}*old:{before[0]}__from_iteration_{before[1]}"
            edges.add((label, current[0]))
    return edges


def grow(recorder: ComgraRecorder, operation: str, first: Value, second: Value) -> list[Value]:
    """Applies an operation to both the tensors and the model, and returns what came out."""
    if operation == "leaf" or operation == "unknown leaf":
        return [Value(torch.randn(B, 2, requires_grad=operation == "unknown leaf"))]
    if operation == "add":
        return [Value(first.tensor + second.tensor, [first, second])]
    if operation == "unary":
        return [Value(torch.tanh(first.tensor), [first])]
    if operation == "chunk":
        first.shares_memory = True
        return [Value(part.expand(B, 2), [first], shares_memory=True) for part in first.tensor.chunk(2, dim=1)]
    if operation == "cat":
        return [Value(torch.cat([first.tensor[:, :1], second.tensor[:, 1:]], dim=1), [first, second])]
    if operation == "in-place":
        # An in-place operation would change the values of all tensors that share the memory.
        if first.tensor.is_leaf or first.shares_memory:
            return []
        # What was computed stays in the graph as what it was; the tensor itself goes on as another value.
        changed = Value(first.tensor.add_(1), [first])
        first.tensor = first.tensor.detach()
        return [changed]
    if operation == "detach":
        first.shares_memory = True
        return [Value(recorder.detach_while_keeping_connection(first.tensor), [first], shares_memory=True)]
    assert operation == "connect"
    fresh = Value(torch.zeros(B, 2), [first])
    recorder.add_tensor_connection(first.tensor, fresh.tensor)
    return [fresh]


Plan = list[list[tuple[str, int, int, bool, bool]]]
PLANS = st.lists(
    st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 30), st.integers(0, 30), st.booleans(), st.booleans()), max_size=12),
    min_size=1,
    max_size=3,
)


PROGRAMS = st.lists(
    st.tuples(st.sampled_from(["mul", "chunk", "cat", "index", "in-place", "detach", "double"]), *[st.integers(0, 20)] * 2, st.booleans()),
    max_size=14,
)


def record_program(program: list[tuple[str, int, int, bool]], graph: Literal["data_flow", "autograd"]) -> set[tuple[str, str]]:
    """Runs a program on tensors that require gradients, and returns the dependencies that carry some."""
    with tempfile.TemporaryDirectory() as folder, ComgraRecorder(folder, strict=True, graph=graph) as recorder:
        with recorder.batch(0, B), recorder.iteration():
            pool = [torch.randn(B, 2, requires_grad=True) for _ in range(2)]
            recorder.register_tensor("start", pool[0])
            for position, (operation, first, second, is_registered) in enumerate(program):
                a, b = pool[first % len(pool)], pool[second % len(pool)]
                if operation == "mul":
                    pool.append(a * b)
                elif operation == "chunk":
                    pool += [part.expand(B, 2) for part in a.chunk(2, dim=1)]
                elif operation == "cat":
                    pool.append(torch.cat([a[:, :1], b[:, 1:]], dim=1))
                elif operation == "index":
                    pool.append(a.gather(1, b.argsort(dim=1)))
                elif operation == "detach":
                    pool.append(a * b.detach())
                elif operation == "double":
                    pool.append(double(a))
                elif a.grad_fn is not None and a._base is None:
                    a.mul_(b.detach() if a is b else b)
                if is_registered:
                    assert pool[-1].is_leaf is not None
                    recorder.register_tensor(f"p{position}", pool[-1])
        recorder.flush()
        return read_edges(recorder) - read_edges_without_gradient(recorder)


@examples(60)
@given(PROGRAMS)
def test_both_tracers_agree_where_gradients_flow(program: list[tuple[str, int, int, bool]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = record_program(program, "data_flow"), record_program(program, "autograd")
        except RuntimeError as error:
            # PyTorch forbids to touch one of several views once their base was changed in place.
            if "multiple views" not in str(error):
                raise
            reject()
        assert found[0] == found[1]


@examples(60)
@given(PLANS)
def test_random_networks(plan: Plan) -> None:
    with tempfile.TemporaryDirectory() as folder, ComgraRecorder(folder, strict=True) as recorder:
        start = Value(torch.randn(B, 2, requires_grad=True))
        values, alive = [start], [start]
        with recorder.batch(0, B):
            for iteration, steps in enumerate(plan):
                with recorder.iteration():
                    for position, (operation, first, second, is_registered, again) in enumerate(steps):
                        chosen = alive[first % len(alive)]
                        made = grow(recorder, operation, chosen, alive[second % len(alive)])
                        if operation == "in-place" and made:
                            alive.remove(chosen)
                        # A leaf that does not require a gradient must be registered before it is used.
                        candidates = made if is_registered or operation == "leaf" else []
                        if again and alive:
                            candidates = [*candidates, alive[second % len(alive)]]
                        values += made
                        alive += made
                        for index, value in enumerate(candidates):
                            name = f"i{iteration} p{position} c{index}"
                            recorder.register_tensor(name, value.tensor)
                            value.names.append((name, iteration))
        for iteration in range(len(plan)):
            assert read_edges(recorder, iteration=iteration) == expected_edges_at(values, iteration)


def expected_edges_at(values: list[Value], iteration: int) -> set[tuple[str, str]]:
    """What was expected when an iteration ended: names given later did not exist yet."""
    kept = [value.names for value in values]
    for value in values:
        value.names = [(name, when) for name, when in value.names if when <= iteration]
    edges = expected_edges(values, iteration)
    for value, names in zip(values, kept, strict=True):
        value.names = names
    return edges
