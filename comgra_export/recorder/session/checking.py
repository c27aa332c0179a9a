"""Whether rules are checked on what is recorded: while the training goes on, and at its end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from comgra_export.errors import MisuseError
from comgra_export.recorder.output.announcements import StepChecker
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.storage.model.recording import Header
from comgra_export.storage.text.names import shown

__all__ = ["conclude", "make_checker_for"]


def make_checker_for(check: object, on_finding: object) -> Callable[[Path, Header], StepChecker] | None:
    """Makes what makes the checker of a recording, from its folder and its header; None if nothing is checked while it is written.

    Args:
        check: As for `ComgraRecorder`.
        on_finding: As for `ComgraRecorder`.

    Raises:
        MisuseError: They are not usable.
        WrongChoiceError: `comgra-findings.toml` is not understood.
    """
    if check is not None and not isinstance(check, bool):
        raise MisuseError(f"ComgraRecorder: check is {shown(check)}. Use True, False or None.")
    if on_finding is not None and not (check and callable(on_finding)):
        what = f"on_finding is {shown(on_finding)}. Give a function" if check else "on_finding is given without check=True. Give both"
        raise MisuseError(f"ComgraRecorder: {what}.")
    if not check:
        return None
    # Only who asks for it pays for loading it.
    from comgra_export.recorder.checking.checker import RuleChecker, rules_and_mutes

    rules, mutes, problem = rules_and_mutes()
    return lambda folder, header: RuleChecker(rules, mutes, problem, folder, header)


def conclude(output: RecordingOutput) -> None:
    """Says on the terminal where the recording is, and what looks wrong in it. Raises nothing but an interruption.

    It is silent if the standard error is no terminal, and in all processes but the first of a distributed run.
    """
    if output.rank != 0 or output.is_foreign or not output.steps_finished or not _has_terminal():
        return
    from comgra_export.recorder.checking.conclusion import conclusion

    with suppress(Exception):
        begin = "\n" if _has_progress_bar() else ""
        sys.stderr.write(begin + "".join(f"{line}\n" for line in conclusion(output.folder)))


def _has_progress_bar() -> bool:
    """Whether a bar of tqdm may have left the terminal in the middle of a line."""
    bars = getattr(getattr(sys.modules.get("tqdm"), "tqdm", None), "_instances", ())
    return len(bars) > 0


def _has_terminal() -> bool:
    """Whether somebody sees what is written to the standard error."""
    with suppress(ValueError):  # It may be closed.
        return sys.stderr is not None and sys.stderr.isatty()
    return False
