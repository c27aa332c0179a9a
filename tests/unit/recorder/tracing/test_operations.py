"""Watching a script's function calls changes neither the functions nor the script's own modes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.tracing.data_flow import DataFlowTracer
from comgra_export.recorder.tracing.operations import OperationWatch
from comgra_export.recorder.tracing.other_threads import OtherThreads
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_edges, read_gaps

B = 4


class Listener:
    def __init__(self) -> None:
        self.seen: list[tuple[str, list[float]]] = []

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:
        self.seen.append((function, [float(tensor.detach().reshape(-1)[0]) for tensor in tensors]))

    def after_backward(self) -> None:
        self.seen.append(("backward", []))


@pytest.fixture
def listener() -> Iterator[Listener]:
    """A listener that notes its calls while the test runs."""
    listener, troubles = Listener(), list[Exception]()
    watch = OperationWatch(ModuleCalls(), DataFlowTracer(OtherThreads()), None, (listener,), troubles.append)
    watch.start()
    yield listener
    watch.stop()
    assert troubles == []
    assert torch._C._len_torch_function_stack() == 0


def test_listeners_are_notified_before_memory_is_overwritten(listener: Listener) -> None:
    ones, twos = torch.full((2,), 1.0), torch.full((2,), 2.0)
    ones.add_(1)
    ones *= 2
    twos[0] = 3.0
    torch.add(ones, 1, out=twos)
    nn.functional.relu(ones, inplace=True)
    torch._foreach_add_([ones, twos], 1.0)
    nn.init.zeros_(twos)
    torch.ops.aten.add_.Tensor(ones, twos)
    with torch.inference_mode():
        torch.full((1,), 7.0).neg_()
    assert listener.seen == [
        ("add_", [1]),
        ("mul_", [2]),
        ("__setitem__", [2]),
        ("add", [3]),
        ("relu", [4]),
        ("_foreach_add_", [4, 5]),
        ("zero_", [6]),
        ("add_", [5]),
        ("neg_", [7]),
    ]


def test_listeners_see_optimizers_running_statistics_and_backward_passes(listener: Listener) -> None:
    weight = nn.Parameter(torch.full((1,), 3.0))
    (weight * 2).sum().backward()
    torch.autograd.backward((weight * 2).sum())
    torch.optim.SGD([weight], 0.5).step()
    norm = nn.BatchNorm1d(1)
    listener.seen.clear()
    norm(torch.ones(2, 1))
    assert [name for name, _ in listener.seen] == ["add_", "batch_norm"]
    assert len(listener.seen[1][1]) == 2
    torch.optim.SGD([weight], 0.5).step()
    assert listener.seen[2] == ("step of an optimizer", [1])
    (weight * 2).sum().backward()
    assert listener.seen[3:] == [("backward", [])]


def test_what_an_optimizer_computes_is_not_traced_but_its_closure_is() -> None:
    tracer = DataFlowTracer(OtherThreads())
    watch = OperationWatch(ModuleCalls(), tracer, None, (), lambda _: None)
    weight = nn.Parameter(torch.ones(1))
    results: list[Tensor] = []

    def closure() -> Tensor:
        optimizer.zero_grad()
        results.append((weight * 2).sum())
        results[-1].backward()
        return results[-1]

    optimizer = torch.optim.LBFGS([weight], max_iter=1)
    watch.start()
    optimizer.step(closure)
    watch.stop()
    assert [tracer.value_of(result).operation for result in results] == ["sum"] * len(results)
    watch.stop()


def test_nothing_is_left_on_modules_and_optimizers(recorder: ComgraRecorder) -> None:
    def hooks(module: str) -> list[int]:
        attributes = vars(sys.modules[module]).items()
        return [len(value) for name, value in attributes if name.startswith("_global_") and isinstance(value, dict)]

    modules, optimizers = "torch.nn.modules.module", "torch.optim.optimizer"
    before = hooks(modules)
    assert len(before) > 4
    assert hooks(optimizers) == [0, 0]
    with recorder.batch(0, B), recorder.iteration():
        assert hooks(modules) != before
    assert hooks(modules) == before
    # Those of optimizers stay: another thread may be going through them.
    assert hooks(optimizers) == [1, 1]
    recorder.finalize()
    assert hooks(optimizers) == [0, 0]


class Counting(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ANN401
        self.calls += 1
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("order", ["around", "within", "from before", "until after"])
def test_function_modes_of_the_user_stay_their_own(recorder: ComgraRecorder, order: str) -> None:
    x, counting = torch.ones(B, 1), Counting()

    def step() -> None:
        recorder.register_tensor("x", x)
        recorder.register_tensor("y", x * 2)

    if order == "around":
        with counting, recorder.batch(0, B), recorder.iteration():
            step()
    else:
        context = ExitStack()
        if order == "from before":
            context.enter_context(counting)
        recorder.start_batch(0, B)
        recorder.start_iteration()
        if order != "from before":
            context.enter_context(counting)
        step()
        if order != "until after":
            context.close()
        recorder.finish_iteration()
        recorder.finish_batch()
        if order == "until after":
            context.close()
    # Listeners do not see the recorder's own calculations.
    assert counting.calls == 1
    assert torch._C._len_torch_function_stack() == 0
    assert read_edges(recorder) == {("x", "y")}


def test_the_default_device_may_change_within_a_step(recorder: ComgraRecorder) -> None:
    x = torch.ones(B, 1)
    with recorder.batch(0, B), recorder.iteration():
        with torch.device("meta"):
            recorder.register_tensor("x", x)
            assert torch.empty(1).device.type == "meta"
        assert torch.empty(1).device.type == "cpu"
        recorder.register_tensor("y", x * 2)
    with torch.device("meta"):
        recorder.start_batch(1, B)
    recorder.abandon_batch()
    assert torch.empty(1).device.type == "cpu"
    torch.set_default_device("meta")
    recorder.start_batch(2, B)
    torch.set_default_device(None)
    recorder.abandon_batch()
    assert torch.empty(1).device.type == "cpu"
    assert torch._C._len_torch_function_stack() == 0
    assert read_edges(recorder) == {("x", "y")}


def test_exceptions_of_the_user_pass_unchanged(recorder: ComgraRecorder) -> None:
    x = torch.ones(B, 2)
    weight = torch.ones(3, 1, requires_grad=True)
    with pytest.raises(RuntimeError) as alone:
        x @ weight
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        with pytest.raises(RuntimeError) as recorded:
            x @ weight
        with pytest.raises(IndexError):
            x[7]
    assert str(recorded.value) == str(alone.value)
    assert recorded.value.__context__ is None


def test_trouble_of_our_own_is_a_gap(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = make_recorder(strict=False)

    def fail(*_: object) -> None:
        raise ValueError("mine")

    monkeypatch.setattr(DataFlowTracer, "record_result", fail)
    x = torch.ones(B, 1)
    with pytest.warns(ComgraRecordingWarning, match="a dependency may be missing"), recorder.batch(0, B), recorder.iteration():  # noqa: PT031
        recorder.register_tensor("x", x)
        y = x * 2
        recorder.register_tensor("y", y)
    assert y.tolist() == [[2]] * B
    assert read_edges(recorder) == set()
    assert all("mine" in gap.reason for gap in read_gaps(recorder))


class FastPath(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        h: Tensor = self.encoder(x, src_key_padding_mask=mask)
        attended: Tensor = self.attention(h, h, h)[0]
        return attended


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_modules_keep_their_fast_path(recorder: ComgraRecorder, mode: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    network = FastPath().eval()
    recorder.track_module("net", network)
    x, mask = torch.randn(B, 5, 8), torch.zeros(B, 5, dtype=torch.bool)
    mask[0, 3:] = True
    taken: list[str] = []

    def note_calls(name: str) -> None:
        function = getattr(torch, name)

        def noted(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
            taken.append(name)
            return function(*arguments, **named)

        monkeypatch.setattr(torch, name, noted)

    note_calls("_transformer_encoder_layer_fwd")
    note_calls("_native_multi_head_attention")
    expected = ["_transformer_encoder_layer_fwd"] * 2 + ["_native_multi_head_attention"]
    with mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = network(x, mask)
        assert taken == expected
        taken.clear()
        with recorder.batch(0, B), recorder.iteration():
            recorder.register_tensor("x", x)
            recorder.register_tensor("mask", mask)
            recorded = network(x, mask)
            recorder.register_tensor("y", recorded)
    assert taken == expected
    assert torch.equal(alone, recorded)
    assert {("x", "y"), ("mask", "y"), ("net.attention.in_proj_weight", "y"), ("net.encoder.layers.1.linear1.weight", "y")} <= read_edges(
        recorder
    )


def test_a_module_that_raises_on_its_fast_path_is_left(recorder: ComgraRecorder) -> None:
    network = nn.MultiheadAttention(8, 2).eval()
    x = torch.ones(B, 1)
    with recorder.batch(0, B), recorder.iteration(), torch.no_grad():
        with pytest.raises(Exception):  # noqa: B017, PT011
            network(torch.randn(5, 8), torch.randn(5, 8), torch.randn(5, 9))
        recorder.register_tensor("x", x)
        recorder.register_tensor("y", x * 2)
    assert read_edges(recorder) == {("x", "y")}
    assert torch._C._len_torch_function_stack() == 0
