"""Checks rules on a run while it is being recorded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from comgra_export.analysis.findings.catalogue import all_rules, own_rules
from comgra_export.analysis.findings.model.finding import Finding, Place
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule
from comgra_export.analysis.findings.muting import Mute
from comgra_export.analysis.findings.reports import mutes_of
from comgra_export.analysis.history.run import Run
from comgra_export.errors import MisuseError
from comgra_export.recorder.checking.kept_steps import KeptSteps, RecordingInProgress
from comgra_export.recorder.checking.wording import as_warning
from comgra_export.recorder.host.gaps import describe_error
from comgra_export.recorder.output.announcements import Announcement, Checked
from comgra_export.storage import Blob, Header, StepDescription

__all__ = ["RuleChecker", "rules_and_mutes"]


def rules_and_mutes() -> tuple[Sequence[Rule], Sequence[Mute], str | None]:
    """The rules to check, what is known and accepted, and why rules of other packages are left out; None if they are not.

    Raises:
        WrongChoiceError: `comgra-findings.toml` is not understood.
    """
    try:
        rules, problem = all_rules(), None
    except MisuseError as error:
        rules, problem = own_rules(), f"rules of other packages were not checked: {error}"
    return rules, mutes_of(None, rules), problem


class RuleChecker:
    """Checks the rules that have `while_training`, and announces each finding once. This is the `StepChecker` of a recorder.

    A finding counts as announced if an earlier one of the same rule named its first place. What is less severe than its rule is left out,
    and so is what is muted. A rule that fails is not checked any more.

    Args:
        rules: All rules.
        mutes: What is known and accepted.
        problem: What is known from the beginning not to be checked.
        folder: The rank folder of the recording.
        header: Its header.
    """

    def __init__(self, rules: Sequence[Rule], mutes: Collection[Mute], problem: str | None, folder: Path, header: Header) -> None:
        self._rules = [rule for rule in rules if rule.while_training is not None]
        self._mutes = mutes
        self._problem = problem
        self._folder = folder
        self._header = header
        self._kept = KeptSteps()
        self._announced: set[tuple[str, Place]] = set()

    def check(self, step: StepDescription, arrays: Mapping[str, Blob]) -> Checked:
        """As `StepChecker.check`. Reads the steps that are kept if the rules are due, and nothing otherwise."""
        if not self._kept.add(step, arrays):
            return Checked()
        run = Run(RecordingInProgress(self._folder, self._header, self._kept.numbers))
        problem, self._problem = self._problem, None
        failures = [] if problem is None else [problem]
        announcements: list[Announcement] = []
        for rule in [rule for rule in self._rules if (rule.while_training or 0) <= run.is_training.sum()]:
            try:
                new = [finding for finding in rule.check(run) if self._is_new(rule, finding)]
            except NotCheckedError:
                continue
            except Exception as error:
                self._rules.remove(rule)
                failures.append(f"the rule {rule.name!r} failed, and is not checked any more ({describe_error(error)})")
                continue
            for finding in new:
                self._announced.update((rule.name, place) for place in finding.places)
                if finding.step is not None:
                    self._kept.pin(finding.step)
                announcements.append(Announcement(as_warning(rule, finding, self._header), finding))
        return Checked(tuple(announcements), tuple(failures))

    def _is_new(self, rule: Rule, finding: Finding) -> bool:
        if finding.severity < rule.severity or any(mute.covers(finding) for mute in self._mutes):
            return False
        return (rule.name, finding.place) not in self._announced
