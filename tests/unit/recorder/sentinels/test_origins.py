"""The function that made the first value that is not finite, as sentinels find it."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from comgra_export.storage import NonFiniteOrigin, OriginOperand, open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of


def _origin(make_recorder: MakeRecorder, compute: Callable[[Tensor], Tensor], x: Tensor) -> NonFiniteOrigin | None:
    """What the check of a step says about it."""
    recorder = make_recorder(sentinels=True)
    layer = nn.Linear(x.shape[1], 3, bias=False)
    nn.init.ones_(layer.weight)
    recorder.track_module("layer", layer)
    with recorder.batch(0, len(x)), recorder.iteration():
        loss = compute(layer(x)).sum()
        recorder.register_tensor("loss", loss, is_loss=True)
        loss.backward()
        recorder.record_current_gradients("gradients")
    (point,) = open_recording(folder_of(recorder)).sentinel_points
    return point.origin


X = torch.tensor([[1.0, 1.0], [1.0, -1.0]])
"""What the layer returns is 2 in the first row, and 0 in the second."""


@pytest.mark.parametrize(
    ("function", "name", "operands"),
    [
        (torch.log, "log", (OriginOperand(0, 2, 0),)),
        (lambda h: h / h, "div", (OriginOperand(0, 2, 0),) * 2),
        (lambda h: 1 / h, "reciprocal", (OriginOperand(0, 2, 0),)),
        (lambda h: 3.0 - (h - 1).sqrt(), "sqrt", (OriginOperand(-1, 1, -1),)),
    ],
    ids=["log", "div", "of a number", "among others"],
)
def test_the_first_element_and_its_operands_are_found(
    make_recorder: MakeRecorder, function: Callable[[Tensor], Tensor], name: str, operands: tuple[OriginOperand, ...]
) -> None:
    origin = _origin(make_recorder, function, X)
    assert origin is not None
    assert (origin.function, origin.shape, origin.element, origin.operands) == (name, (2, 3), (1, 0), operands)
    assert not math.isfinite(origin.value)


def test_a_derivative_that_does_not_exist_is_found_if_only_gradients_are_not_finite(make_recorder: MakeRecorder) -> None:
    origin = _origin(make_recorder, torch.sqrt, X)
    assert origin is not None
    assert (origin.function, origin.element, origin.value) == ("sqrt", (1, 0), 0)


def test_an_infinity_that_is_meant_does_not_count_beside_a_nan(make_recorder: MakeRecorder) -> None:
    def masked(h: Tensor) -> Tensor:
        weights = torch.softmax(h + torch.log((h > 0).float())[:1], dim=1)
        return weights * (h - 1).sqrt()

    origin = _origin(make_recorder, masked, X)
    assert origin is not None
    assert origin.function == "sqrt"


def test_what_was_overwritten_meanwhile_is_not_trusted(make_recorder: MakeRecorder) -> None:
    def overwritten(h: Tensor) -> Tensor:
        with torch.no_grad():
            result = torch.log(h)
            result[0] = math.nan
        return h * result

    assert _origin(make_recorder, overwritten, X) is None


def test_finite_steps_have_none(make_recorder: MakeRecorder) -> None:
    assert _origin(make_recorder, torch.exp, X) is None
