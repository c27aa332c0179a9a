"""Modules with a fast path, whose functions are not watched: their outputs depend on their inputs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import pairwise

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.tracing.data_flow import DataFlowTracer
from comgra_export.recorder.tracing.operations import OperationWatch
from comgra_export.recorder.tracing.other_threads import OtherThreads
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_edges, read_edges_without_gradient

B, LENGTH, WIDTH = 2, 5, 8

pytestmark = pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")


def layer(*, batch_first: bool = True) -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(WIDTH, 2, 16, batch_first=batch_first)


def between(module: nn.Module) -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, WIDTH), module, nn.Linear(WIDTH, 3)).eval()


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(query=x, key=x, value=x, need_weights=False)[0]  # type: ignore[no-any-return]


class Masked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, WIDTH)
        self.encoder = nn.TransformerEncoder(layer(), 2)
        self.last = nn.Linear(WIDTH, 3)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.last(self.encoder(self.first(x), src_key_padding_mask=mask))  # type: ignore[no-any-return]


def edges_of_tensors(recorder: ComgraRecorder) -> set[tuple[str, str]]:
    """The dependencies between inputs and outputs, not those from parameters."""
    return {(source, sink) for source, sink in read_edges(recorder) if ": " in source}


def chain(*names: str) -> set[tuple[str, str]]:
    return set(pairwise(names))


def evaluate(
    recorder: ComgraRecorder, network: nn.Module, *inputs: Tensor, context: Callable[[], AbstractContextManager[None]] = torch.no_grad
) -> None:
    recorder.watch(network, "net")
    with recorder.batch(0, B), context(), recorder.iteration():
        network(*inputs)


@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode])
def test_an_encoder_stands_between_its_neighbours(recorder: ComgraRecorder, context: Callable[[], AbstractContextManager[None]]) -> None:
    network = between(nn.TransformerEncoder(layer(), 2, norm=nn.LayerNorm(WIDTH)))
    evaluate(recorder, network, torch.randn(B, LENGTH, 3), context=context)
    assert edges_of_tensors(recorder) == chain(
        "net: input", "net.0: output", "net.1.layers.0: output", "net.1.layers.1: output", "net.1.norm: output", "net.2: output"
    )
    assert ("net.1.layers.1.linear2.weight", "net.1.layers.1: output") in read_edges(recorder)
    assert ("net.1.layers.0.linear2.weight", "net.1.layers.1: output") not in read_edges(recorder)
    assert read_edges_without_gradient(recorder) == read_edges(recorder)


@pytest.mark.parametrize(("module", "inner"), [(layer(), "net.1: output"), (Attention(), "net.1.attention: output[0]")])
def test_a_layer_and_an_attention_do_so_too(recorder: ComgraRecorder, module: nn.Module, inner: str) -> None:
    evaluate(recorder, between(module), torch.randn(B, LENGTH, 3))
    assert edges_of_tensors(recorder) == chain("net: input", "net.0: output", inner, "net.2: output")


def test_padded_tokens_go_through_every_layer(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    mask = torch.zeros(B, LENGTH, dtype=torch.bool)
    mask[1, 3:] = True
    # The encoder makes a nested tensor for its layers, and undoes that behind them.
    with pytest.warns(ComgraRecordingWarning, match="nested tensor"):
        evaluate(recorder, Masked().eval(), torch.randn(B, LENGTH, 3), mask)
    into, layers = "net.encoder.layers.0: input src", ["net.encoder.layers.0: output", "net.encoder.layers.1: output"]
    assert edges_of_tensors(recorder) == {
        ("net: input mask", into),
        *chain("net: input x", "net.first: output", into, *layers, "net.encoder: output", "net.last: output"),
    }


def test_calls_within_a_module_that_does_not_take_its_fast_path_follow_one_another(recorder: ComgraRecorder) -> None:
    # An odd number of heads has none.
    network = nn.TransformerEncoderLayer(9, 3, 16, dropout=0.0, batch_first=True).eval()
    evaluate(recorder, network, torch.randn(B, LENGTH, 9))
    parts = ["self_attn: output[0]", "norm1: input", "norm1: output", "linear1: output", "dropout: input", "linear2: output"]
    rest = ["norm2: input", "norm2: output"]
    assert edges_of_tensors(recorder) == chain("net: input src", *(f"net.{part}" for part in parts + rest))


def test_where_there_is_no_fast_path_everything_is_traced(recorder: ComgraRecorder) -> None:
    evaluate(recorder, layer(batch_first=False).eval(), torch.randn(B, LENGTH, WIDTH))
    residual = {("net: input src", "net.norm1: input"), ("net.norm1: output", "net.norm2: input")}
    assert residual <= edges_of_tensors(recorder)


def test_gradients_through_a_frozen_module_are_followed(recorder: ComgraRecorder) -> None:
    network = between(layer().requires_grad_(False))
    evaluate(recorder, network, torch.randn(B, LENGTH, 3), context=nullcontext)
    edges = edges_of_tensors(recorder)
    assert ("net.0: output", "net.1.self_attn: output[0]") in edges
    assert ("net.1.norm2: output", "net.2: output") in edges
    assert ("net.0: output", "net.1.self_attn: output[0]") not in read_edges_without_gradient(recorder)


def test_what_is_registered_by_hand_in_such_a_module_keeps_its_name(recorder: ComgraRecorder) -> None:
    class Own(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = nn.TransformerEncoder(layer(), 1)

        def forward(self, x: Tensor) -> Tensor:
            hidden = self.encoder(x)
            recorder.register_tensor("hidden", hidden)
            return hidden * 2  # type: ignore[no-any-return]

    evaluate(recorder, Own().eval(), torch.randn(B, LENGTH, WIDTH))
    assert edges_of_tensors(recorder) | {edge for edge in read_edges(recorder) if edge[0] == "hidden"} == chain(
        "net: input x", "hidden", "net: output"
    )


class Interrupted(nn.TransformerEncoderLayer):
    def forward(self, *_: object, **__: object) -> Tensor:
        raise KeyboardInterrupt


def test_after_an_interrupt_of_such_a_module_functions_are_traced_again(recorder: ComgraRecorder) -> None:
    first, last = nn.Linear(3, WIDTH), nn.Linear(WIDTH, 3)
    encoder = nn.TransformerEncoder(layer(), 1)
    encoder.layers[0] = Interrupted(WIDTH, 2, 16, batch_first=True)
    network = nn.ModuleList([first, encoder, last]).eval()
    recorder.watch(network, "net")
    x = torch.randn(B, LENGTH, 3)
    with recorder.batch(0, B), torch.no_grad(), recorder.iteration():
        with pytest.raises(KeyboardInterrupt):
            encoder(torch.randn(B, LENGTH, WIDTH))
        hidden = first(x)
        residual = hidden + x.mean()
        last(residual)
    assert edges_of_tensors(recorder) >= chain("net.0: input", "net.0: output", "net.2: input", "net.2: output") | {
        ("net.0: input", "net.2: input")
    }


class InterruptedInside(nn.TransformerEncoderLayer):
    """Goes on after Ctrl-C in the call of a module within it."""

    def forward(self, src: Tensor, *_: object, **__: object) -> Tensor:
        with suppress(KeyboardInterrupt):
            self.linear1(src)
        return src * 2


class InterruptsFirst:
    """A listener in which Ctrl-C comes before others hear of the call."""

    has_calls_in_progress = False

    def __init__(self, module: nn.Module) -> None:
        self.module = module

    def before_call(self, module: nn.Module, arguments: tuple[object, ...]) -> None:  # noqa: ARG002
        if module is self.module:
            raise KeyboardInterrupt

    def after_call(self, module: nn.Module, result: object, has_raised: bool) -> None:
        pass

    def call_was_interrupted(self, module: nn.Module) -> None:
        pass

    def elsewhere_called(self, module: nn.Module) -> None:
        pass


def test_an_interrupt_before_the_call_of_an_inner_module_is_known_leaves_the_outer_call() -> None:
    network = InterruptedInside(WIDTH, 2, 16, batch_first=True).eval()
    calls, tracer = ModuleCalls(), DataFlowTracer(OtherThreads())
    first = InterruptsFirst(network.linear1)
    calls.add(first)
    troubles: list[Exception] = []
    watch = OperationWatch(calls, tracer, None, (), troubles.append)
    watch.start()
    try:
        with torch.no_grad():
            x = torch.randn(B, LENGTH, WIDTH)
            output = network(x)
            after = output + 1
    finally:
        watch.stop()
        calls.remove(first)
    assert not troubles
    assert tracer.value_of(x) in tracer.value_of(output).sources
    assert tracer.value_of(output) in tracer.value_of(after).sources
