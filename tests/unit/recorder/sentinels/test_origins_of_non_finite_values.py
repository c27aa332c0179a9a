"""The function that made the first value that is not finite, as sentinels find it."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from comgra_export import DecisionMakerForRecordingsHardcoded
from comgra_export.recorder.sentinels.origins import FunctionOrigins
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


def test_memory_that_was_freed_meanwhile_is_not_read(make_recorder: MakeRecorder) -> None:
    def freed(h: Tensor) -> Tensor:
        with torch.no_grad():
            scale = torch.zeros(1_000_000)
            scale.log()
            # As when a sharded parameter is gathered for a call.
            scale.untyped_storage().resize_(0)
        return h / h.relu()

    origin = _origin(make_recorder, freed, X)
    assert origin is not None
    assert origin.function == "div"


def _complex(h: Tensor) -> Tensor:
    result: Tensor = torch.linalg.vector_norm(torch.complex(h, h).detach()) + h
    return result


def _sparse(h: Tensor) -> Tensor:
    return h + h.detach().to_sparse().sqrt().to_dense()


def _within_vmap(h: Tensor) -> Tensor:
    result: Tensor = h + torch.vmap(lambda row: row.exp())(h.detach())
    return result


@pytest.mark.parametrize("function", [_complex, _sparse, _within_vmap])
def test_values_that_cannot_be_read_do_not_keep_others_from_being_judged(
    make_recorder: MakeRecorder, function: Callable[[Tensor], Tensor]
) -> None:
    origin = _origin(make_recorder, lambda h: (function(h) * 0 - 1).sqrt(), X)
    assert origin is not None
    assert origin.function == "sqrt"


def test_trouble_with_an_origin_does_not_keep_a_step_from_being_recorded(
    make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(FunctionOrigins, "find", fail)
    recorder = make_recorder(sentinels=True, decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded([0]))
    for step in range(2):
        with recorder.batch(step, 2), recorder.iteration():
            recorder.register_tensor("x", X.log() if step else X)
    recorder.flush()
    assert open_recording(folder_of(recorder)).step(1).triggered == "'x' holds a NaN for the first time"


def test_a_view_counts_with_all_that_it_keeps_alive() -> None:
    origins = FunctionOrigins()
    function = SimpleNamespace(name="log")
    kept = []
    for _ in range(3):
        # 40 MB each.
        values = torch.zeros(10_000_000)
        kept.append(weakref.ref(values.untyped_storage()))
        row = values[:2]
        origins.after_function(function, torch.log, (row,), {}, row.log())
        del values, row
    assert [reference() is not None for reference in kept] == [True, False, False]
    values = torch.zeros(10_000_000)
    origins.clear()
    for row in values.view(10, -1):
        origins.after_function(function, torch.log, (row[:2],), {}, row[:2].log())
    origin = origins.find(in_gradients=False)
    assert origin is not None


def test_a_step_that_is_dropped_keeps_nothing(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(sentinels=True)
    recorder.start_batch(0, 2)
    recorder.start_iteration()
    values = torch.ones(2, 3)
    values.log()
    kept = weakref.ref(values.untyped_storage())
    del values
    assert kept() is not None
    recorder.abandon_batch()
    assert kept() is None
