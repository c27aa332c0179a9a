"""Detected steps that an exception or an interrupt cuts short."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_modules

from comgra_export import DecisionMakerForRecordingsFrequencyPerType
from comgra_export.storage import open_recording
from support.recorder.automatic_steps import Script, Watch, any_hook, iterations_of, types_of
from support.recorder.reading import read_call, read_calls

pytestmark = pytest.mark.slow


class Touchy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 1)

    def forward(self, x: Tensor, error: type[BaseException] | None = None) -> Tensor:
        out: Tensor = self.inner(x)
        if error is not None:
            raise error("from the script")
        return out


@pytest.mark.parametrize("kind", ["train", "eval"])
@pytest.mark.parametrize("has_other_hook", [False, True])
def test_an_exception_of_the_network_passes_and_the_next_step_is_found(watch: Watch, kind: str, has_other_hook: bool) -> None:
    net = Touchy()
    net.train(kind == "train")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with watch(net) as recorder:
        handle = None

        def hook_in_between(*_: object) -> None:
            nonlocal handle
            handle = handle or torch_modules.register_module_forward_hook(lambda *_: None, always_call=True)

        if has_other_hook:
            net.inner.register_forward_hook(hook_in_between)
        with pytest.raises(ValueError, match="from the script"):
            net(torch.randn(4, 3), ValueError)
        for _ in range(2):
            loss = net(torch.randn(4, 3)).mean()
            if kind == "train":
                loss.backward()
                optimizer.step()
        if handle is not None:
            handle.remove()
    if kind == "train":
        # The call that failed is an iteration of the step that then succeeded.
        assert types_of(recorder) == [(0, "train"), (1, "train")]
        assert [call.raised for iteration in range(2) for call in read_calls(recorder, 0, iteration)] == [True, False]
    else:
        assert [kind for _, kind in types_of(recorder)] == ["eval", "eval"]
        assert all(not read_call(recorder, "model", step=step).raised for step, _ in types_of(recorder))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_out_of_the_context_drops_the_step(watch: Watch, error: type[BaseException]) -> None:
    net = Touchy()
    recorder = watch(net)

    def train() -> None:
        with recorder:
            net(torch.randn(4, 3)).mean().backward()
            net(torch.randn(4, 3), error)

    with pytest.raises(error):
        train()
    assert types_of(recorder) == []
    assert not any_hook()


@pytest.mark.parametrize("kind", ["train", "eval"])
def test_steps_are_found_after_an_interrupt(watch: Watch, kind: str) -> None:
    net = Touchy()
    net.train(kind == "train")
    with watch(net) as recorder:
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                net(torch.randn(4, 3), KeyboardInterrupt)
            net(torch.randn(4, 3)).mean().backward()
            recorder.step()
    second = 1 if kind == "train" else -0.999998
    assert types_of(recorder) == [(0 if kind == "train" else -0.999999, kind), (second, kind)]
    last = iterations_of(recorder, second) - 1
    assert last == (1 if kind == "train" else 0)
    assert [(call.module, list(call.outputs)) for call in read_calls(recorder, second, last)] == [("model", ["output"])]
    if kind == "train":
        assert [(call.module, call.raised) for call in read_calls(recorder, 1, 0)] == [("model", True)]


def test_a_step_can_be_said_to_end_after_an_interrupt(watch: Watch) -> None:
    net = Touchy()
    with watch(net) as recorder:
        net(torch.randn(4, 3)).mean().backward()
        with pytest.raises(KeyboardInterrupt):
            net(torch.randn(4, 3), KeyboardInterrupt)
        recorder.step()
    assert types_of(recorder) == [(0, "train")]


@pytest.mark.parametrize("kind", ["train", "eval"])
def test_a_network_that_calls_itself_is_called_once(watch: Watch, kind: str) -> None:
    class Tree(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.leaf = nn.Linear(3, 3)

        def forward(self, x: Tensor, depth: int) -> Tensor:
            return torch.tanh(self(x, depth - 1)) + self.leaf(x) if depth else x

    net = Tree().train(kind == "train")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with watch(net) as recorder:
        for _ in range(2):
            net(torch.randn(4, 3), 2).mean().backward()
            optimizer.step()
    steps = [0, 1] if kind == "train" else [-0.999999, -0.999998]
    assert types_of(recorder) == [(step, kind) for step in steps]
    for step in steps:
        assert iterations_of(recorder, step) == 1
        (outermost,) = read_calls(recorder, step)
        assert [(call.module, call.number) for call in outermost.all()] == [
            ("model", 0), ("model", 1), ("model", 2), ("model.leaf", 0), ("model.leaf", 1),
        ]  # fmt: skip
        assert outermost.outputs == {"output": "model: output"}


@pytest.mark.parametrize(
    ("error", "where", "expected"),
    [
        (RuntimeError("boom\nand more"), "in", "ended by RuntimeError: boom in step 1"),
        (ValueError("no '/home/an author/x.pt' and /home/author/y.pt"), "after", "ended by ValueError: no '…' and … after step 0"),
        (KeyboardInterrupt(), "before", "ended by KeyboardInterrupt before the first step"),
        (RuntimeError("x" * 1000), "in", f"ended by RuntimeError: {'x' * 286} in step 1"),
        (SystemExit(), "in", None),
        (SystemExit(3), "in", "ended by SystemExit: 3 in step 1"),
    ],
)
@pytest.mark.parametrize("every", [1, 100])
def test_the_exception_that_ends_a_run_is_noted(watch: Watch, error: BaseException, where: str, expected: str | None, every: int) -> None:
    script = Script()
    recorder = watch(script.net, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(every))

    def run() -> None:
        with recorder:
            if where != "before":
                script.train(1)
            if where == "in":
                script.net(torch.randn(4, 3))
            raise error

    with pytest.raises(type(error)):
        run()
    assert recorder.folder is not None
    assert [note.text for note in open_recording(recorder.folder).notes] == ([] if expected is None else [expected])


class _Refusing(nn.Module):
    def forward(self, _x: Tensor) -> Tensor:
        raise ValueError("no")


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (nn.BatchNorm1d(3), "ended by ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 3])"),
        (nn.Sequential(nn.ReLU(), _Refusing()), "ended by ValueError: no"),
    ],
)
@pytest.mark.parametrize("every", [1, 100])
def test_the_note_names_the_innermost_module_in_which_the_exception_was_raised(
    watch: Watch, last: nn.Module, expected: str, every: int
) -> None:
    net = nn.Sequential(nn.Linear(4, 3), last)
    recorder = watch(net, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(every))
    with pytest.raises(ValueError, match=r"no|more than 1"), recorder:
        net(torch.randn(1, 4))
    assert recorder.folder is not None
    (note,) = open_recording(recorder.folder).notes
    assert note.text == f"{expected} in step 0, raised in `model.1{'.1' if isinstance(last, nn.Sequential) else ''}`"


def test_an_exception_between_the_calls_has_no_module(watch: Watch) -> None:
    net = nn.Linear(4, 3)
    recorder = watch(net)
    with pytest.raises(RuntimeError, match="shapes"), recorder:
        net(torch.randn(2, 4)) @ torch.randn(5, 7)
    assert recorder.folder is not None
    (note,) = open_recording(recorder.folder).notes
    assert "raised in" not in note.text
