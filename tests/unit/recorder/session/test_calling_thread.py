"""The calls of a step belong to one thread. Calls in another thread raise or warn, and leave nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.errors import MisuseError
from comgra_export.recorder.session import lifecycle
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_edges

B = 4


def elsewhere(call: Callable[[], object]) -> None:
    """Calls something in another thread, and raises here what it raises."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(call).result()


def register_two(recorder: ComgraRecorder) -> None:
    x = torch.ones(B, 2)
    recorder.register_tensor("x", x, is_input=True)
    recorder.register_tensor("y", x.detach() * 2)


@pytest.mark.parametrize("is_due", [True, False])
def test_a_step_goes_on_only_in_the_thread_in_which_it_began(recorder: ComgraRecorder, is_due: bool) -> None:
    def refused(call: str, *arguments: object) -> None:
        with pytest.raises(
            MisuseError, match=f"{call} was called in a different thread from start_batch of step 3.*same thread.*abandon_batch"
        ):
            elsewhere(lambda: getattr(recorder, call)(*arguments))

    recorder.start_batch(3, B, None, override__recording_is_active=is_due)
    refused("start_iteration")
    recorder.start_iteration()
    register_two(recorder)
    refused("finish_iteration")
    recorder.finish_iteration()
    refused("decide_recording_of_batch", "main")
    recorder.decide_recording_of_batch("main")
    refused("finish_batch")
    recorder.finish_batch()
    assert torch._C._len_torch_function_stack() == 0
    assert open_recording(folder_of(recorder)).steps == ((3,) if is_due else ())
    if is_due:
        assert read_edges(recorder, 3) == {("x", "y")}


def test_the_next_step_may_be_one_of_another_thread(recorder: ComgraRecorder) -> None:
    def one_step(step: int) -> None:
        with recorder.batch(step, B), recorder.iteration():
            register_two(recorder)

    one_step(0)
    elsewhere(lambda: one_step(1))
    one_step(2)
    assert [read_edges(recorder, step) for step in range(3)] == [{("x", "y")}] * 3


def test_calls_outside_a_step_may_come_from_any_thread(recorder: ComgraRecorder) -> None:
    with pytest.raises(MisuseError, match=r"finish_batch was called outside a step"):
        elsewhere(recorder.finish_batch)
    elsewhere(recorder.abandon_batch)


def test_what_a_backward_pass_runs_again_in_another_thread_is_ignored(recorder: ComgraRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a device, autograd runs backwards in threads of its own, and so does what recomputes a block with iterations."""
    with recorder.batch(0, B):
        with recorder.iteration():
            register_two(recorder)
        with monkeypatch.context() as patch:
            patch.setattr(lifecycle, "is_running_backwards", lambda: True)
            elsewhere(recorder.start_iteration)
            elsewhere(recorder.finish_iteration)
    assert len(open_recording(folder_of(recorder)).step(0).structures) == 1


@pytest.mark.parametrize("end", ["abandon_batch", "finalize"])
@pytest.mark.filterwarnings("ignore:finalize. step 0 is not finished")
def test_a_step_can_be_dropped_from_any_thread_and_says_what_that_leaves(make_recorder: MakeRecorder, end: str) -> None:
    recorder = make_recorder()

    def begin() -> None:
        recorder.start_batch(0, B)
        recorder.start_iteration()
        register_two(recorder)

    def step_that_is_dropped_elsewhere() -> None:
        begin()
        with pytest.warns(ComgraRecordingWarning, match=r"Step 0 was dropped in a different thread.*start_batch") as caught:
            elsewhere(getattr(recorder, end))
        assert len([warning for warning in caught if "a different thread" in str(warning.message)]) == 1
        # The hooks that stay do nothing.
        assert (torch.ones(2) + 1).tolist() == [2, 2]

    elsewhere(step_that_is_dropped_elsewhere)
    assert "between steps" in repr(recorder)
    with recorder.batch(0, B), recorder.iteration():
        register_two(recorder)
    assert read_edges(recorder) == {("x", "y")}


def test_dropping_a_step_where_it_began_says_nothing(recorder: ComgraRecorder) -> None:
    recorder.start_batch(0, B)
    recorder.abandon_batch()
    assert torch._C._len_torch_function_stack() == 0
    # A step that is not recorded leaves nothing anywhere.
    recorder.start_batch(0, B, override__recording_is_active=False)
    elsewhere(recorder.abandon_batch)
