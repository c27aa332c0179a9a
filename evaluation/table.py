"""The results as tables in Markdown, for the terminal and for a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from comgra_export.analysis.findings.model.finding import Severity
from evaluation.outcome import Outcome, Variant
from evaluation.program import Program, Truth
from evaluation.published import PUBLISHED
from evaluation.scoring import (
    RunScore,
    Share,
    flagged_programs,
    over_programs,
    precision_of_rules,
    score_run,
    stability,
)

__all__ = ["results"]

_NAMES_SHOWN = 3


def results(outcomes: Sequence[Outcome], programs: Sequence[Program], *, held_out: bool = False, every_step: bool = False) -> str:
    """All tables, as Markdown.

    Args:
        outcomes: Of all runs. Those that failed are named and count nowhere else.
        programs: At least the programs of the outcomes.
        held_out: Whether no rule was tried on these programs, which the titles then name.
        every_step: Whether every step was recorded. Then there is only the first table, to be compared with that of the default schedule.
    """
    good = [outcome for outcome in outcomes if outcome.error is None]
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    truths = {program.name: program.truth for program in programs if program.truth is not None}
    chose = {program.name for program in programs if program.chose_thresholds}
    unused = [outcome for outcome in good if outcome.program not in chose]
    parts = [
        ("How well findings fit", _summary(unused, truths)),
        ("Programs with which limits were chosen", _summary([o for o in good if o.program in chose], truths) if chose else []),
        ("Published detectors on the same recordings", _published(good)),
        ("Precision of each rule on runs with a bug", _precision(good, truths)),
        ("Findings on healthy programs and fixed twins", _alarms(good)),
        ("Programs with a bug", _bugs(good, truths)),
        ("Runs that failed", [["program", "run", "seed", "why"], *_failures(failed)] if failed else []),
    ]
    if every_step:
        parts = [parts[0], parts[-1]]
    which = ", held out" * held_out + ", with every step recorded" * every_step
    return "\n\n".join(_title(title + which, rows) for title, rows in parts if rows) + "\n"


def _title(title: str, rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([f"### {title}", "", lines[0], rule, *lines[1:]])


def _share(share: Share) -> list[str]:
    if not share.total:
        return ["", "", "0"]
    low, high = share.interval
    return [f"{share.value:.1%}", f"{low:.1%} to {high:.1%}", str(share.total)]


def _of(outcomes: Sequence[Outcome], variant: Variant) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.variant == variant]


def _summary(outcomes: Sequence[Outcome], truths: Mapping[str, Truth]) -> list[list[str]]:
    healthy, fixed, buggy = (_of(outcomes, variant) for variant in ("healthy", "fixed", "buggy"))
    scores = [(outcome.program, score_run(outcome, truths[outcome.program])) for outcome in buggy]
    rows = [["what", "share", "95 % interval", "of"]]
    for name, runs in (("healthy programs", healthy), ("fixed twins", fixed)):
        for severity in (Severity.PROBLEM, Severity.SYMPTOM):
            rows.append([f"{name} with a {severity.name} or worse", *_share(flagged_programs(runs, severity))])
    wanted: dict[str, list[tuple[str, bool | None]]] = {
        "right rule first": [(name, score.rule_first) for name, score in scores],
        "right rule among all findings": [(name, score.rule_anywhere) for name, score in scores],
        "right place first": [(name, score.node_first) for name, score in scores],
        "right place among the first three places": [(name, score.node_three) for name, score in scores],
        "right first step": [(name, score.step) for name, score in scores],
        "the very step of the first NaN or infinity": [(name, score.nan_step) for name, score in scores],
    }
    rows += [[name, *_share(over_programs(values))] for name, values in wanted.items()]
    rows.append(["rules that appear with every seed", *_share(stability(outcomes))])
    rows.append(["findings per run of a healthy program", *_mean([len(outcome.findings) for outcome in healthy])])
    rows.append(["findings per run with a bug", *_mean([score.findings for _, score in scores])])
    return rows


def _mean(counts: Sequence[int]) -> list[str]:
    return [f"{sum(counts) / len(counts):.2f}" if counts else "", "", str(len(counts))]


def _published(outcomes: Sequence[Outcome]) -> list[list[str]]:
    """Per detector, how many healthy programs, fixed twins and programs with a bug it flags in any run."""
    rows = [["detector", "healthy flagged", "fixed twins flagged", "bugs flagged", "rules that fire on healthy programs"]]
    own = [_flagged_by(_of(outcomes, variant), None) for variant in ("healthy", "fixed", "buggy")]
    rows.append(["findings, PROBLEM or worse", *own, ""])
    for tool in PUBLISHED:
        shares = [_flagged_by(_of(outcomes, variant), tool) for variant in ("healthy", "fixed", "buggy")]
        fires = Counter(name.partition(": ")[2] for o in _of(outcomes, "healthy") for name in o.published if name.startswith(f"{tool}: "))
        rows.append([tool, *shares, ", ".join(f"{name} {count}" for name, count in fires.most_common())])
    return rows


def _flagged_by(outcomes: Sequence[Outcome], tool: str | None) -> str:
    if tool is None:
        share = flagged_programs(outcomes, Severity.PROBLEM)
    else:
        programs = {outcome.program for outcome in outcomes}
        alarmed = {outcome.program for outcome in outcomes if any(name.startswith(f"{tool}: ") for name in outcome.published)}
        share = Share(len(alarmed), len(programs))
    return f"{share.value:.0%} of {share.total}" if share.total else ""


def _precision(outcomes: Sequence[Outcome], truths: Mapping[str, Truth]) -> list[list[str]]:
    shares = precision_of_rules(_of(outcomes, "buggy"), truths)
    return [["rule", "right or explained", "95 % interval", "findings"], *([rule, *_share(share)] for rule, share in shares.items())]


def _alarms(outcomes: Sequence[Outcome]) -> list[list[str]]:
    rows = [["program", "run", "rule", "severity", "seeds", "first message"]]
    alarms: dict[tuple[str, str, str], list[tuple[int, int, str]]] = {}
    for outcome in outcomes:
        if outcome.variant != "buggy":
            for seen in outcome.findings:
                row = (outcome.seed, seen.severity, seen.message)
                alarms.setdefault((outcome.program, outcome.variant, seen.rule), []).append(row)
    for (program, variant, rule), times in sorted(alarms.items(), key=lambda item: (item[0][1] != "healthy", item[0])):
        seeds = ", ".join(str(seed) for seed in sorted({seed for seed, _, _ in times}))
        severity = Severity(max(severity for _, severity, _ in times)).name
        rows.append([program, variant, rule, severity, seeds, times[0][2].replace("|", "\\|")])
    return rows


def _bugs(outcomes: Sequence[Outcome], truths: Mapping[str, Truth]) -> list[list[str]]:
    """Per program with a bug what was expected and what the first incidents of its first run say."""
    rows = [["program", "expected", "place", "right rule", "first causes of the first seed", "right place first", "right step"]]
    buggy = _of(outcomes, "buggy")
    for program in dict.fromkeys(outcome.program for outcome in buggy):
        runs = [outcome for outcome in buggy if outcome.program == program]
        truth = truths[program]
        scores = [score_run(outcome, truth) for outcome in runs]
        causes = [seen.short for seen in runs[0].causes[:3]]
        rows.append(
            [
                program,
                ", ".join(truth.rules),
                _some(truth.nodes),
                _verdict(scores),
                ", ".join(causes),
                _ratio([score.node_first for score in scores]),
                _ratio([score.step for score in scores]),
            ]
        )
    return rows


def _some(names: Sequence[str]) -> str:
    """The first names, and how many more: a module of a deep network stands for many."""
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _verdict(scores: Sequence[RunScore]) -> str:
    if all(score.rule_first for score in scores):
        return "first"
    first, anywhere = sum(score.rule_first for score in scores), sum(score.rule_anywhere for score in scores)
    return f"first {first}, found {anywhere} of {len(scores)}" if anywhere else "no"


def _ratio(values: Sequence[bool | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known)} of {len(known)}" if known else ""


def _failures(failed: Sequence[Outcome]) -> list[list[str]]:
    return [[o.program, o.variant, str(o.seed), (o.error or "").replace("\n", " ").replace("|", "\\|")] for o in failed]
