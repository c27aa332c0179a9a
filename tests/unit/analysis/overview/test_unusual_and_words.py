"""What was unusual in a run, and the paragraph about it."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.overview.run_summary import Ending, RunSummary
from comgra_export.analysis.overview.unusual import FirstNaN, TriggeredStep, Unusual, unusual_of
from comgra_export.analysis.overview.words import build_command, paragraph
from comgra_export.storage import Gap, Header, ModuleEntry, Network, ParameterEntry, RecordingWriter, SentinelPoint, open_recording
from support.storage.small_step import small_step

NAN = float("nan")


def write(folder: Path, *, nan_at: int | None, checked: dict[int, float], rank: int = 0) -> Path:
    """Steps 0, 10 and 20 of a parameter `w`, with a NaN in one of them; and checks of the gradient of `w`."""
    writer = RecordingWriter(folder / f"rank-{rank}", Header("g", "t", rank, 2))
    for step in (0, 10, 20):
        description, blobs = small_step(writer, step, gaps=(Gap("within", step),) if step == 10 else ())
        if step == nan_at:
            dict(blobs)["counts"].data[0] = 1
        writer.write_step(description, blobs)
    for step, largest in checked.items():
        tensors = (("forward", "w", -1), ("gradients", "w", -1))
        writer.add_sentinel_point(SentinelPoint(step, "train", tensors, (1.0, largest)))
    writer.add_gap(Gap("outside"))
    writer.close()
    return writer.folder


@pytest.mark.parametrize(
    ("nan_at", "checked", "expected"),
    [
        (None, {}, None),
        (None, {5: np.inf}, None),
        (10, {}, FirstNaN(10, "forward", "w")),
        (None, {15: NAN, 16: NAN}, FirstNaN(15, "gradients", "w")),
        (20, {15: NAN}, FirstNaN(15, "gradients", "w")),
        (10, {15: NAN}, FirstNaN(10, "forward", "w")),
        (10, {10: NAN}, FirstNaN(10, "forward", "w")),
        # A run that was resumed checks earlier steps later.
        (None, {15: NAN, 12: NAN}, FirstNaN(12, "gradients", "w")),
    ],
)
def test_the_first_nan_of_what_was_recorded_and_checked(
    tmp_path: Path, nan_at: int | None, checked: dict[int, float], expected: FirstNaN | None
) -> None:
    unusual = unusual_of([open_recording(write(tmp_path, nan_at=nan_at, checked=checked))])
    assert unusual.first_nan == expected
    assert [gap.reason for gap in unusual.gaps] == ["outside", "within"]


@pytest.mark.parametrize(
    ("tensors", "checked", "expected"),
    [
        # Only parameters and gradients are checked, those of every step: the last update made it.
        ((("forward", "w", -1), ("gradients", "w", -1)), {15: (NAN, NAN)}, 14),
        # With sentinels, each step is checked. Step 14 was not.
        ((("forward", "w", -1), ("forward", "x", 0)), {13: (1.0, 1.0), 15: (NAN, NAN)}, 15),
        ((("forward", "w", -1), ("forward", "x", 0)), {13: (1.0, 1.0), 14: (1.0, 1.0), 15: (NAN, NAN)}, 14),
        # No update makes a buffer.
        ((("forward", "b", -1), ("forward", "x", 0)), {13: (1.0, 1.0), 14: (1.0, 1.0), 15: (NAN, NAN)}, 15),
        # An evaluation of the same parameters.
        ((("forward", "w", -1), ("forward", "x", 0)), {14: (1.0, 1.0), 14.000001: (NAN, NAN)}, 14),
        # The script has overwritten it after an evaluation.
        ((("forward", "w", -1), ("gradients", "w", -1)), {14.000001: (1.0, 1.0), 15: (NAN, NAN)}, 15),
    ],
)
def test_the_update_that_made_the_first_nan_of_a_parameter(
    tmp_path: Path, tensors: tuple[tuple[str, str, int], ...], checked: dict[float, tuple[float, float]], expected: float
) -> None:
    writer = RecordingWriter(tmp_path / "rank-0", Header("g", "t", 0, 1))
    writer.write_network(Network((ModuleEntry("m", "Linear", -1, ""),), (ParameterEntry("w", 0, (1,), "F32", True),)))
    writer.write_step(*small_step(writer, 0))
    for step, largest in checked.items():
        writer.add_sentinel_point(SentinelPoint(step, "train", tensors, largest))
    writer.close()
    assert unusual_of([open_recording(writer.folder)]).first_nan == FirstNaN(expected, "forward", tensors[0][1])


def test_the_first_nan_of_any_rank_and_none_of_a_damaged_step(tmp_path: Path) -> None:
    first, second = (write(tmp_path, nan_at=step, checked={}, rank=rank) for rank, step in enumerate((20, 10)))
    assert unusual_of([open_recording(first), open_recording(second)]).first_nan == FirstNaN(10, "forward", "w")
    (second / "steps" / "000000000010.safetensors").write_bytes(b"")
    (first / "steps" / "000000000010.json").write_bytes(b"{")
    assert unusual_of([open_recording(first), open_recording(second)]).first_nan == FirstNaN(20, "forward", "w")


def test_triggered_steps_of_all_ranks_are_there_once_with_what_they_showed(tmp_path: Path) -> None:
    for rank, reasons in enumerate(({20: "'w' holds a NaN", 30: "large"}, {10: "an infinity", 20: "'w' holds a NaN"})):
        writer = RecordingWriter(tmp_path / f"rank-{rank}", Header("g", "t", rank, 2))
        for step in (0, 10, 20, 30):
            writer.write_step(*small_step(writer, step, triggered=reasons.get(step)))
        writer.close()
    assert unusual_of([open_recording(tmp_path / f"rank-{rank}") for rank in range(2)]).triggered == (
        TriggeredStep(10, "t", "an infinity"),
        TriggeredStep(20, "t", "'w' holds a NaN"),
        TriggeredStep(30, "t", "large"),
    )


def test_a_paragraph_says_what_the_first_triggered_step_showed() -> None:
    steps = (TriggeredStep(1137, "train", "'x' is 3e+03"), TriggeredStep(1200, "train", "'y' holds a NaN"))
    for triggered, words in (
        (steps, "2 triggered steps, the first is step 1,137: 'x' is 3e+03."),
        (steps[:1], "1 triggered step, step 1,137:"),
    ):
        assert words in paragraph("t", FACTS, Unusual(None, (), triggered), 1)


FACTS = RunSummary("", 12.34, "finished", "", None, False, 1219, 35, 0, 0, (), (), (), {})
NOTHING = Unusual(None, ())


def test_a_paragraph_says_it_all() -> None:
    facts = replace(FACTS, ending="exception", error="RuntimeError: boom", error_step=1218)
    unusual = Unusual(FirstNaN(1200, "gradients", "net.weight"), (Gap("the disk\nwas full"), Gap("again")))
    assert paragraph("runs/first", facts, unusual, 4_000_000) == (
        "runs/first: trained 1,219 steps in 12.3 s, recorded 35 steps (4.0 MB). It ended in step 1,218 with RuntimeError: boom. "
        "The first NaN is in step 1,200: the gradient of net.weight. 2 gaps, the first: the disk was full."
    )
    assert "It ended after step 1,218 with" in paragraph("t", replace(facts, between_steps=True), None, 1)


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("finished", "It finished."),
        ("running", "It is still running."),
        ("killed", "It was killed, or ended without finalize()."),
        ("", "How it ended is not known."),
    ],
)
def test_every_ending_has_words(ending: Ending, words: str) -> None:
    assert paragraph("t", replace(FACTS, ending=ending), NOTHING, 340) == (
        f"t: trained 1,219 steps in 12.3 s, recorded 35 steps (340 B). {words}"
    )


def test_a_killed_run_trained_at_least_up_to_its_last_step() -> None:
    facts = replace(FACTS, ending="killed", trained=None, last=1130)
    assert paragraph("t", facts, None, 340).startswith("t: trained at least up to step 1,130, recorded 35 steps in 12.3 s (340 B).")


def test_what_is_not_known_is_left_out() -> None:
    facts = replace(FACTS, trained=None, seconds=None, recorded=1, ending="exception", error="KeyboardInterrupt")
    assert paragraph("t", facts, None, 12_300) == "t: recorded 1 step (12.3 kB). It ended before the first step with KeyboardInterrupt."
    assert paragraph("t", FACTS, Unusual(FirstNaN(0, "forward", "x"), (Gap("y" * 300),)), 1).endswith(
        f"The first NaN is in step 0: x. 1 gap: {'y' * 200}...."
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0.0 s"), (59.94, "59.9 s"), (59.96, "1 min"), (90, "2 min"), (3570, "1 h 0 min"), (8100, "2 h 15 min"), (180_000, "2 d 2 h")],
)
def test_durations_are_short(seconds: float, words: str) -> None:
    assert f" in {words}," in paragraph("t", replace(FACTS, seconds=seconds), None, 1)


def test_the_command_survives_a_shell() -> None:
    assert shlex.split(build_command(Path("my runs/it's"))) == ["comgra-export", "build", "my runs/it's", "-o", "report.html"]
