"""The numbers of a step that is over: those that were computed in it, and those that are left to compute by the thread that writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from torch import Tensor

from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.host.memory import bytes_of
from comgra_export.recorder.numbers.buffers import HistogramCopies, Scratch
from comgra_export.recorder.numbers.compute import compute_numbers, numbers_from_sums
from comgra_export.recorder.numbers.parts import Part, RecordKey, TensorSums, Waiting
from comgra_export.recorder.numbers.placement import KnownLayouts, arrange
from comgra_export.storage.model import Blob, Gap, Group, Layout, TensorEntry

__all__ = ["FinishedNumbers", "report_missing_numbers"]


class FinishedNumbers:
    """What becomes of the tensors of a step when it is over. It refers to none of the user's tensors.

    Args:
        step: The step.
        groups: In which order the groups are recorded.
        entries: What the tensors are, by number.
        absent: Records of tensors whose gradient was absent.
        parts: What was computed.
        sums: What was looked at, from which numbers are left to compute.
        rest: What is left to compute.
        samples: Positions in the batch that are recorded one by one.
        gap_keeper: Where trouble goes.
        copies: Where the values lie that histograms are made of. Given back when those are counted.
        when_computed: Called when nothing is left to compute.

    Attributes:
        rows: What was computed, on the devices of the tensors.
        size: How many bytes wait to be computed.
    """

    def __init__(
        self,
        step: int,
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
        self.size = sum(bytes_of(one.values) for one in rest)
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

    def arrange(self, arrived: Sequence[Tensor], scratch: Scratch, layouts: KnownLayouts) -> tuple[Layout, list[tuple[str, Blob]]]:
        """Computes what is left, and puts everything where the recording format wants it. Called once, in any thread.

        Args:
            arrived: `rows`, on the CPU.
            scratch: Where intermediate results lie.
            layouts: Those of the last steps.

        Returns:
            Which tensors there are, in which groups; and the arrays of the step by name, as `arrays.arrange` does.
        """
        rest, self._rest = self._rest, []
        late = numbers_from_sums(self._sums, self._samples)
        late += compute_numbers(rest, self._samples, self._fail, scratch, self._copies)
        rest.clear()
        self._when_computed()
        places = [*self._places, *(part.place for part in late)]
        members: dict[str, set[int]] = {group: set() for group in self._groups}
        for keys in (self._absent, *(place.keys for place in places if place.section == "counts")):
            for group, number in keys:
                members[group].add(number)
        tensors = sorted(set().union(*members.values()))
        rows = {number: row for row, number in enumerate(tensors)}
        groups = tuple(Group(group, tuple(map(rows.__getitem__, sorted(found)))) for group, found in members.items())
        records = layouts.records(Layout(tuple(map(self._entries.__getitem__, tensors)), groups), tensors)
        arrays = arrange(records, places, self._absent, [*arrived, *(part.rows for part in late)])
        self._copies.give_back()
        return records.layout, arrays

    def _fail(self, key: RecordKey, error: Exception) -> None:
        group, number = key
        entry = self._entries[number]
        report_missing_numbers(self._gap_keeper, self._step, group, entry.name, entry.iteration, error)


def report_missing_numbers(gap_keeper: GapKeeper, step: int, group: str, name: str, iteration: int, error: Exception) -> None:
    """Keeps the gap of a record whose numbers could not be computed."""
    reason = f"its numbers could not be computed ({describe_error(error)})"
    gap_keeper.report("numbers", Gap(reason, step, iteration, group, name), error)
