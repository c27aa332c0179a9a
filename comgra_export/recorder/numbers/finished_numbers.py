"""The numbers of a step that is over: those that were computed in it, and those that the writing thread still has to compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from torch import Tensor

from comgra_export.recorder.host.dtypes import as_array
from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.numbers.buffers import HistogramCopies, Scratch
from comgra_export.recorder.numbers.compute import compute_numbers, numbers_from_sums
from comgra_export.recorder.numbers.facts.target_facts import target_facts
from comgra_export.recorder.numbers.facts.token_facts import token_facts
from comgra_export.recorder.numbers.parts import FORWARD, HISTOGRAM, Part, Place, RecordKey, TensorSums, Waiting, columns_of_records
from comgra_export.recorder.numbers.placement import KnownLayouts, arrange
from comgra_export.storage.model.layout import Blob, Group, Layout, TensorEntry
from comgra_export.storage.model.lines import Gap
from comgra_export.storage.model.step_description import TargetFact, TokenFact

__all__ = ["ArrangedNumbers", "FinishedNumbers", "report_missing_numbers"]


class ArrangedNumbers(NamedTuple):
    """What is written of the tensors of a step.

    Attributes:
        layout: Which tensors there are, in which groups.
        arrays: The arrays of the step by name, as `placement.arrange` returns them.
        target_facts: How its targets compare with its inputs.
        token_facts: The tensors in which the tokens of a sample are almost the same.
    """

    layout: Layout
    arrays: list[tuple[str, Blob]]
    target_facts: tuple[TargetFact, ...]
    token_facts: tuple[TokenFact, ...]


class FinishedNumbers:
    """The numbers of a step that is over. They refer to none of the user's tensors.

    The memory of `copies` is given back when they are counted. `when_computed` is called when nothing is left to compute.

    Attributes:
        rows: The numbers that were computed, on the devices of the tensors.
        size: How many bytes wait to be computed.
    """

    def __init__(
        self,
        step: float,
        groups: Sequence[str],
        entries: Mapping[int, TensorEntry],
        *,
        absent: AbstractSet[RecordKey],
        parts: Sequence[Part],
        sums: Sequence[TensorSums],
        rest: Sequence[Waiting],
        samples: Sequence[int],
        gap_keeper: GapKeeper,
        copies: HistogramCopies,
        when_computed: Callable[[], None],
    ) -> None:
        self.rows = [part.rows for part in parts]
        self.size = sum(tensor.values.nbytes for tensor in rest)
        self._step = step
        self._groups = tuple(groups)
        self._entries = entries
        self._absent = frozenset(absent)
        self._places = [part.place for part in parts]
        self._sums = list(sums)
        self._rest = list(rest)
        self._samples = tuple(samples)
        self._gap_keeper = gap_keeper
        self._copies = copies
        self._when_computed = when_computed

    def arrange(self, arrived: Sequence[Tensor], scratch: Scratch, layouts: KnownLayouts) -> ArrangedNumbers:
        """Computes the rest, and puts everything where the recording format wants it. Call it once, in any thread.

        `arrived` are the `rows`, on the CPU.
        """
        rest, self._rest = self._rest, []
        late = numbers_from_sums(self._sums, self._samples)
        late += compute_numbers(rest, self._samples, self._fail, scratch, None)
        if not rest:
            self._when_computed()
        places = [*self._places, *(part.place for part in late)]
        members: dict[str, set[int]] = {group: set() for group in self._groups}
        for keys in (self._absent, *(place.keys for place in places if place.section == "counts")):
            for group, number in keys:
                members[group].add(number)
        tensors = sorted(set().union(*members.values()))
        rows = {number: row for row, number in enumerate(tensors)}
        groups = tuple(Group(group, tuple(map(rows.__getitem__, sorted(numbers)))) for group, numbers in members.items())
        records = layouts.records(Layout(tuple(map(self._entries.__getitem__, tensors)), groups), tensors)
        numbers = [*arrived, *(part.rows for part in late)]
        arrays = arrange(records, places, self._absent, numbers)
        facts = self._facts(places, numbers)
        if rest:  # Their histograms are counted now.
            late.clear()
            rest.clear()
            numbers.clear()
            self._when_computed()
        self._copies.give_back()
        return ArrangedNumbers(records.layout, arrays, *facts)

    def _facts(self, places: Sequence[Place], numbers: Sequence[Tensor]) -> tuple[tuple[TargetFact, ...], tuple[TokenFact, ...]]:
        entries = [
            (self._entries[number], values)
            for place, rows in zip(places, numbers, strict=False)
            if place.section == HISTOGRAM
            for (group, number), values in zip(place.keys, columns_of_records(place, as_array(rows)[0]), strict=True)
            if group == FORWARD
        ]
        of_tokens = token_facts((entry, values) for entry, values in entries if entry.type in ("input", "calculated"))
        if not any(entry.type == "target" for entry, _ in entries):
            return (), of_tokens
        return target_facts((entry, values) for entry, values in entries if entry.type in ("input", "target")), of_tokens

    def _fail(self, key: RecordKey, error: Exception) -> None:
        group, number = key
        entry = self._entries[number]
        report_missing_numbers(self._gap_keeper, self._step, group, entry.name, entry.iteration, error)


def report_missing_numbers(gap_keeper: GapKeeper, step: float, group: str, name: str, iteration: int, error: Exception) -> None:
    """Keeps the gap of a record whose numbers could not be computed."""
    reason = f"its numbers could not be computed ({describe_error(error)})"
    gap_keeper.report("numbers", Gap(reason, step, iteration, group, name), error)
