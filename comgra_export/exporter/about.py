"""The About page of a bundle: where its recordings come from, and what was left out or rounded on purpose, in sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from comgra_export.exporter.format.index import About, AboutRecording, Session
from comgra_export.exporter.plan.kept_values import KeptValues
from comgra_export.exporter.plan.plan import Plan, PlannedStep, PlannedTrial, Reduction
from comgra_export.exporter.plan.selection import SampleChoice
from comgra_export.exporter.reporting.problems import Problems, steps_in_words
from comgra_export.storage import JournalEntry, MissingStep, Recording, TensorEntry
from comgra_export.storage.text.steps import step_in_words

__all__ = ["about_page"]

_NAMES_LISTED = 5
_DTYPE_NAMES = {"F16": "float16", "BF16": "bfloat16"}


def about_page(
    recorded: Plan,
    bundled: Plan,
    problems: Problems,
    *,
    trials_left_out: tuple[str, ...],
    samples: SampleChoice | None,
    max_bytes: int | None,
) -> About:
    """Says where the trials come from, what they lack, and what of them is not in the bundle, or not exactly.

    What the recordings lack is added to `problems`. `samples` are the samples that are wanted; None: all. `max_bytes` is the size that the
    bundle had to fit, if something was left out for it.
    """
    for planned in recorded.trials:
        problems.add(planned.source.recording.problems)
    ranks = [(planned, planned.source.recording) for planned in recorded.trials if isinstance(planned.source.recording, Recording)]
    for planned, recording in ranks:
        problems.add(_missing_steps(planned.source.label, recording.missing_steps))
        problems.add(_no_steps(planned.source.label, recording))
    return {
        "recordings": [_about_recording(planned, recording) for planned, recording in ranks],
        "omissions": _omissions(recorded, bundled, trials_left_out, samples, max_bytes),
        "problems": problems.sentences,
    }


def _about_recording(planned: PlannedTrial, recording: Recording) -> AboutRecording:
    """Describes a rank of a trial, and the processes that wrote it one after another."""
    header = recording.header
    return {
        "trial": planned.source.name,
        "rank": header.rank,
        "world_size": header.world_size,
        "writer": header.writer,
        "torch_version": header.torch_version,
        "started": header.started,
        "sessions": _sessions(planned, recording.journal),
        "left_behind": len(recording.left_behind),
    }


def _sessions(planned: PlannedTrial, journal: Iterable[JournalEntry]) -> list[Session]:
    steps: defaultdict[int, list[float]] = defaultdict(list)
    closed: dict[int, bool] = {}
    for step in planned.steps:
        steps[step.description.session].append(step.description.step)
    for entry in journal:
        closed[entry.session] = closed.get(entry.session, False) or entry.event == "closed"
    return [
        {
            "first": min(steps[session], default=None),
            "last": max(steps[session], default=None),
            "steps": len(steps[session]),
            "closed": closed.get(session),
        }
        for session in sorted({*steps, *closed})
    ]


def _missing_steps(label: str, missing: Iterable[MissingStep]) -> list[str]:
    """Names the steps that were finished but are not in a recording: a sentence per reason."""
    by_reason: defaultdict[str, list[float]] = defaultdict(list)
    for step in missing:
        by_reason[step.reason or "Its process ended before it was written."].append(step.step)
    return [f"{steps_in_words(label, steps)} was finished, but is missing. {reason}" for reason, steps in by_reason.items()]


def _no_steps(label: str, recording: Recording) -> list[str]:
    """Says what to do if a recording has no step, and none is missing."""
    if recording.steps or recording.missing_steps:
        return []
    return [
        f"{label} has no recorded step, so there are no tensors to show. Was the watched module itself called, as in model(x)? "
        "With a ComgraRecorder, steps are recorded between start_batch and finish_batch. The schedule must ask for them: every=1 does."
    ]


def _omissions(
    recorded: Plan, bundled: Plan, trials_left_out: tuple[str, ...], samples: SampleChoice | None, max_bytes: int | None
) -> list[str]:
    sentences = []
    if trials_left_out:
        trials = len({trial.source.name for trial in recorded.trials})
        sentences.append(f"{len(trials_left_out):,} of {len(trials_left_out) + trials:,} trials are left out: {_listed(trials_left_out)}.")
    all_steps, steps = _steps(recorded), _steps(bundled)
    if len(steps) < len(all_steps):
        sentences.append(f"{len(all_steps) - len(steps):,} of {len(all_steps):,} recorded steps are left out. Curves are whole.")
    sentences += _about_values(steps)
    sentences += _about_histograms(recorded, bundled)
    sentences += _about_flows(bundled)
    most = max((len(step.description.samples.index) for step in steps), default=0)
    if samples is not None and samples.count is not None and samples.count > most:
        sentences.append(f"Values of {samples.count:,} samples were asked for, and no step has those of more than {most:,}.")
    if sentences and max_bytes is not None:
        sentences.append(f"The bundle was to have at most {max_bytes / 1e6:,.1f} MB, for which some of this was necessary.")
    return sentences


def _about_histograms(recorded: Plan, bundled: Plan) -> list[str]:
    with_them, kept = (
        {(trial.source.label, step.description.step) for trial in plan.trials for step in trial.steps if step.has_histograms}
        for plan in (recorded, bundled)
    )
    there = {(trial.source.label, step.description.step) for trial in bundled.trials for step in trial.steps} & with_them
    lost = len(there) - len(kept)
    return [f"Histograms are left out of {lost:,} of {len(there):,} steps."] if lost else []


def _about_flows(bundled: Plan) -> list[str]:
    names = [
        (f"{flow.name} of {step_in_words(step.description.step)}", position in step.flows)
        for trial in bundled.trials
        for step in trial.steps
        for position, flow in enumerate(step.description.flows)
    ]
    lost = tuple(name for name, is_kept in names if not is_kept)
    return (
        [f"{len(lost):,} of {len(names):,} gradient flows {'is' if len(lost) == 1 else 'are'} left out: {_listed(lost)}."] if lost else []
    )


def _about_values(steps: list[PlannedStep]) -> list[str]:
    rounded: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    steps_without: Counter[str] = Counter()
    names: dict[str, set[str]] = {"values": set(), "parameters": set(), "aggregates": set()}
    reductions = Counter(step.reduction for step in steps if step.reduction is not None)
    for reduction, times in reductions.items():
        for kind, (count, tensors) in _losses(reduction).items():
            dropped[kind] += count * times
            steps_without[kind] += times
            names[kind] |= tensors
        rounded.update({dtype: count * times for dtype, count in _rounded(reduction).items()})
    what = {
        "values": "values of single samples, and of tensors without a batch dimension,",
        "parameters": "values of parameters",
        "aggregates": "values over the batch (mean, largest magnitude and standard deviation of each neuron)",
    }
    sentences = [
        f"{dropped[kind]:,} {words} are left out, of {len(names[kind]):,} {'tensor' if len(names[kind]) == 1 else 'tensors'} "
        f"in {steps_without[kind]:,} of {len(steps):,} steps: {_listed(tuple(sorted(names[kind])))}."
        for kind, words in what.items()
        if dropped[kind]
    ]
    for dtype, count in sorted(rounded.items()):
        sentences.append(f"{count:,} values are rounded to {_DTYPE_NAMES[dtype]}; the page says at which tensors.")
    if sentences:
        sentences.append(
            "Statistics, counts of NaN, infinities and zeros, extremes and curves are exact: they were computed from all values."
        )
    return sentences


def _losses(reduction: Reduction) -> dict[str, tuple[int, set[str]]]:
    """By class of values, how many of a step are left out, and of which tensors."""
    lost: dict[str, tuple[int, set[str]]] = {}
    for entry, kept in _records(reduction):
        kind = "parameters" if entry.type == "parameter" else "values"
        missing = {
            kind: entry.values_count - (kept.rows(entry) * entry.values_per_sample if entry.values_count else 0),
            "aggregates": entry.aggregates_count if kept.aggregates is None else 0,
        }
        for name, count in missing.items():
            if count:
                before, tensors = lost.get(name, (0, set()))
                lost[name] = (before + count, tensors | {entry.name})
    return lost


def _rounded(reduction: Reduction) -> Counter[str]:
    """By dtype, how many values of a step are rounded to it."""
    counts: Counter[str] = Counter()
    for entry, kept in _records(reduction):
        if entry.values_count and kept.stored != entry.stored:
            counts[kept.stored] += kept.rows(entry) * entry.values_per_sample
        if kept.aggregates not in (None, entry.precision):
            counts[str(kept.aggregates)] += entry.aggregates_count
    return counts


def _records(reduction: Reduction) -> Iterator[tuple[TensorEntry, KeptValues]]:
    for group in reduction.layout.groups:
        for tensor in group.tensors:
            yield reduction.layout.tensors[tensor], reduction.kept[tensor]


def _steps(plan: Plan) -> list[PlannedStep]:
    """The steps that were recorded; what is merged was not recorded on its own."""
    trials: list[PlannedTrial] = [trial for trial in plan.trials if trial.source.rank is not None]
    return [step for trial in trials for step in trial.steps]


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMES_LISTED:,} more" if len(names) > _NAMES_LISTED else ""
    return ", ".join(names[:_NAMES_LISTED]) + more
