"""The script ended with an exception."""

from __future__ import annotations

import re
from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.history.run import Run

__all__ = ["RULE"]

_ENDED = re.compile(r"ended by ([\w.]+)(?::\s*(.*))?", re.DOTALL)
# These end a script on purpose.
_INTENDED = frozenset({"KeyboardInterrupt", "SystemExit", "GeneratorExit", "StopIteration"})
_LONGEST = 300


def _check(run: Run) -> Iterator[Finding]:
    lines = [(note.text, note.step) for note in run.recording.notes]
    gaps = [*run.recording.gaps, *(gap for step in run.steps for gap in step.gaps)]
    lines += [(gap.reason, gap.step) for gap in gaps]
    seen = set()
    for text, step in lines:
        ended = _ENDED.search(text)
        if ended is None or ended[1].rpartition(".")[2] in _INTENDED or ended[0] in seen:
            continue
        seen.add(ended[0])
        reason = (ended[2] or "").strip()
        short = reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}..."
        module = _module_that_raised(run, step)
        where = "" if module is None else f" in {module}"
        yield RULE.finding(
            f"The script ended with {ended[1]}{where}{': ' if short else '.'}{short}",
            Place("run") if module is None else Place("module", module),
            step=step,
        )


def _module_that_raised(run: Run, number: int | None) -> str | None:
    """The innermost module whose call ended with an exception, in a step."""
    for step in run.steps:
        for digest in step.calls if step.step == number else ():
            calls = () if digest is None else run.recording.calls(digest).calls
            # A call begins after the one around it, so the last of those that raised is the innermost.
            raised = [call for call in calls if call.raised]
            if raised:
                return run.network.modules[raised[-1].module].name
    return None


RULE = Rule(
    name="exception-in-step",
    title="The script ended with an exception",
    severity=Severity.BUG,
    formula="a note or a gap says `ended by` and the name of an exception that does not end scripts on purpose",
    source="exact",
    needs="nothing",
    advice=("Read the traceback.", "Compare the shapes and values of what went into the module with those of the step before."),
    check=_check,
    priority=0,
)
