"""Reading a recording that may be incomplete, damaged or hostile."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import DamagedRecordingError, NotARecordingError
from comgra_export.storage.arrays.counts import COUNTS, COUNTS_PER_RECORD, check_counts, read_counts
from comgra_export.storage.arrays.histograms import (
    HISTOGRAM_COLUMNS,
    QUANTILES,
    StepHistograms,
    check_histogram_bins,
    check_histogram_counts,
)
from comgra_export.storage.arrays.layout_arrays import (
    HISTOGRAM_BINS,
    HISTOGRAM_COUNTS,
    ExpectedArray,
    check_arrays,
    expected_arrays,
    expected_histograms,
    histogram_records,
)
from comgra_export.storage.arrays.safetensors import StoredArray, read_array, read_index
from comgra_export.storage.codec.decode_calls import decode_calls
from comgra_export.storage.codec.decode_graph import decode_layout, decode_structure
from comgra_export.storage.codec.decode_lines import SentinelDecoder, decode_curve_point, decode_gap, decode_journal_entry, decode_note
from comgra_export.storage.codec.decode_network import decode_header, decode_network
from comgra_export.storage.codec.decode_step import decode_step
from comgra_export.storage.codec.flows import read_flow_numbers
from comgra_export.storage.files.reading import RecordingFiles, read_file
from comgra_export.storage.model import (
    Blob,
    CallTree,
    CurvePoint,
    FlowNumbers,
    Gap,
    Header,
    Layout,
    Network,
    Note,
    SentinelPoint,
    StepDescription,
    Structure,
)
from comgra_export.storage.sessions import MissingStep, is_closed, sort_steps, without_rewound_points
from comgra_export.storage.text.json_codec import damaged, loads
from comgra_export.storage.text.paths import (
    CALLS,
    CURVES,
    FLOWS,
    GAPS,
    HEADER,
    JOURNAL,
    LAYOUTS,
    NETWORK,
    NOTES,
    SENTINELS,
    STEPS,
    STRUCTURES,
    blob_name,
    description_name,
    flow_name,
    step_of_description,
)

__all__ = ["Recording", "open_recording"]

_T = TypeVar("_T")


def open_recording(folder: Path) -> Recording:
    """Opens the recording in a rank folder. Reads `recording.json`, the journal and the names of the steps; the rest when asked for.

    Args:
        folder: A folder that holds a `recording.json`, such as one found by `find_recordings`.

    Raises:
        NotARecordingError: There is no `recording.json`, or it is something else's.
        NewerFormatError: A newer version wrote it.
        DamagedRecordingError: `recording.json` cannot be read or contradicts the format.
    """
    path = folder / HEADER
    if not os.path.isfile(path) and not os.path.islink(path):
        raise NotARecordingError(f"There is no {HEADER} in {folder}. Give the folder of a recording, such as ROOT/GROUP/TRIAL/rank-0.")
    header = decode_header(loads(read_file(folder, HEADER, str(path)), str(path)), str(path))
    return Recording(folder, header)


class Recording:
    """A recording on disk.

    Nothing in it is trusted. What belongs to a step raises `DamagedRecordingError` where it is damaged, so that the step can be left out.
    What does not (network, notes, curves, gaps, journal, sentinels) is read as far as it can be, and `problems` says what is missing.
    Messages name files by group, trial and rank, never by their place on this machine.

    Attributes:
        folder: The rank folder.
        header: The content of `recording.json`.
        name: `GROUP/TRIAL/rank-K`.
        steps: Numbers of the recorded steps, ascending: those with a description when the recording was opened, without those left
            behind.
        left_behind: Numbers of steps that a resumed run began again from an earlier step. They are written, and do not count.
        journal: When processes began and ended to write, and the steps that they finished, in order. A damaged line is left out.
        sessions: How many processes wrote it, one after another.
        is_closed: Whether the last of them ended the recording; otherwise it is still being written, or was killed.
        problems: A sentence for everything found damaged so far; it grows as parts are read.
    """

    def __init__(self, folder: Path, header: Header) -> None:
        self.folder = folder
        self.header = header
        self.name = f"{header.group}/{header.trial}/rank-{header.rank}"
        self.problems: list[str] = []
        self._files = RecordingFiles(folder, self.name)
        # Before the names of the steps: what is written in the meantime is then no missing step.
        self.journal = self._lines(JOURNAL, decode_journal_entry)
        self.sessions = max(1, len({entry.session for entry in self.journal}))
        self.is_closed = is_closed(self.journal)
        self.steps, self.left_behind, self._missing = sort_steps(self.journal, self._find_steps(), self._session_of)
        self._network_is_damaged = False
        self._layouts: dict[str, Layout] = {}
        self._structures: dict[str, Structure] = {}
        self._calls: dict[str, CallTree] = {}
        self._expected: dict[str, dict[str, ExpectedArray]] = {}
        self._expected_histograms: dict[str, dict[str, ExpectedArray]] = {}
        self._sample_counts: dict[str, set[int]] = {}
        # Of steps that were described: their layouts, and how many samples they have. Their numbers are read without describing them again.
        self._forms: dict[int, tuple[str, int]] = {}

    def __repr__(self) -> str:
        return f"<Recording {self.name}: {len(self.steps)} steps>"

    @cached_property
    def network(self) -> Network:
        """Modules and parameters; empty where `network.json` is missing or damaged."""
        if not os.path.lexists(self.folder / NETWORK):
            return Network()
        try:
            return decode_network(*self._files.json(NETWORK))
        except DamagedRecordingError as error:
            self._network_is_damaged = True
            self._note_problem(str(error))
            return Network()

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The notes, in order. A damaged line is left out."""
        return self._lines(NOTES, decode_note)

    @cached_property
    def curve_points(self) -> tuple[CurvePoint, ...]:
        """The points of all curves, in the order in which they were recorded; per curve, `t` ascends. A damaged line is left out."""
        return without_rewound_points(self._lines(CURVES, decode_curve_point))

    @cached_property
    def sentinel_points(self) -> tuple[SentinelPoint, ...]:
        """The cheap checks of steps, in order. A damaged line is left out, and so are those that only it could explain."""
        decoder = SentinelDecoder()
        return tuple(point for point in self._lines(SENTINELS, decoder.decode, decoder.skip) if point is not None)

    @cached_property
    def missing_steps(self) -> tuple[MissingStep, ...]:
        """Steps that were finished, and are not there: ascending. While the recording is being written, some may just be on their way."""
        reasons = {gap.step: gap.reason for gap in self.gaps if gap.whole_step}
        return tuple(MissingStep(step, reasons.get(step)) for step in self._missing)

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """What could not be recorded and belongs to no recorded step; a step has its own. A damaged line is left out."""
        return self._lines(GAPS, decode_gap)

    def step(self, number: int) -> StepDescription:
        """Reads the description of a step. Facts that refer to what `network.json` does not hold are left out and named in `problems`.

        Raises:
            DamagedRecordingError: It is missing or contradicts the format.
        """
        description = self._description(number)
        self._forms[number] = (description.layout, len(description.samples.index))
        dangling = _dangling_facts(description, self.network)
        # If network.json is damaged, `problems` says that already.
        for fact in () if self._network_is_damaged else dangling:
            self._note_problem(f"{self._files.label(NETWORK)} does not hold what {fact} of some steps refers to, so it is left out there.")
        return replace(
            description,
            module_runs=None if "module_runs" in dangling else description.module_runs,
            parameters=None if "parameters" in dangling else description.parameters,
            learning_rates=None if "learning_rates" in dangling else description.learning_rates,
            calls=() if "calls" in dangling else description.calls,
        )

    def layout(self, digest: str) -> Layout:
        """Reads a layout, once.

        Raises:
            DamagedRecordingError: It is missing, contradicts the format, or its content does not have this hash.
        """
        if digest not in self._layouts:
            self._layouts[digest] = decode_layout(*self._files.hashed_json(LAYOUTS, digest))
        return self._layouts[digest]

    def structure(self, digest: str) -> Structure:
        """Reads a structure, once.

        Raises:
            DamagedRecordingError: It is missing, contradicts the format, or its content does not have this hash.
        """
        if digest not in self._structures:
            self._structures[digest] = decode_structure(*self._files.hashed_json(STRUCTURES, digest))
        return self._structures[digest]

    def calls(self, digest: str) -> CallTree:
        """Reads the calls of an iteration, once. Their modules are positions in `network`.

        Raises:
            DamagedRecordingError: They are missing, contradict the format or `network.json`, or their content does not have this hash.
        """
        if digest not in self._calls:
            self._calls[digest] = decode_calls(*self._files.hashed_json(CALLS, digest), modules=len(self.network.modules))
        return self._calls[digest]

    def blobs(self, number: int, names: Collection[str] | None = None) -> dict[str, Blob]:
        """Reads the numbers of a step: exactly the arrays that its layout implies, with exactly their sizes.

        Args:
            number: The step.
            names: Reads only these of them; None reads all. Time series want `statistics.F32` of every step, and its values of none.

        Returns:
            Arrays by name, in the order of `expected_arrays`: `counts` `[R, 5]`, `extrema.P` `[R_P, 2]`, the others flat.
            BF16 comes as uint16 and BOOL as uint8, with the same bits. Arrays without elements are not there.

        Raises:
            DamagedRecordingError: The step's description, layout or blob is missing, cut off or contradicts the others.
        """
        with self._opened_blob(number) as (stream, expected, stored, file):
            blobs = {}
            for name in expected:
                if names is not None and name not in names:
                    continue
                if name == COUNTS and name not in stored:
                    blobs[name] = read_counts(stream, stored, expected[name].elements // COUNTS_PER_RECORD, file)
                else:
                    blobs[name] = read_array(stream, stored[name], file)
            return blobs

    def histograms(self, number: int) -> StepHistograms:
        """Reads the histograms of a step, which may be those of no record.

        Raises:
            DamagedRecordingError: As `blobs`; or the histograms contradict each other.
        """
        with self._opened_blob(number) as (stream, _, stored, file):
            digest = self._forms[number][0]
            bins = _read_bins(stream, stored, file, self._expected_histograms[digest])
            has_counts = HISTOGRAM_COUNTS in stored
            counts = read_array(stream, stored[HISTOGRAM_COUNTS], file).data.astype(np.int64) if has_counts else np.zeros(0, np.int64)
            check_histogram_counts(bins, counts, file)
            precisions = [place.entry.precision for place in histogram_records(self.layout(digest))]
            quantiles = np.empty((len(precisions), len(QUANTILES)))
            for dtype in set(precisions):
                rows = [row for row, precision in enumerate(precisions) if precision == dtype]
                quantiles[rows] = read_array(stream, stored[f"histograms.quantiles.{dtype}"], file).data
        return StepHistograms(bins, counts, quantiles)

    def flow_numbers(self, number: int, position: int) -> FlowNumbers:
        """Reads the numbers of a gradient flow.

        Args:
            number: The step.
            position: Which of `step(number).flows`, counted from 0.

        Raises:
            DamagedRecordingError: The step's description or the file is missing, cut off, or contradicts the other.
        """
        flow = self._description(number).flows[position]
        name = f"{FLOWS}/{flow_name(number, position)}"
        with self._files.opened(name) as (stream, file):
            return read_flow_numbers(flow, stream, file)

    def check_step(self, number: int) -> bool:
        """Whether a step can be used: its description, its layout, and a blob of exactly the arrays that they imply.

        If it cannot, `problems` says why. Its structures and gradient flows are not checked: without one the graph or the flow is
        missing, but the numbers are there.
        """
        try:
            with self._opened_blob(number) as (stream, _, stored, file):
                _read_bins(stream, stored, file, self._expected_histograms[self._forms[number][0]])
                return True
        except DamagedRecordingError as error:
            self._note_problem(f"Step {number} is damaged. {error}")
            return False

    @contextmanager
    def _opened_blob(self, number: int) -> Iterator[tuple[BufferedReader, dict[str, ExpectedArray], dict[str, StoredArray], str]]:
        """Opens a step's blob, with the arrays that it must hold and, after a check, those that it holds."""
        if number not in self._forms:
            self.step(number)
        layout, samples = self._forms[number]
        expected = self._expected_arrays(layout)
        if not self._sample_counts[layout] <= {0, samples}:
            raise damaged(self._files.label(f"{STEPS}/{description_name(number)}"), "its samples are not as many as its layout says")
        name = f"{STEPS}/{blob_name(number)}"
        with self._files.opened(name) as (stream, file):
            stored = read_index(stream, file)
            if self._counts_are_columns(expected, stored):
                check_counts(stored, expected[COUNTS].elements // COUNTS_PER_RECORD, file)
                check_arrays({name: array for name, array in expected.items() if name != COUNTS}, stored, file)
            else:
                check_arrays(expected, stored, file)
            check_arrays(self._expected_histograms[layout], stored, file)
            yield stream, expected, stored, file

    def _counts_are_columns(self, expected: Mapping[str, ExpectedArray], stored: Mapping[str, StoredArray]) -> bool:
        """Whether a step has its counts as version 2 of the format writes them. One of version 1 may have been appended to."""
        return COUNTS in expected and COUNTS not in stored and self.header.version > 1

    def _expected_arrays(self, digest: str) -> dict[str, ExpectedArray]:
        if digest not in self._expected:
            self._expected[digest] = expected_arrays(self.layout(digest))
            self._expected_histograms[digest] = expected_histograms(self.layout(digest))
            self._sample_counts[digest] = {tensor.samples for tensor in self._layouts[digest].tensors}
        return self._expected[digest]

    def _description(self, number: int) -> StepDescription:
        content, file = self._files.json(f"{STEPS}/{description_name(number)}")
        return decode_step(content, file, number)

    def _session_of(self, number: int) -> int | None:
        try:
            return self._description(number).session
        except DamagedRecordingError:
            return None

    def _find_steps(self) -> tuple[int, ...]:
        try:
            names = self._files.names_in(STEPS)
        except DamagedRecordingError as error:
            self._note_problem(str(error))
            return ()
        return tuple(step for step in map(step_of_description, names) if step is not None)

    def _lines(self, name: str, decode: Callable[[object, str], _T], skip: Callable[[], None] = lambda: None) -> tuple[_T, ...]:
        try:
            decoded, faults = self._files.lines(name, decode, skip)
        except DamagedRecordingError as error:
            self._note_problem(str(error))
            return ()
        if faults:
            lines = f"{len(faults)} of {len(faults) + len(decoded)} lines"
            self._note_problem(f"{lines} of {self._files.label(name)} are left out. The first: {faults[0]}")
        return decoded

    def _note_problem(self, sentence: str) -> None:
        if sentence not in self.problems:
            self.problems.append(sentence)


def _dangling_facts(description: StepDescription, network: Network) -> list[str]:
    """Names of the facts of a step whose positions lead out of the lists of the network, or into those of another session's."""
    runs, parameters, rates = description.module_runs, description.parameters, description.learning_rates
    groups = [len(optimizer.groups) for optimizer in network.optimizers or ()]
    is_older = description.session < network.session
    dangling = {
        # The positions ascend, so that the last one is the largest.
        "module_runs": runs is not None and (is_older or runs.modules[-1:] >= (len(network.modules),)),
        "parameters": parameters is not None and (is_older or parameters.parameters[-1:] >= (len(network.parameters),)),
        "learning_rates": rates is not None
        and (is_older or len(rates) > len(groups) or any(len(of_one) > count for of_one, count in zip(rates, groups, strict=False))),
        # Whether they lead out of the list is known when they are read.
        "calls": bool(description.calls) and is_older,
    }
    return [fact for fact, dangles in dangling.items() if dangles]


def _read_bins(
    stream: BufferedReader, stored: Mapping[str, StoredArray], file: str, expected: Mapping[str, ExpectedArray]
) -> NDArray[np.int64]:
    """Reads the bins of the histograms of a step, `[H, 8]`, and checks that there is a count for each of them."""
    if HISTOGRAM_BINS not in expected:
        return np.zeros((0, HISTOGRAM_COLUMNS), np.int64)
    bins = read_array(stream, stored[HISTOGRAM_BINS], file).data.astype(np.int64)
    counts = stored.get(HISTOGRAM_COUNTS)
    if counts is not None and (counts.dtype not in ("I32", "I64") or len(counts.shape) != 1):
        raise damaged(file, f"the array {HISTOGRAM_COUNTS} is not a list of integers")
    check_histogram_bins(bins, 0 if counts is None else counts.shape[0], file)
    return bins
