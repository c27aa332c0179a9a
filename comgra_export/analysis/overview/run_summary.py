"""The summary of a run that needs none of its numbers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from comgra_export.storage import Config, JournalEntry, Network, ParameterEntry, Recording, SessionEnd, Setting

__all__ = ["Ending", "OptimizerSummary", "RunSummary", "summary_of"]

Ending = Literal["finished", "", "running", "killed", "exception"]
"""How a run ended, the best first. `killed` is also a process that ended without ending its recording. Empty: not known."""

_ORDER: tuple[Ending, ...] = ("finished", "", "running", "killed", "exception")
# The largest integer that every reader of JSON holds exactly.
_MOST = 2**53 - 1


@dataclass(frozen=True)
class OptimizerSummary:
    """An optimizer: its name, the number of its groups, and the settings of the first of them."""

    name: str
    groups: int
    options: Mapping[str, Setting]


@dataclass(frozen=True)
class RunSummary:
    """A run: one rank of a trial, or several together.

    Attributes:
        started: UTC, ISO 8601; empty if it is not known.
        seconds: How long its processes recorded, without the time between them; None if that is not known.
        ending: How the last process ended.
        error: The exception that ended it, in one line; empty if there was none.
        error_step: The step in which it came, or the last one before it; None if there was none.
        between_steps: Whether it came after that step had ended.
        trained: How many training steps the recorder saw, recorded or not. Steps that a resumed run made again count again. None if that
            is not known, as of a process that was killed.
        recorded: How many steps are in the recording.
        parameters: The number of elements of all parameters. Shared ones count once.
        trainable: How many of them require a gradient.
        devices: The kinds of devices that hold parameters.
        dtypes: The dtypes of parameters, in safetensors' spelling.
        optimizers: The optimizers that are known.
        config: The hyperparameters that the script gave.
        last: The last step in the recording; None if it has none, or if that is not known.
    """

    started: str
    seconds: float | None
    ending: Ending
    error: str
    error_step: float | None
    between_steps: bool
    trained: int | None
    recorded: int
    parameters: int
    trainable: int
    devices: tuple[str, ...]
    dtypes: tuple[str, ...]
    optimizers: tuple[OptimizerSummary, ...]
    config: Config
    last: float | None = None


def summary_of(ranks: Sequence[Recording], *, is_live: bool = False) -> RunSummary:
    """Summarizes a run.

    Several ranks are one run. It began with the first of them, took as long as the longest, and ended like the worst; of several
    exceptions, the first counts. Each step that all ranks have counts once. Parameters of the same name are one. Hyperparameters that
    differ between ranks are left out.

    Args:
        ranks: One or several ranks of a trial.
        is_live: Whether a run that did not end is known to go on, even if nothing here shows it.
    """
    ends = [(_ending(rank, is_live), rank) for rank in ranks]
    ending = max((each for each, _ in ends), key=_ORDER.index)
    first = min((rank for each, rank in ends if each == ending), key=_ended_at)
    end = _last_end(first.journal) if ending == "exception" else SessionEnd()
    parameters = _parameters(rank.network for rank in ranks)
    recorded = set(ranks[0].steps).intersection(*(rank.steps for rank in ranks[1:]))
    return RunSummary(
        started=min((rank.header.started for rank in ranks if rank.header.started), default=""),
        seconds=max((seconds for rank in ranks if (seconds := _seconds(rank.journal)) is not None), default=None),
        ending=ending,
        error=end.error or "",
        error_step=end.error_step,
        between_steps=end.between_steps,
        trained=max((trained for rank in ranks if (trained := _trained(rank.journal)) is not None), default=None),
        recorded=len(recorded),
        parameters=_elements(parameters),
        trainable=_elements(each for each in parameters if each.requires_grad),
        devices=tuple(dict.fromkeys(each.device for each in parameters if each.device)),
        dtypes=tuple(dict.fromkeys(each.dtype for each in parameters)),
        optimizers=_optimizers(ranks[0].network),
        config=_config([rank.config for rank in ranks]),
        last=max(recorded, default=None),
    )


def _ending(recording: Recording, is_live: bool) -> Ending:
    if recording.journal and recording.is_closed:
        return "exception" if _last_end(recording.journal).error is not None else "finished"
    if is_live or recording.is_being_written():
        return "running"
    return "killed" if recording.journal else ""


def _last_end(journal: Sequence[JournalEntry]) -> SessionEnd:
    """How the last session ended."""
    last = max(entry.session for entry in journal)
    return next((entry.end for entry in reversed(journal) if entry.session == last and entry.end is not None), SessionEnd())


def _ended_at(recording: Recording) -> tuple[str, float, int]:
    """When the last line of the journal was written; ranks that began in the same second differ in their seconds."""
    times = [entry.time for entry in recording.journal if entry.time is not None and math.isfinite(entry.time)]
    return recording.header.started, max(times, default=math.inf), recording.header.rank


def _seconds(journal: Iterable[JournalEntry]) -> float | None:
    times: defaultdict[int, list[float]] = defaultdict(list)
    for entry in journal:
        if entry.time is not None and math.isfinite(entry.time):
            times[entry.session].append(entry.time)
    seconds = sum(max(of_session) - min(of_session) for of_session in times.values())
    return round(seconds, 3) if times and math.isfinite(seconds) else None


def _trained(journal: Iterable[JournalEntry]) -> int | None:
    """The training steps of all sessions; None if a session does not say how many it saw."""
    sessions: dict[int, int | None] = {}
    for entry in journal:
        sessions[entry.session] = sessions.get(entry.session) if entry.end is None else entry.end.trained
    counts = [count for count in sessions.values() if count is not None]
    return sum(counts) if counts and len(counts) == len(sessions) and sum(counts) <= _MOST else None


def _parameters(networks: Iterable[Network]) -> list[ParameterEntry]:
    """The parameters of all ranks, each once."""
    by_name: dict[str, ParameterEntry] = {}
    for network in networks:
        for parameter in network.parameters:
            by_name.setdefault(parameter.name, parameter)
    return [parameter for parameter in by_name.values() if parameter.alias_of is None]


def _elements(parameters: Iterable[ParameterEntry]) -> int:
    return min(sum(math.prod(parameter.shape) for parameter in parameters), _MOST)


def _optimizers(network: Network) -> tuple[OptimizerSummary, ...]:
    return tuple(
        OptimizerSummary(optimizer.name, len(optimizer.groups), optimizer.groups[0].options if optimizer.groups else {})
        for optimizer in network.optimizers or ()
    )


def _config(configs: Sequence[Config]) -> Config:
    merged: dict[str, Setting] = {}
    differing = set()
    for config in configs:
        for name, value in config.items():
            # NaN differs from itself, and 1 does not differ from True.
            if repr(merged.setdefault(name, value)) != repr(value):
                differing.add(name)
    return {name: value for name, value in merged.items() if name not in differing}
