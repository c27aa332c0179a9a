"""Reads what an export needs of its recordings, here or in workers, in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar
from uuid import uuid4

from comgra_export.analysis.ranks import MergedRecording
from comgra_export.analysis.ranks.reopening import places_of, reopened
from comgra_export.exporter.plan.sources import Source
from comgra_export.storage import Place, Recording
from comgra_export.workers import Workers

__all__ = ["STEPS_PER_TASK", "Reader", "batches"]

STEPS_PER_TASK = 32
"""How many steps a worker reads at a time if little is read of each."""

_Input = TypeVar("_Input")
_Result = TypeVar("_Result")


class Reader:
    """Computes functions of the recordings of one export.

    Attributes:
        is_alone: Whether this process computes everything itself, from the recordings that it has open.
    """

    def __init__(self, workers: Workers) -> None:
        self.is_alone = workers.are_one
        self._workers = workers
        self._occasion = uuid4().hex

    def each(
        self, function: Callable[[Recording | MergedRecording, _Input], _Result], wanted: Iterable[tuple[Source, Sequence[_Input]]]
    ) -> Iterator[_Result]:
        """Computes a function of a recording and each of some inputs.

        Args:
            function: What to compute. For workers it is one of a module, and all of it that matters is in its result.
            wanted: Batches of inputs, and the recording of each. A worker computes a batch at a time.

        Yields:
            The results, in the order of the inputs.
        """
        if self.is_alone:
            for source, inputs in wanted:
                for given in inputs:
                    yield function(source.recording, given)
            return
        tasks = ((places_of(source.recording), inputs) for source, inputs in wanted)
        for results in self._workers.map(partial(_of_batch, function, self._occasion), tasks):
            yield from results


def _of_batch(
    function: Callable[[Recording | MergedRecording, _Input], _Result], occasion: str, batch: tuple[tuple[Place, ...], Sequence[_Input]]
) -> list[_Result]:
    places, inputs = batch
    recording = reopened(places, occasion)
    return [function(recording, given) for given in inputs]


def batches(inputs: Iterable[_Input], size: int, size_of: Callable[[_Input], int] = lambda _: 1) -> Iterator[list[_Input]]:
    """Puts inputs that follow one another together, until they have a size."""
    batch: list[_Input] = []
    total = 0
    for given in inputs:
        batch.append(given)
        total += size_of(given)
        if total >= size:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch
