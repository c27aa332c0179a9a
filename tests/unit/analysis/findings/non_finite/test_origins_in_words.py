"""The call of a function that made the first value that is not finite, in words."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from comgra_export.analysis.findings.rules.non_finite.origins import describe_origin
from comgra_export.storage import NonFiniteOrigin, OriginOperand

LOG = "It begins with log of 0 within `model.head`"


def _describe(origin: NonFiniteOrigin) -> str:
    recording = SimpleNamespace(sentinel_points=[SimpleNamespace(step=3, origin=origin)])
    run = SimpleNamespace(recording=recording, steps=[SimpleNamespace(step=3, batch_size=8)])
    return describe_origin(run, 3)  # type: ignore[arg-type]


def _origin(**others: object) -> NonFiniteOrigin:
    given = {"function": "log", "module": "model.head", "shape": (8, 2), "element": (5, 1), "value": float("-inf")}
    return NonFiniteOrigin(**{**given, "operands": (OriginOperand(0.0, 2.0, 0.0),), **others})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ({}, f"{LOG}, in sample 5, at element [1]. The operand has values from 0 to 2."),
        (
            {"shape": (4,), "element": (1,)},
            f"{LOG}, at element [1]. The operand has values from 0 to 2.",
        ),
        ({"shape": (), "element": ()}, f"{LOG}, a single value. The operand has values from 0 to 2."),
        ({"operands": (), "module": None}, "It begins with log of finite values, in sample 5, at element [1]."),
        (
            {"function": "div", "operands": (OriginOperand(1.0, 1.0, 1.0), OriginOperand(0.0, 4.0, 0.0))},
            "It begins with 1 divided by 0 within `model.head`, in sample 5, at element [1]. "
            "The operands have values from 1 to 1 and from 0 to 4.",
        ),
    ],
    ids=["sample", "no sample", "single value", "no operands", "two operands"],
)
def test_the_place_and_the_operands_are_named_as_far_as_they_are_there(others: dict[str, object], words: str) -> None:
    assert _describe(_origin(**others)) == words
