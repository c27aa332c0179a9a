"""Names of the inputs and outputs of a call."""

from __future__ import annotations

import sys
from collections import OrderedDict, UserDict, namedtuple
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from comgra_export.recorder.modules.ports import argument_ports, batch_size_of, parameters_of, result_ports, role_of_input

T = torch.zeros(2, 3)


@dataclass
class Output:
    logits: Tensor
    cache: object = None


class ModelOutput(OrderedDict[str, Any]):
    """Reading it by its own methods is noticed."""

    def items(self) -> Any:  # noqa: ANN401
        raise AssertionError

    __iter__ = __getitem__ = keys = values = items  # type: ignore[assignment]


Pair = namedtuple("Pair", ["left", "right"])


class Lazy:
    def __repr__(self) -> str:
        raise AssertionError


def shown(ports: list[Any]) -> dict[str, str]:
    """Texts by path, `T` for a tensor."""
    assert len({port.path for port in ports}) == len(ports)
    assert all((port.tensor is None) != (port.text is None) for port in ports)
    return {port.path: "T" if port.tensor is not None else port.text for port in ports}


RESULTS: list[tuple[object, dict[str, str]]] = [
    (T, {"output": "T"}),
    (None, {"output": "None"}),
    ((T, None), {"output[0]": "T", "output[1]": "None"}),
    ([T, [T, 3]], {"output[0]": "T", "output[1][0]": "T", "output[1][1]": "3"}),
    ({"a": T, "b c": T, 4: T, "d": 1.5}, {"output.a": "T", "output[#1]": "T", "output[4]": "T", "output.d": "1.5"}),
    (UserDict({"ids": T}), {"output.ids": "T"}),
    (ModelOutput({"logits": T}), {"output.logits": "T"}),
    (Output(T), {"output.logits": "T", "output.cache": "None"}),
    (Pair(T, "x"), {"output.left": "T", "output.right": "'x'"}),
    (torch.return_types.max((T, T)), {"output[0]": "T", "output[1]": "T"}),
    ((1, 2, 3), {"output": "(1, 2, 3)"}),
    ([], {"output": "[]"}),
    (torch.Size([2, 3]), {"output": "(2, 3)"}),
    ({"a": 1}, {"output": "dict"}),
    (Lazy(), {"output": "Lazy"}),
    ((Lazy(), T), {"output[0]": "Lazy", "output[1]": "T"}),
    (torch.float32, {"output": "torch.float32"}),
    (10**5000, {"output": "int"}),
    ("x" * 10**6, {"output": "'" + "x" * 58 + "…"}),
    (list(range(10**5)), {"output": "list"}),
]


@pytest.mark.parametrize(("result", "expected"), RESULTS, ids=map(str, range(len(RESULTS))))
def test_results_are_looked_through(result: object, expected: dict[str, str]) -> None:
    assert shown(result_ports(result)) == expected


def test_what_contains_itself_or_is_too_deep_or_too_large_has_an_end() -> None:
    circle: list[Any] = [T]
    circle += [circle] * 20
    assert shown(result_ports(circle))["output[0]"] == "T"
    assert len(result_ports(circle)) <= 2000
    deep: Any = T
    for _ in range(sys.getrecursionlimit() * 2):
        deep = [deep]
    assert shown(result_ports(deep)) == {"output": "[…]"}
    assert shown(result_ports([T] * 1001)) == {"output": "list"}
    assert len(result_ports([T] * 1000)) == 1000


class Named(nn.Module):
    def forward(self, x: Any, mask: Any = None, *rest: Any, scale: Any = 1, **more: Any) -> None: ...  # noqa: ANN401


class Hidden(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        vars(self)["forward"] = max


def test_arguments_have_the_names_of_the_signature() -> None:
    parameters = parameters_of(Named())
    assert shown(argument_ports(parameters, (T, None, T, 4), {"scale": 2, "bias": {"b": T}, "no name": T})) == {
        "x": "T", "mask": "None", "rest[0]": "T", "rest[1]": "4", "scale": "2", "bias.b": "T", "kwargs[#2]": "T",
    }  # fmt: skip
    assert shown(argument_ports(parameters_of(Hidden()), (T, 2), {})) == {"args[0]": "T", "args[1]": "2"}
    assert shown(argument_ports(parameters_of(nn.Linear(1, 1)), ([T, T],), {})) == {"input[0]": "T", "input[1]": "T"}


@pytest.mark.parametrize(("module", "limit"), [(Named(), None), (Hidden(), None), (nn.Linear(1, 1), 1), (nn.Bilinear(1, 1, 1), 2)])
def test_it_is_known_when_no_argument_can_be_given_by_name(module: nn.Module, limit: int | None) -> None:
    assert parameters_of(module).may_be_named == limit


def test_roles_do_not_say_input_twice() -> None:
    paths = ["x", "input", "input[0]", "input.a", "input_ids", "inputs"]
    assert list(map(role_of_input, paths)) == ["input x", "input", "input[0]", "input.a", "input input_ids", "input inputs"]


def test_the_batch_is_the_first_dimension_of_the_first_tensor_that_has_one() -> None:
    assert batch_size_of((torch.tensor(1.0), [3, {"x": torch.zeros(7, 2)}], torch.zeros(5)), {}) == 7
    assert batch_size_of((None,), {"pixels": torch.zeros(4)}) == 4
    assert batch_size_of((), {"n": 3}) == 1
