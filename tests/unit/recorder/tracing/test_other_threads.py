"""Networks with parts in other threads: these parts are not recorded, and the rest is recorded correctly."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
import torch
from torch import Tensor, nn
from torch.autograd.graph import Node

from comgra_export import ComgraRecorder
from comgra_export.recorder.tracing.other_threads import is_numbered_apart
from comgra_export.storage.model import Gap
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_calls, read_edges, read_gaps, read_records

T = TypeVar("T")


class Branches(nn.Module):
    """Two branches that read the same: `a` here or elsewhere, and either `b` or a product without a module elsewhere."""

    def __init__(self, is_a_elsewhere: bool, has_b: bool) -> None:
        super().__init__()
        self.stem, self.a, self.b = (nn.Linear(2, 2, bias=False) for _ in range(3))
        self.head = nn.Linear(2, 1, bias=False)
        for layer, weight in ((self.stem, torch.eye(2)), (self.a, torch.eye(2)), (self.b, 3 * torch.eye(2)), (self.head, torch.ones(1, 2))):
            layer.weight.data = weight
        self.is_a_elsewhere = is_a_elsewhere
        self.has_b = has_b

    def forward(self, x: Tensor) -> Tensor:
        h = self.stem(x)
        first = elsewhere(lambda: torch.relu(self.a(h))) if self.is_a_elsewhere else torch.relu(self.a(h))
        second = elsewhere(lambda: torch.relu(self.b(h)) if self.has_b else torch.relu(h * 3))
        return self.head(first + second)  # type: ignore[no-any-return]


def elsewhere(call: Callable[[], T]) -> T:
    """The result of a call in a new thread, in which autograd begins to count with 0."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(call).result()


def record(recorder: ComgraRecorder, net: Branches, is_fresh: bool) -> None:
    """Records a step, in a thread that has made no operation yet or in one that has made a few."""
    recorder.watch(net, "net")

    def step() -> None:
        x = torch.tensor([[1.0, 2.0]], requires_grad=True)
        with recorder.batch(0, 1), recorder.iteration():
            net(x).sum().backward()
            recorder.record_current_gradients("gradients")

    if is_fresh:
        elsewhere(step)
    else:
        x = torch.ones(1, requires_grad=True)
        for _ in range(50):
            x = x * 1
        step()


def gradients(recorder: ComgraRecorder) -> dict[str, list[float]]:
    """The smallest and the largest value of every gradient of a watched call."""
    return {name: kept.extrema for (group, name, _), kept in read_records(recorder).items() if group == "gradients" and ":" in name}


REST = {("net: input x", "net.stem: output"), ("net.stem.weight", "net.stem: output"), ("net.head: input", "net.head: output")}
REST |= {("net.head.weight", "net.head: output"), ("net.stem: output", "net.head: input"), ("net.head: output", "sum")}
A = {("net.stem: output", "net.a: output"), ("net.a.weight", "net.a: output"), ("net.a: output", "net.head: input")}


@pytest.mark.parametrize("is_fresh", [False, True])
@pytest.mark.parametrize(
    ("net", "called", "edges"),
    [
        (Branches(is_a_elsewhere=False, has_b=True), "net.b", A | {("net.b.weight", "net.head: input")}),
        (Branches(is_a_elsewhere=False, has_b=False), "", A),
        (
            Branches(is_a_elsewhere=True, has_b=True),
            "net.a, net.b",
            {("net.a.weight", "net.head: input"), ("net.b.weight", "net.head: input")},
        ),
    ],
    ids=["a module", "a function", "both branches"],
)
def test_what_runs_elsewhere_is_left_out_and_the_rest_is_right(
    make_recorder: MakeRecorder, net: Branches, called: str, edges: set[tuple[str, str]], is_fresh: bool
) -> None:
    recorder = make_recorder(strict=False)
    if called:
        with pytest.warns(match=f"calls in other threads than that of the step are left out, with what they compute: {called}"):
            record(recorder, net, is_fresh)
    else:
        record(recorder, net, is_fresh)
    assert read_edges(recorder) == REST | edges
    # By hand: the head hands back 1 to each branch, `a` hands on 1, the other one 3.
    expected = {"net: input x": [4.0, 4.0], "net.stem: output": [4.0, 4.0], "net.head: input": [1.0, 1.0], "net.head: output": [1.0, 1.0]}
    if not net.is_a_elsewhere:
        expected["net.a: output"] = [1.0, 1.0]
    assert gradients(recorder) == expected
    gaps = [gap for gap in read_gaps(recorder) if "other threads" in gap.reason]
    through_calls = Gap(
        "gradients through single calls are not known: parts of the network ran in other threads, whose operations are numbered apart", 0
    )
    calls = Gap(f"calls in other threads than that of the step are left out, with what they compute: {called}", 0, 0)
    assert gaps == [through_calls, *([calls] if called else [])]


def test_what_another_thread_evaluates_meanwhile_spoils_no_gradient(make_recorder: MakeRecorder) -> None:
    recorder, net = make_recorder(strict=False), Branches(is_a_elsewhere=False, has_b=True)
    recorder.watch(net, "net")
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)

    def evaluate() -> None:
        with torch.no_grad():
            net.head(x)

    def step() -> None:
        with recorder.batch(0, 1), recorder.iteration():
            elsewhere(evaluate)
            h = net.stem(x)
            (net.a(h) + net.b(h)).sum().backward()
            recorder.record_current_gradients("gradients")

    with pytest.warns(match="with what they compute: net.head"):
        step()
    assert [call.module for call in read_calls(recorder)] == ["net.stem", "net.a", "net.b"]
    extrema = gradients(recorder)
    assert extrema["net.a: gradient of input"] == [1.0, 1.0]
    assert extrema["net.b: gradient of input"] == [3.0, 3.0]


@pytest.mark.parametrize(
    "view",
    [
        torch.view_as_real,
        torch.conj,
        torch._neg_view,
        lambda values: values[0],
        lambda values: torch.view_as_complex(torch.view_as_real(values)),
    ],
    ids=["as real", "conjugate", "negative", "row", "as complex"],
)
def test_views_of_which_the_memory_was_changed_are_of_no_other_thread(recorder: ComgraRecorder, view: Callable[[Tensor], Tensor]) -> None:
    net = Branches(is_a_elsewhere=False, has_b=True)
    recorder.watch(net, "net")
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    with recorder.batch(0, 1), recorder.iteration():
        numbers = torch.complex(x, x)
        seen_as = view(numbers)
        numbers.mul_(2)
        h = net.stem(x * (seen_as * 1).abs().sum())
        (net.a(h) + net.b(h)).sum().backward()
        recorder.record_current_gradients("gradients")
    assert read_gaps(recorder) == []
    extrema = gradients(recorder)
    assert extrema["net.a: gradient of input"] == [1.0, 1.0]
    assert extrema["net.b: gradient of input"] == [3.0, 3.0]


def test_a_graph_from_before_the_step_is_looked_through_once(recorder: ComgraRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    def count(node: Node, before: Node) -> bool:
        looked_at.append(before)
        return is_numbered_apart(node, before)

    monkeypatch.setattr("comgra_export.recorder.tracing.other_threads.is_numbered_apart", count)
    memory = torch.ones(1, 2, requires_grad=True)
    for _ in range(50):
        memory = memory * 1
    states = [memory + number for number in range(20)]
    with recorder.batch(0, 1), recorder.iteration():
        for number, state in enumerate(states):
            recorder.register_tensor(f"state {number}", state * 2)
    # The product before each state, and once the 49 before that.
    assert len(looked_at) == 20 + 49
