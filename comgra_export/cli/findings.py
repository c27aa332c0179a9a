"""`comgra-export findings`."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Collection, Sequence
from pathlib import Path

import typer
from rich.text import Text

from comgra_export.analysis.findings.as_json import reports_as_json
from comgra_export.analysis.findings.as_sarif import count_without_line, reports_as_sarif
from comgra_export.analysis.findings.catalogue import all_rules
from comgra_export.analysis.findings.find import RULE_FAILED
from comgra_export.analysis.findings.model.association import CAUTION, FAMILIES, Associations
from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.report import Incident, Report
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.findings.muting import Mute
from comgra_export.analysis.findings.plain_text import as_sentence, in_plain_text, reason_of
from comgra_export.analysis.findings.reports import choose_rules, iterate_reports, mutes_of
from comgra_export.cli.console import EXIT_FINDINGS, EXIT_RECORDING, out, printable, progress_bar, warn
from comgra_export.cli.options import FailOn
from comgra_export.errors import OutputNotWritableError, WrongChoiceError
from comgra_export.reading import is_bundle, read
from comgra_export.storage.text.steps import step_in_words
from comgra_export.storage.trials import with_folder
from comgra_export.version import __version__
from comgra_export.workers import Workers

__all__ = ["run_findings"]

# Progress is shown after so many seconds.
_PATIENCE = 1.0
_PLACES_SHOWN = 3
_REASONS_SHOWN = 3
_RULES_NAMED = 2
_NARROWEST = 40
_STYLES = {Severity.BUG: "bold red", Severity.PROBLEM: "bold yellow", Severity.SYMPTOM: "cyan", Severity.INFORMATION: "dim"}


def run_findings(
    recordings: str,
    *,
    trial: str | None,
    rules: list[str] | None,
    fail_on: FailOn | None,
    as_json: bool,
    sarif: Path | None,
    config: Path | None,
    list_all: bool,
    workers: Workers,
) -> None:
    """Print what looks wrong in all trials or one. Exit with 5 if `fail_on` asks for it, else with 3 if a part cannot be read.

    Raises:
        OutputNotWritableError: `sarif` cannot be written to.
    """
    known = all_rules()
    # An option that is not given is an empty list.
    chosen = choose_rules(rules or None, known)
    mutes = mutes_of(config, known)
    name = None if trial is None else read(recordings).trials.full_name(trial)
    reports = (
        _reports_of_bundle(recordings, rules, name)
        if is_bundle(recordings)
        else _reports(recordings, chosen, mutes, workers, name, is_choice=bool(rules))
    )
    # A bundle may have findings of rules that are not installed here.
    foreign = sorted({finding.rule for report in reports for finding in report.findings} - {rule.name for rule in chosen})
    if sarif is not None and foreign:
        raise WrongChoiceError(f"SARIF describes rules, and these are not installed here: {', '.join(foreign)}. Leave out --sarif.")
    if sarif is not None:
        _write_sarif(sarif, reports, chosen)
    if as_json:
        # Not through the console, which would wrap it.
        typer.echo(reports_as_json(reports))
    else:
        titles = {rule.name: rule.title for rule in chosen} | {name: name for name in foreign}
        for report in reports:
            _print_report(report, titles, list_all)
    for report in reports:
        for problem in report.problems:
            warn(f"{with_folder(report.run, report.folder)}: {problem}")
    if fail_on is not None and any(report.worst is not None and report.worst >= Severity[fail_on.name.upper()] for report in reports):
        raise typer.Exit(EXIT_FINDINGS)
    if any(report.problems for report in reports):
        raise typer.Exit(EXIT_RECORDING)


def _reports(
    recordings: str, chosen: Sequence[Rule], mutes: Collection[Mute], workers: Workers, trial: str | None, *, is_choice: bool
) -> list[Report]:
    with progress_bar() as bar:
        task = bar.add_task("Reading", total=None, visible=False)
        begin = time.monotonic()

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=time.monotonic() - begin > _PATIENCE)

        return list(iterate_reports(recordings, chosen, mutes, show, associations=not is_choice, workers=workers, trial=trial))


def _reports_of_bundle(page: str, rules: list[str] | None, only: str | None) -> list[Report]:
    """What was found when a bundle was made."""
    if rules:
        raise WrongChoiceError("A bundle holds what was found when it was made. Leave out --rule, or give the recording.")
    return [trial.report() for name, trial in read(page).trials.items() if only in (None, name)]


def _write_sarif(file: Path, reports: Sequence[Report], rules: Sequence[Rule]) -> None:
    try:
        file.write_text(reports_as_sarif(reports, rules, __version__), encoding="ascii")
    except OSError as error:
        raise OutputNotWritableError(f"{file} cannot be written: {error.strerror}. Give another file.") from error
    missing, total = count_without_line(reports), sum(len(report.findings) for report in reports)
    if missing:
        lack = "has no line of the code, so it is" if missing == 1 else "have no line of the code, so they are"
        warn(f"{missing} of {_count(total, 'finding')} {lack} not in {file.name}. Lines are recorded with source=True.")


def _print_report(report: Report, titles: dict[str, str], list_all: bool) -> None:
    _line("", with_folder(report.run, report.folder), style="bold")
    out.print()
    for incident in report.incidents:
        _print_incident(incident, titles)
    passed, checked = len(report.passed), len(titles) - len(report.not_checked)
    if report.steps == 0 and not report.incidents:
        _print_no_step(report)
    elif checked == 0:
        _line("", f"No rule could be checked on {_count(report.steps, 'step')}, so nothing is known about this run.")
    elif not report.incidents:
        what = "Nothing new was found" if report.muted else "Nothing was found"
        limits = "The run may still be wrong in a way that no rule knows."
        _line("", f"{what}. {_count(checked, 'rule')} checked on {_count(report.steps, 'step')}. {limits}")
    elif passed:
        _line("", f"{_count(passed, 'rule')} found nothing in {_count(report.steps, 'step')}.")
    if list_all:
        for name in report.passed:
            _line(f"    {name}: ", f"looked for: {titles[name]}", style="dim")
    if report.muted:
        each = ", ".join(f"{name} ({number})" for name, number in report.muted.items())
        _line("", f"{_count(sum(report.muted.values()), 'finding')} muted: {each}.")
    # Without a step, all of the rest has the same reason.
    says_why = list_all or report.steps > 0
    if report.lacking and says_why:
        _print_not_checked(report, list_all)
    if report.does_not_apply:
        _print_what_does_not_apply(report, list_all)
    if report.associations is not None and says_why:
        _print_associations(report.associations)
    out.print()


def _print_associations(associations: Associations) -> None:
    if not associations.reported:
        _line("", "Associations: none confirmed." if associations.checked else "Associations: not checked.")
    else:
        out.print()
        _line("", "Associations", style="bold")
        _line("    ", CAUTION, style="dim")
    for each in associations.reported:
        _line("    ", each.message)
        for place in each.evidence[:1]:
            _line("        see: ", f"{place.name}, {step_in_words(place.step, is_grouped=True)}", style="dim")
    if associations.more:
        _line("    ", f"{_count(associations.more, 'smaller association')} not listed.")
    for family, check in associations.checked.items():
        _line("    ", f"{_capital(FAMILIES[family])}: {check.sentence}", style="dim")
    reasons: dict[str, list[str]] = {}
    for family, reason in associations.not_checked.items():
        reasons.setdefault(reason, []).append(FAMILIES[family])
    for reason, names in reasons.items():
        _line("    ", f"Not checked: {'; '.join(names)}. {as_sentence(reason)}", style="dim")
    for note in associations.notes:
        _line("    ", as_sentence(note), style="dim")


def _print_no_step(report: Report) -> None:
    """Says that there was nothing to check, and what may be the cause."""
    if report.problems:
        _line("", "No step could be read, so nothing could be checked.")
        return
    _line("", "No step was recorded, so nothing could be checked.")
    _line("    ", "Was the watched module itself called, as in model(x)? Or, with a ComgraRecorder, start_batch?")
    _line("    ", "Did the schedule ask for a step? every=1 records each of them.")
    _line("    ", "Was finalize() reached, or the end of the with block? Until then, steps may not be written.")


def _print_not_checked(report: Report, list_all: bool) -> None:
    """Says how many rules could not be checked, why, and what to record: for each, or in a few lines the most frequent reasons."""
    lacking = report.lacking
    count = _count(len(lacking), "rule")
    if list_all:
        _line("", f"{count} could not be checked:")
        for name, reason in lacking.items():
            _line(f"    {name}: ", " ".join(filter(None, (as_sentence(reason), report.how_to_record.get(name, "")))), style="dim")
        return
    names: dict[str, list[str]] = {}
    for name, reason in lacking.items():
        names.setdefault(reason, []).append(name)
    # A rule that failed, which may be the user's own, is never among those that are only counted.
    reasons = sorted(names, key=lambda reason: (not reason.startswith(RULE_FAILED), -len(names[reason])))
    which = f"The first {_REASONS_SHOWN} of {len(reasons)} reasons" if len(reasons) > _REASONS_SHOWN else "Why"
    _line("", f"{count} could not be checked; --all lists every rule. {which}:")
    for reason in reasons[:_REASONS_SHOWN]:
        group = names[reason]
        rules = ", ".join(group) if len(group) <= _RULES_NAMED else f"{len(group)} rules"
        _line("    ", f"{reason_of(reason, len(group))}: {rules}", style="dim")
        # Rules may have the same reason and lack different things.
        for advice in dict.fromkeys(report.how_to_record[name] for name in group if name in report.how_to_record):
            _line("        try: ", advice, style="dim")


def _print_what_does_not_apply(report: Report, list_all: bool) -> None:
    """Says how many rules are about something that this run does not have, and, if all are to be listed, what that is."""
    count = len(report.does_not_apply)
    sentence = f"{_count(count, 'rule')} {'does' if count == 1 else 'do'} not apply to this run, as far as the recording shows"
    _line("", f"{sentence}:" if list_all else f"{sentence}.")
    for name in report.does_not_apply if list_all else ():
        _line(f"    {name}: ", as_sentence(report.not_checked[name]), style="dim")


def _print_incident(incident: Incident, titles: dict[str, str]) -> None:
    cause = incident.cause
    _line("", f"{_severity(cause)}: {titles[cause.rule]} ({cause.rule})", style=_STYLES[cause.severity])
    _line("    ", cause.message)
    _line("    where: ", _places(cause.places))
    if cause.step is not None:
        _line("    since: ", step_in_words(cause.step, is_grouped=True))
    if cause.look_next:
        _line("    look next: ", _places(cause.look_next))
    if cause.value is not None:
        limit = "" if cause.limit is None else f" (limit: {cause.limit:.3g})"
        _line("    measured: ", f"{cause.value:.3g}{limit}. {as_sentence(cause.comparison)}".rstrip())
    for position, advice in enumerate(cause.advice):
        _line("         " if position else "    try: ", advice)
    if cause.wrong_if:
        _line("    wrong if: ", cause.wrong_if, style="dim")
    for finding in incident.consequences:
        since = "" if finding.step is None else f" since {step_in_words(finding.step, is_grouped=True)}"
        _line("    probably follows: ", f"{_severity(finding)}{since}, {finding.rule}, {_places(finding.places[:1])}", style="dim")
    out.print()


def _severity(finding: Finding) -> str:
    return str(finding.severity)


def _places(places: Sequence[Place]) -> str:
    more = f" and {len(places) - _PLACES_SHOWN} more ({len(places)} places)" if len(places) > _PLACES_SHOWN else ""
    return ", ".join(_place(place) for place in places[:_PLACES_SHOWN]) + more


def _place(place: Place) -> str:
    iteration = f" in iteration {place.iteration}" if place.iteration else ""
    source = "" if place.source is None else f" ({place.source})"
    return f"{place.kind} {place.name}".rstrip() + iteration + source


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _line(label: str, text: str, style: str = "") -> None:
    """Prints a text behind a label. On a terminal it is wrapped beside the label; anything else gets one line."""
    text = printable(in_plain_text(text))
    width = max(_NARROWEST, out.width - len(label))
    lines = textwrap.wrap(text, width, break_on_hyphens=False) if out.is_terminal else [text]
    for position, line in enumerate(lines):
        out.print(Text.assemble((" " * len(label) if position else label, "dim"), (line, style)))
