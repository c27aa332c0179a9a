"""The number of samples that the script gives, and the contents of data objects that modules are called with."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from comgra_export import MisuseError
from comgra_export.storage import open_recording
from support.recorder.automatic_steps import Watch
from support.recorder.reading import read_calls


class Graph:
    """A batch as PyTorch Geometric makes them: what the user sees as attributes is in a dictionary of its own."""

    def __init__(self, x: Tensor, count: int) -> None:
        self._store = Store({"x": x})
        self.count = count
        self._cache = {"x": torch.zeros(99)}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return self.__dict__["_store"]._mapping[name]

    def to(self, *_: object) -> Graph:
        return self


class Store:
    def __init__(self, mapping: dict[str, Tensor]) -> None:
        self._mapping = mapping

    def to(self, *_: object) -> Store:
        return self


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(3, 1)

    def forward(self, graph: Graph) -> Tensor:
        return self.head(graph.x)  # type: ignore[no-any-return]


def sizes(watch: Watch, **arguments: Any) -> tuple[int, list[str]]:  # noqa: ANN401
    """The batch size of a step, and the reasons of gaps."""
    net = Network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with watch(net, strict=False, **arguments) as recorder:
        net(Graph(torch.randn(12, 3), 4)).square().mean().backward()
        optimizer.step()
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    assert read_calls(recorder)[0].inputs == {"graph.x": "model: input graph.x", "graph.count": "4"}
    return recording.step(0).batch_size, [gap.reason for gap in recording.gaps]


@pytest.mark.parametrize(("given", "expected"), [(None, 12), (6, 6), (lambda graph: graph.count, 4)])
def test_the_size_is_as_given(watch: Watch, given: object, expected: int) -> None:
    assert sizes(watch, batch_size=given) == (expected, [])


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda graph: graph.missing, "the function batch_size failed (KeyError: 'missing')"),
        (lambda _: -1, "returned -1, which is no size"),
    ],
)
def test_a_function_that_fails_is_a_gap(watch: Watch, function: object, reason: str) -> None:
    with pytest.warns(match="The size of the first dimension of the first tensor is used"):
        size, (gap,) = sizes(watch, batch_size=function)
    assert size == 12
    assert reason in gap


@pytest.mark.parametrize("given", ["four", 0, True, 1.5])
def test_misuse(watch: Watch, given: object) -> None:
    with pytest.raises(MisuseError, match="Give the number of samples, or a function of the module's arguments"):
        watch(nn.Linear(3, 1), batch_size=given)
