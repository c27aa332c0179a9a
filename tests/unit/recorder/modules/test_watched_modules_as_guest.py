"""Watching modules disturbs nobody: exceptions, copies, compiled modules, other threads, recorders that go."""

from __future__ import annotations

import copy
import io
import pickle
import threading
import weakref
from contextlib import suppress
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_modules

from comgra_export import ComgraRecorder
from comgra_export.errors import MisuseError
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_call, read_calls, read_edges, read_records
from support.recorder.watched_calls import X, record, tree

pytestmark = pytest.mark.slow


def test_models_can_be_copied_and_saved_within_a_step(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    before = pickle.dumps(net)
    recorder.watch(net, "net")

    def body() -> Tensor:
        out = net(X)
        assert pickle.dumps(net) == before
        torch.save(net, io.BytesIO())
        twin = copy.deepcopy(net)
        assert torch.equal(twin(X), out)
        return out.sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert [call.module for call in read_calls(recorder)] == ["net"]


class Failing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(4, 4)

    def forward(self, x: Tensor, error: type[BaseException] | None = None) -> Tensor:
        x = self.first(x)
        if error is not None:
            raise error
        try:
            self.second(x)
        except RuntimeError:
            x = x + 1
        return self.first(x)  # type: ignore[no-any-return]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_calls_go_on_after_exceptions(recorder: ComgraRecorder, error: type[BaseException]) -> None:
    net = Failing()
    outer = nn.ModuleList([net])
    recorder.watch(outer, "net")

    def body() -> Tensor:
        with pytest.raises(error):
            net(X, error)
        return net(X).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    calls = read_calls(recorder)
    assert [(call.module, call.raised, call.outputs) for call in calls] == [
        ("net.0", True, {}), ("net.0", False, {"output": "net.0.first (call 3): output"}),
    ]  # fmt: skip
    assert [(call.module, call.number, call.raised) for call in calls[1].inner] == [
        ("net.0.first", 1, False), ("net.0.second", 0, True), ("net.0.first", 2, False),
    ]  # fmt: skip


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_follows_an_exception_that_a_module_catches_is_not_within_the_call_that_raised(
    recorder: ComgraRecorder, error: type[BaseException]
) -> None:
    class Catching(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.failing, self.last = Failing(), nn.Linear(3, 3)

        def forward(self, x: Tensor) -> Tensor:
            with suppress(error):
                self.failing(x, error)
            return self.last(x)  # type: ignore[no-any-return]

    net = Catching()
    recorder.watch(net, "net")
    record(recorder, lambda: net(X).sum())
    (call,) = read_calls(recorder)
    assert tree(call) == {"net.failing#0": {"net.failing.first#0": {}}, "net.last#0": {}}
    assert [inner.module for inner in call.all() if inner.raised] == ["net.failing"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_the_last_call_of_an_iteration_may_raise(recorder: ComgraRecorder, error: type[BaseException]) -> None:
    net = Failing()
    recorder.watch(net, "net")

    def body() -> None:
        with pytest.raises(error):
            net(X, error)

    record(recorder, body, backward=False)
    assert [(call.module, call.raised) for call in read_call(recorder, "net").all()] == [("net", True), ("net.first", False)]


def test_dynamic_steps_and_sentinels(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(sentinels=True)
    net = nn.Linear(3, 3)
    recorder.watch(net, "net")
    for step, (kind, value) in enumerate([("a", 1.0), (None, 1.0), ("b", 1.0), ("b", torch.inf)]):
        recorder.start_batch(step, 2, None, override__recording_is_active=None)
        with recorder.iteration():
            net(torch.full((2, 3), value))
        recorder.decide_recording_of_batch(kind)
        recorder.finish_batch()
    recording = open_recording(folder_of(recorder))
    assert recording.steps == (0, 2, 3)
    for recorded in recording.steps:
        assert read_call(recorder, "net", step=recorded).outputs == {"output": "net: output"}


def test_the_graph_of_autograd_has_the_same_calls(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(graph="autograd")
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(3, 3))
    recorder.watch(net, "net")
    record(recorder, lambda: net(X.clone().requires_grad_()).sum())
    (call,) = read_calls(recorder)
    assert [inner.outputs["output"] for inner in call.inner] == [f"net.{position}: output" for position in range(4)]
    assert ("net.0: output", "net.1: output") in read_edges(recorder)
    assert read_records(recorder)["gradients", "net.1: output", 0].counts[4] == 0


def test_compiled_modules_are_seen_on_recorded_steps(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    compiled = torch.compile(net, backend="eager")
    recorder.watch(compiled, "net")  # type: ignore[arg-type]
    compiled(X)
    record(recorder, lambda: compiled(X).sum())
    compiled(X)
    (call,) = read_calls(recorder)
    assert tree(call) == {"net.0#0": {}, "net.1#0": {}}
    torch.compiler.reset()


def test_other_threads_are_not_seen(make_recorder: MakeRecorder) -> None:
    recorder, net = make_recorder(strict=False), nn.Linear(3, 3)
    recorder.watch(net, "net")

    def body() -> None:
        thread = threading.Thread(target=net, args=(X,))
        thread.start()
        thread.join()

    with pytest.warns(match="calls in other threads than that of the step are left out, with what they compute: net"):
        record(recorder, body, backward=False)
    assert read_calls(recorder) == []
    assert open_recording(folder_of(recorder)).step(0).calls == (None,)


def test_a_recorder_dropped_within_a_step_leaves_nothing(make_recorder: MakeRecorder, tmp_path: Any) -> None:  # noqa: ANN401
    recorder = ComgraRecorder(tmp_path, trial_id="dropped")
    net = nn.Linear(3, 3)
    recorder.watch(net, "net")
    recorder.start_batch(0, 2)
    recorder.start_iteration()
    out = net(X)
    tensor = weakref.ref(out)
    gone = weakref.ref(recorder)
    del recorder, out
    assert gone() is None
    assert tensor() is None
    assert not torch_modules._has_any_global_hook()


def test_wrong_calls_are_refused(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(3, 3))
    recorder.watch(net, "net")
    with pytest.raises(MisuseError, match="is watched already, as 'net'"):
        recorder.watch(net, "again")
    with pytest.raises(MisuseError, match="'net' is taken"):
        recorder.watch(nn.Linear(1, 1), "net")
    with pytest.raises(MisuseError, match=r"watch: 'x' is a list\. Give a torch\.nn\.Module"):
        recorder.watch([], "x")  # type: ignore[arg-type]
    with pytest.raises(MisuseError, match="Watch modules between steps"), recorder.batch(0, 2):
        recorder.watch(nn.Linear(1, 1), "late")
    with pytest.raises(MisuseError, match=r"step: only a recorder made by comgra_export\.watch"):
        recorder.step()
    # A tracked module is watched under the name that it has.
    tracked = nn.Linear(1, 1)
    recorder.track_module("tracked", tracked)
    recorder.watch(tracked)
    record(recorder, lambda: tracked(torch.ones(2, 1)).sum())
    assert [call.module for call in read_calls(recorder)] == ["tracked"]
