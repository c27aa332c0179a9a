"""Which modules run, and which of them made a tensor."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from unittest.mock import patch

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_modules
from torch.utils.checkpoint import checkpoint

from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.modules.exceptions import StepExceptions
from comgra_export.recorder.modules.running import ModulePlace, ModuleWatch
from comgra_export.storage.model.step_description import ModuleRuns


def watch_over(network: nn.Module) -> ModuleWatch:
    places = {module: ModulePlace(position, name or "net") for position, (name, module) in enumerate(network.named_modules())}
    return ModuleWatch(ModuleCalls(), places, StepExceptions(lambda: 0))


def filters_of_the_watch() -> list[object]:
    return [entry for entry in warnings.filters if "global hooks" in str(entry)]


@pytest.fixture(autouse=True)
def no_hook_is_left() -> Iterator[None]:
    yield
    assert not torch_modules._has_any_global_hook()
    assert not filters_of_the_watch()


class Block(nn.Module):
    """Calls what it is given from within, between its two layers."""

    def __init__(self, inside: Callable[[Tensor], None] = lambda _: None) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
        vars(self)["inside"] = inside

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.first(x)
        vars(self)["inside"](hidden)
        result: Tensor = self.second(hidden * 2)
        return result


def test_runs_are_counted_with_the_mode_of_the_last_one() -> None:
    network = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5), nn.Linear(3, 3))
    watch = watch_over(network)
    network(torch.randn(2, 3))
    watch.start()
    watch.start()
    network(torch.randn(2, 3))
    network[1].eval()
    network[:2](torch.randn(2, 3))
    watch.stop()
    network(torch.randn(2, 3))
    assert watch.runs() == ModuleRuns((0, 1, 2, 3), (True, True, False, True), (1, 2, 2, 1))
    watch.start()
    network[0](torch.randn(2, 3))
    watch.stop()
    assert watch.runs().calls == (1, 3, 2, 1)
    assert watch.error is None


def test_the_innermost_running_module_is_known() -> None:
    seen: list[str | None] = []
    network = nn.Sequential(Block(lambda _: seen.append(watch.current())), nn.ReLU())
    watch = watch_over(network)
    watch.start()
    seen.append(watch.current())
    network(torch.randn(2, 3))
    seen.append(watch.current())
    watch.stop()
    assert seen == [None, "0", None]


def test_a_tensor_belongs_to_the_running_module_else_to_its_maker() -> None:
    module_of: dict[str, str | None] = {}

    def inside(hidden: Tensor) -> None:
        module_of["hidden"] = watch.module_of(hidden)
        module_of["x from inside"] = watch.module_of(x)

    network = nn.Sequential(Block(inside), nn.Identity(), nn.Dropout(0.5).eval())
    watch = watch_over(network)
    watch.start()
    x = torch.randn(2, 3)
    y = network(x)
    module_of |= {"x": watch.module_of(x), "y": watch.module_of(y), "y + 1": watch.module_of(y + 1), "view": watch.module_of(y[0])}
    watch.stop()
    expected = {"hidden": "0", "x from inside": "0", "x": None, "y": "0.second", "y + 1": None, "view": None}
    assert module_of == expected
    assert watch.module_of(y) == "0.second"
    watch.release()
    assert watch.module_of(y) is None


def test_a_tensor_changed_in_place_belongs_to_the_module_that_did_it() -> None:
    network = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Identity())
    watch = watch_over(network)
    watch.start()
    y = network(torch.randn(2, 3))
    watch.stop()
    assert watch.module_of(y) == "1"


class Pair(NamedTuple):
    left: Tensor
    right: Tensor


@dataclass
class Output:
    logits: Tensor
    more: object


class Returns(nn.Module):
    def forward(self, *results: object) -> object:
        return results


def test_tensors_are_found_within_what_a_module_returns() -> None:
    tensors = [torch.randn(2) for _ in range(7)]
    endless: list[object] = [tensors[6]]
    endless.append(endless)
    network = Returns()
    watch = watch_over(network)
    watch.start()
    network(
        tensors[0],
        [tensors[1], {"deep": (tensors[2],)}],
        Pair(tensors[3], torch.ones(1)),
        Output(tensors[4], {"a": [tensors[5]]}),
        None,
        3,
        endless,
    )
    watch.stop()
    assert [watch.module_of(tensor) for tensor in tensors] == ["net"] * 7
    assert watch.error is None


def test_what_a_module_returns_is_not_changed_and_not_kept() -> None:
    network = Returns()
    watch = watch_over(network)
    watch.start()
    tensor = torch.randn(2)
    result = network(tensor)
    assert result == (tensor,)
    alive = weakref.ref(tensor)
    del result, tensor
    gc.collect()
    assert alive() is None
    watch.stop()


class Stop(BaseException):
    pass


@pytest.mark.parametrize("error", [ValueError, Stop])
def test_an_exception_leaves_the_right_modules_running(error: type[BaseException]) -> None:
    def fail(_: Tensor) -> None:
        raise error

    class Catches(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.block, self.after = Block(fail), nn.Linear(3, 3)

        def forward(self, x: Tensor) -> Tensor:
            try:
                self.block(x)
            except error:
                result: Tensor = self.after(x)
                seen.append(watch.module_of(result))
            return result

    seen: list[str | None] = []
    network = Catches()
    watch = watch_over(network)
    watch.start()
    network(torch.randn(2, 3))
    # An interrupt passes by the hooks, so the block counts as running until the module around it ends.
    seen.append(watch.current())
    watch.stop()
    assert seen == ["net" if error is ValueError else "block", None]
    assert watch.runs() == ModuleRuns((0, 1, 2, 4), (True,) * 4, (1, 1, 1, 1))


def test_untracked_modules_and_other_threads_are_left_out() -> None:
    network, other = nn.Linear(3, 3), nn.Linear(3, 3)
    watch = watch_over(network)
    watch.start()
    y = other(torch.randn(2, 3))
    thread = threading.Thread(target=network, args=(torch.randn(2, 3),))
    thread.start()
    thread.join()
    watch.stop()
    assert watch.runs() == ModuleRuns((), (), ())
    assert watch.module_of(y) is None


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_the_recomputation_of_checkpointed_blocks_is_not_counted(use_reentrant: bool) -> None:
    names: list[str | None] = []
    network = nn.Sequential(nn.Linear(3, 3), Block(lambda _: names.append(watch.current())))
    watch = watch_over(network)
    watch.start()
    hidden = network[0](torch.randn(2, 3))
    checkpoint(network[1], hidden, use_reentrant=use_reentrant).sum().backward()
    watch.stop()
    assert names == ["1", None]  # The second time is the recomputation.
    assert watch.runs() == ModuleRuns((1, 2, 3, 4), (True,) * 4, (1, 1, 1, 1))


def test_trouble_of_the_watch_never_reaches_the_network() -> None:
    class Strange(nn.Module):
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no comparison")

        def forward(self, x: Tensor) -> Tensor:
            return x + 1

    network = nn.Linear(3, 3)
    watch = watch_over(network)
    watch.start()
    Strange()(torch.zeros(1))
    y = network(torch.randn(2, 3))
    watch.stop()
    assert isinstance(watch.error, TypeError)
    assert watch.module_of(y) == "net"


def test_fast_paths_of_attention_are_taken_as_without_a_watch() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    attention = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x = torch.randn(2, 5, 8)
    watch = watch_over(nn.ModuleList([layer, attention]))
    called: list[str] = []
    slow, fast = torch._native_multi_head_attention, torch._transformer_encoder_layer_fwd

    def count(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object, **named: object) -> object:
            called.append(name)
            return function(*args, **named)

        return counted

    with (
        torch.no_grad(),
        patch.object(torch, "_native_multi_head_attention", count("attention", slow)),
        patch.object(torch, "_transformer_encoder_layer_fwd", count("layer", fast)),
    ):
        expected = layer(x), attention(x, x, x)[0]
        watch.start()
        results = layer(x), attention(x, x, x)[0]
        watch.stop()
    assert called == ["layer", "attention"] * 2
    assert all(torch.equal(first, second) for first, second in zip(expected, results, strict=True))


def test_models_are_copied_and_saved_without_the_watch() -> None:
    network = Block()
    del vars(network)["inside"]
    watch = watch_over(network)
    watch.start()
    copies = [copy.deepcopy(network), pickle.loads(pickle.dumps(network))]
    torch.save(network, io.BytesIO())
    watch.stop()
    for model in (network, *copies):
        assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


def test_compiled_modules_run_as_compiled_and_without_a_warning() -> None:
    graphs: list[object] = []

    def backend(graph: torch.fx.GraphModule, _: object) -> Callable[..., object]:
        graphs.append(graph)
        return graph.forward

    try:
        network = Block()
        del vars(network)["inside"]
        network.forward = lambda x: network.second(network.first(x))  # type: ignore[method-assign]
        compiled = torch.compile(network, backend=backend)
        x = torch.randn(2, 3)
        expected = compiled(x)
        assert "torch._dynamo" in sys.modules
        watch = watch_over(network)
        for _ in range(3):
            watch.start()
            assert torch.equal(compiled(x), expected)
            watch.stop()
            assert torch.equal(compiled(x), expected)
        assert len(graphs) == 1
        assert watch.runs() == ModuleRuns((), (), ())
        watch.start()
        with torch.compiler.set_stance("force_eager"):
            compiled(x)
        watch.stop()
        assert watch.runs().calls == (1, 1, 1)
    finally:
        torch.compiler.reset()


def test_filters_of_warnings_are_put_back_whatever_the_script_did_to_them() -> None:
    import torch._dynamo  # noqa: F401

    watch = watch_over(nn.Linear(1, 1))
    with warnings.catch_warnings():
        watch.start()
        assert len(filters_of_the_watch()) == 1
    watch.stop()
    assert not filters_of_the_watch()
    watch.start()
    context = warnings.catch_warnings()
    context.__enter__()
    watch.stop()
    assert not filters_of_the_watch()
    context.__exit__(None, None, None)
    assert not filters_of_the_watch()
