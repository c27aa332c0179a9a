"""From a folder of recordings to what is wrong in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from comgra_export.analysis.associations.associate import associate
from comgra_export.analysis.findings.catalogue import all_rules
from comgra_export.analysis.findings.find import find
from comgra_export.analysis.findings.model.report import Report
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.findings.muting import Mute
from comgra_export.analysis.findings.settings import find_settings, read_mutes
from comgra_export.analysis.history.run import Run, find_trials, iterate_runs, together
from comgra_export.analysis.ranks import MergedRecording
from comgra_export.analysis.ranks.reopening import opened_at, places_of
from comgra_export.errors import WrongChoiceError
from comgra_export.storage import Place, Recording, place_of
from comgra_export.storage.text.names import names_instead
from comgra_export.storage.trials import folders_of_namesakes, names_of_trials
from comgra_export.workers import Workers

__all__ = ["choose_rules", "findings", "iterate_reports", "mutes_of"]


def findings(
    path: str | os.PathLike[str],
    *,
    rules: Sequence[str | Rule] | None = None,
    mutes: Collection[Mute] | None = None,
) -> list[Report]:
    """Says what looks wrong in recordings, where, and since when.

    Args:
        path: The root given to the recorder, or a group, trial or rank folder in it, or the address of one.
        rules: The rules to check: names, or rules of your own. All rules by default, those of installed packages included.
        mutes: Which findings are counted and not shown. By default those in `comgra-findings.toml`, in the working directory or a parent
            up to the root of the repository.

    Returns:
        A report for each trial. The ranks of a trial are merged. Associations are in it if all rules are checked.

    Raises:
        NotARecordingError: There is no recording.
        RecordingError: A recording cannot be opened.
        WrongChoiceError: There is no such rule, or `comgra-findings.toml` is not understood.
        MisuseError: What an installed package names as its rule is not a rule.
    """
    known = all_rules()
    chosen = choose_rules(rules, known)
    return list(iterate_reports(path, chosen, mutes_of(None, known) if mutes is None else mutes, associations=rules is None))


def iterate_reports(
    path: str | os.PathLike[str],
    rules: Sequence[Rule],
    mutes: Collection[Mute],
    on_step: Callable[[int, int], None] | None = None,
    *,
    associations: bool = False,
    workers: Workers = Workers(),  # noqa: B008 - it cannot be changed.
    trial: str | None = None,
) -> Iterator[Report]:
    """Checks rules on one trial after the other.

    Args:
        path: As for `findings`.
        rules: The rules.
        mutes: As for `findings`.
        on_step: Gets how many steps of all trials are read, and how many there are.
        associations: Whether to check for associations, too.
        workers: Who computes; each trial is a task.
        trial: The only trial to check, by its name among the keys of `read(path).trials`; None: all of them.
    """
    trials = find_trials(path)
    named = zip(names_of_trials(trials), folders_of_namesakes(trials, place_of(path)), trials, strict=True)
    chosen = [each for each in named if trial in (None, each[0])]
    recordings = [together(ranks.values()) for _, _, ranks in chosen]
    report_of = partial(_report_of, tuple(rules), tuple(mutes), associations)
    for (name, folder, _), report in zip(chosen, _iterate_reports(recordings, report_of, on_step, workers), strict=True):
        yield replace(report, run=name, folder=folder)


def _iterate_reports(
    opened: Sequence[Recording | MergedRecording],
    report_of: Callable[[Run], Report],
    on_step: Callable[[int, int], None] | None,
    workers: Workers,
) -> Iterator[Report]:
    if workers.are_one:
        yield from map(report_of, iterate_runs(opened, on_step))
        return
    total, done = sum(len(each.steps) for each in opened), 0
    for recording, report in zip(opened, workers.map(partial(_reopened_report, report_of), map(places_of, opened)), strict=True):
        done += len(recording.steps)
        if on_step is not None:
            on_step(done, total)
        yield report


def _reopened_report(report_of: Callable[[Run], Report], places: tuple[Place, ...]) -> Report:
    return report_of(Run(opened_at(places)))


def _report_of(rules: Sequence[Rule], mutes: Collection[Mute], associations: bool, run: Run) -> Report:
    report = find(run, rules, mutes)
    if associations:
        try:
            report = replace(report, associations=associate(run))
        except Exception as error:
            failed = f"what goes together was not looked for ({type(error).__name__})"
            report = replace(report, problems=(*report.problems, failed))
    return report


def choose_rules(wanted: Sequence[str | Rule] | None, known: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules that somebody asks for, each once; all known ones for None.

    Raises:
        WrongChoiceError: A name is not that of a rule.
    """
    by_name = {rule.name: rule for rule in known}
    chosen: dict[str, Rule] = {}
    for each in known if wanted is None else wanted:
        name = each.name if isinstance(each, Rule) else each
        if not isinstance(each, Rule) and name not in by_name:
            raise WrongChoiceError(f"There is no rule {name!r}. {names_instead(name, sorted(by_name))}")
        chosen[name] = each if isinstance(each, Rule) else by_name[name]
    return tuple(chosen.values())


def mutes_of(file: Path | None, known: Sequence[Rule]) -> tuple[Mute, ...]:
    """What a file of settings mutes; for None, the file that belongs to the working directory, if there is one.

    Raises:
        WrongChoiceError: The file is not understood.
    """
    file = find_settings(Path.cwd()) if file is None else file
    return () if file is None else read_mutes(file, {rule.name for rule in known})
