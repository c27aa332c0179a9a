"""What a run of a program resulted in, as plain data that goes into a JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.report import Report
from comgra_export.analysis.history.run import Run

__all__ = ["Outcome", "Seen", "Variant", "outcome_of", "read_outcomes", "write_outcomes"]

Variant = Literal["buggy", "fixed", "healthy"]


@dataclass(frozen=True)
class Seen:
    """A finding of a run.

    Attributes:
        rule: The name of the rule.
        severity: As in `Severity`.
        incident: The position of its incident.
        is_cause: Whether it is the cause of the incident.
        places: Kinds and names: the first place, then those to look at next, then those that are affected in the same way.
        step: Since which step.
        message: What it says.
        returned_by: The modules that return the first place. A container returns what its last part made, and the tensor has the name of
            that part.
    """

    rule: str
    severity: int
    incident: int
    is_cause: bool
    places: tuple[tuple[str, str], ...] = ()
    step: float | None = None
    message: str = ""
    returned_by: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The rule and where it is."""
        return f"{self.rule} ({self.places[0][1] or self.places[0][0]})" if self.places else self.rule


@dataclass(frozen=True)
class Outcome:
    """A run of a program.

    Attributes:
        program: Its name.
        variant: With its bug, with the bug fixed, or a healthy program.
        seed: The seed of the run.
        seconds: How long it trained while it was recorded.
        training_steps: The numbers of the recorded training steps.
        other_steps: The numbers of all other recorded steps.
        findings: Its findings, in the order of the report. Notes, which never count as alarms, are left out.
        not_checked: Why rules were not checked.
        published: Which published rules fire: `TOOL: RULE`.
        error: The last line of what went wrong; None if the program ran to its end and could be judged.
    """

    program: str
    variant: Variant
    seed: int
    seconds: float = 0.0
    training_steps: tuple[int, ...] = ()
    other_steps: tuple[int, ...] = ()
    findings: tuple[Seen, ...] = ()
    not_checked: Mapping[str, str] = field(default_factory=dict)
    published: tuple[str, ...] = ()
    error: str | None = None

    @property
    def causes(self) -> tuple[Seen, ...]:
        """The causes of its incidents, the most important first."""
        return tuple(seen for seen in self.findings if seen.is_cause)


def outcome_of(program: str, variant: Variant, seed: int, run: Run, report: Report, published: Sequence[str]) -> Outcome:
    """Puts together what a run resulted in."""
    returned_by = _returned_by(run)
    seen = [
        Seen(
            finding.rule,
            int(finding.severity),
            position,
            finding is incident.cause,
            tuple((place.kind, place.name) for place in (*finding.places[:1], *finding.look_next, *finding.places[1:])),
            finding.step,
            finding.message,
            returned_by.get(finding.place.name, ()) if finding.place.kind == "tensor" else (),
        )
        for position, incident in enumerate(report.incidents)
        for finding in (incident.cause, *incident.consequences)
        if finding.severity >= Severity.SYMPTOM
    ]
    return Outcome(
        program=program,
        variant=variant,
        seed=seed,
        training_steps=tuple(run.numbers[run.is_training].tolist()),
        other_steps=tuple(run.numbers[~run.is_training].tolist()),
        findings=tuple(seen),
        not_checked=dict(report.not_checked),
        published=tuple(published),
    )


def _returned_by(run: Run) -> dict[str, tuple[str, ...]]:
    """The modules that return a tensor, by its name."""
    modules: dict[str, dict[str, None]] = {}
    for digest in dict.fromkeys(digest for step in run.steps for digest in step.calls if digest is not None):
        tree = run.recording.calls(digest)
        for port in tree.ports:
            if port.side == "output" and port.record_name is not None:
                modules.setdefault(port.record_name, {})[run.network.modules[tree.calls[port.call].module].name] = None
    return {name: tuple(of_tensor) for name, of_tensor in modules.items()}


def write_outcomes(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Writes outcomes as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(list(outcomes), option=orjson.OPT_INDENT_2))


def read_outcomes(path: Path) -> list[Outcome]:
    """Reads what `write_outcomes` wrote."""
    return [_outcome(row) for row in orjson.loads(path.read_bytes())]


def _outcome(row: dict[str, Any]) -> Outcome:
    findings = tuple(
        Seen(**{**seen, "places": tuple((kind, name) for kind, name in seen["places"]), "returned_by": tuple(seen.get("returned_by", ()))})
        for seen in row["findings"]
    )
    lists = {name: tuple(row[name]) for name in ("training_steps", "other_steps", "published")}
    return Outcome(**{**row, **lists, "findings": findings})
