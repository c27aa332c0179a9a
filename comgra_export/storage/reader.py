"""Reading a recording that may be incomplete, damaged or hostile."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import DamagedRecordingError, NotARecordingError
from comgra_export.storage.arrays.histograms import StepHistograms
from comgra_export.storage.arrays.layout_arrays import RecordPlace
from comgra_export.storage.codec.config import MAX_CONFIG_BYTES, Config, decode_config
from comgra_export.storage.codec.decode_calls import decode_calls
from comgra_export.storage.codec.decode_graph import decode_layout, decode_structure
from comgra_export.storage.codec.decode_lines import SentinelDecoder, decode_curve_point, decode_gap, decode_journal_entry, decode_note
from comgra_export.storage.codec.decode_network import decode_header, decode_network
from comgra_export.storage.codec.decode_step import decode_step
from comgra_export.storage.codec.flow_codec import read_flow_numbers
from comgra_export.storage.files.places import Place, bytes_in, exists, is_file, place_of
from comgra_export.storage.files.recording_files import RecordingFiles, is_being_written, read_file, size_of
from comgra_export.storage.files.tolerant import TolerantFiles
from comgra_export.storage.model.calls import CallTree
from comgra_export.storage.model.gradient_flows import FlowNumbers, GradientFlow
from comgra_export.storage.model.layout import Blob, Layout, Structure
from comgra_export.storage.model.lines import CurvePoint, Gap, Note, SentinelPoint
from comgra_export.storage.model.network import Network
from comgra_export.storage.model.recording import Header
from comgra_export.storage.model.step_description import StepDescription
from comgra_export.storage.network_positions import without_dangling_positions
from comgra_export.storage.sessions import (
    MissingStep,
    is_closed,
    sort_steps,
    steps_outlived,
    without_repeated_curves,
    without_rewound_points,
)
from comgra_export.storage.step_arrays import StepArrays, StepForm
from comgra_export.storage.text import paths
from comgra_export.storage.text.checksums import check_json, has_checksum
from comgra_export.storage.text.json_codec import loads
from comgra_export.storage.text.limits import Limit, check_limit
from comgra_export.storage.text.steps import step_in_words

__all__ = ["Recording", "open_recording"]

_NO_REASON = "It could not be written, and neither could the reason. The disk may have been full."


def open_recording(folder: str | os.PathLike[str]) -> Recording:
    """Opens the recording in a rank folder. Reads `recording.json`, the journal and the names of the steps; the rest when asked for.

    Args:
        folder: A folder that holds a `recording.json`, such as one found by `find_recordings`, or its address.

    Raises:
        NotARecordingError: There is no `recording.json`, or it is something else's.
        NewerFormatError: A newer version wrote it.
        DamagedRecordingError: `recording.json` cannot be read or contradicts the format.
    """
    folder = place_of(folder)
    path = folder / paths.HEADER
    if not is_file(path) and not path.is_symlink():
        raise NotARecordingError(
            f"There is no {paths.HEADER} in {folder}. Give the folder of a recording, such as ROOT/GROUP/TRIAL/rank-0."
        )
    text = read_file(folder, paths.HEADER, str(path))
    header = decode_header(loads(text, str(path)), str(path))
    if header.checksums or has_checksum(text):
        check_json(text, str(path))
    return Recording(folder, header)


class Recording:
    """A recording on disk.

    Nothing in it is trusted. What belongs to a step raises `DamagedRecordingError` if it is damaged, so that the step can be left out.
    What does not (network, config, notes, curves, gaps, journal, sentinels) is read as far as it can be, and `problems` says what is
    missing. Messages name files by group, trial and rank, never by their place on this machine.

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

    def __init__(self, folder: Place, header: Header, tolerant: type[TolerantFiles] = TolerantFiles) -> None:
        self.folder = folder
        self.header = header
        self.name = f"{header.group}/{header.trial}/rank-{header.rank}"
        self._files = RecordingFiles(folder, self.name, checksums=header.checksums)
        self._tolerant = tolerant(folder, self._files)
        self.problems = self._tolerant.problems
        # Before the names of the steps: what is written in the meantime is then no missing step.
        self.journal = self._tolerant.lines(paths.JOURNAL, decode_journal_entry)
        self.sessions = max(1, len({entry.session for entry in self.journal}))
        self.is_closed = is_closed(self.journal)
        self.steps, self.left_behind, self._missing = sort_steps(self.journal, self._tolerant.described_steps(), self._session_of)
        self._network_is_damaged = False
        self._layouts: dict[str, Layout] = {}
        self._structures: dict[str, Structure] = {}
        self._calls: dict[str, CallTree] = {}
        self._arrays = StepArrays(self._files, header.version, self.layout)
        # The numbers of a step are read without describing it again.
        self._forms: dict[float, StepForm] = {}
        self._elements_without_numbers: dict[tuple[float, int], int] = {}

    def __repr__(self) -> str:
        return f"<Recording {self.name}: {len(self.steps)} steps>"

    @cached_property
    def network(self) -> Network:
        """Modules and parameters; empty if `network.json` is missing or damaged."""
        network = self._tolerant.json(paths.NETWORK, decode_network)
        self._network_is_damaged = network is None and exists(self.folder / paths.NETWORK)
        return Network() if network is None else network

    @cached_property
    def config(self) -> Config:
        """The hyperparameters of the run; empty if the script gave none, or `config.json` is damaged."""
        return self._tolerant.json(paths.CONFIG, decode_config, MAX_CONFIG_BYTES) or {}

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The notes, in order. A damaged line is left out."""
        return self._tolerant.lines(paths.NOTES, decode_note)

    @cached_property
    def curve_points(self) -> tuple[CurvePoint, ...]:
        """The points of all curves, in the order in which they were recorded; per curve, `t` ascends. A damaged line is left out.

        So is a curve of the recorder's own if the script has recorded one of that name.
        """
        return without_repeated_curves(without_rewound_points(self._tolerant.lines(paths.CURVES, decode_curve_point)))

    @cached_property
    def sentinel_points(self) -> tuple[SentinelPoint, ...]:
        """The cheap checks of steps, in order. A damaged line is left out, and so are those that only it could explain."""
        decoder = SentinelDecoder()
        return tuple(point for point in self._tolerant.lines(paths.SENTINELS, decoder.decode, decoder.skip) if point is not None)

    @cached_property
    def missing_steps(self) -> tuple[MissingStep, ...]:
        """Steps that were finished, and are not there: ascending. While the recording is being written, some may just be on their way."""
        reasons = {gap.step: gap.reason for gap in self.gaps if gap.whole_step}
        went_on = steps_outlived(self.journal, self.steps)
        return tuple(MissingStep(step, reasons.get(step, _NO_REASON if step in went_on else None)) for step in self._missing)

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """What could not be recorded and belongs to no recorded step; a step has its own. A damaged line is left out."""
        return self._tolerant.lines(paths.GAPS, decode_gap)

    def step(self, number: float) -> StepDescription:
        """Reads the description of a step. What refers to something that `network.json` does not hold is left out and named in `problems`.

        Raises:
            DamagedRecordingError: It is missing or contradicts the format.
        """
        description = self._description(number)
        self._forms[number] = StepForm(number, description.layout, len(description.samples.index))
        kept, dangling = without_dangling_positions(description, self.network)
        # If network.json is damaged, `problems` says that already.
        for name in () if self._network_is_damaged else dangling:
            self._tolerant.note(
                f"{self._files.label(paths.NETWORK)} does not hold what {name} of some steps refers to, so it is left out there."
            )
        return kept

    def layout(self, digest: str) -> Layout:
        """Reads a layout, once.

        Raises:
            DamagedRecordingError: It is missing, contradicts the format, or its content does not have this hash.
        """
        if digest not in self._layouts:
            self._layouts[digest] = decode_layout(*self._files.hashed_json(paths.LAYOUTS, digest))
        return self._layouts[digest]

    def structure(self, digest: str) -> Structure:
        """Reads a structure, once.

        Raises:
            DamagedRecordingError: It is missing, contradicts the format, or its content does not have this hash.
        """
        if digest not in self._structures:
            self._structures[digest] = decode_structure(*self._files.hashed_json(paths.STRUCTURES, digest))
        return self._structures[digest]

    def calls(self, digest: str) -> CallTree:
        """Reads the calls of an iteration, once. Their modules are positions in `network`.

        Raises:
            DamagedRecordingError: They are missing, contradict the format or `network.json`, or their content does not have this hash.
        """
        if digest not in self._calls:
            self._calls[digest] = decode_calls(*self._files.hashed_json(paths.CALLS, digest), modules=len(self.network.modules))
        return self._calls[digest]

    def blobs(self, number: float, names: Collection[str] | None = None) -> dict[str, Blob]:
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
        return self._arrays.read(self._form_of(number), names)

    def values(self, number: float, places: Sequence[RecordPlace]) -> list[NDArray[np.float32]]:
        """Reads the values of some records of a step, and of no others.

        Args:
            number: The step.
            places: The places of the records, by the layout of this step.

        Returns:
            Per record its values, `[S, N]`: those of the samples that were recorded one by one. `[1, N]` without a batch dimension,
            `[0, N]` if its values were not recorded. What float32 cannot hold is infinite.

        Raises:
            DamagedRecordingError: As `blobs`.
        """
        return self._arrays.values(self._form_of(number), places)

    def mapped_values(self, number: float, place: RecordPlace) -> NDArray[np.generic]:
        """The values of a record of a step where they lie in the file: read-only, and read when they are used.

        Args:
            number: The step.
            place: The place of the record, by the layout of this step.

        Returns:
            Its values, `[S, N]`, `[1, N]` without a batch dimension, or `[0, N]` if they were not recorded. They have their own dtype;
            BF16 comes as uint16 and BOOL as uint8, with the same bits.

        Raises:
            DamagedRecordingError: As `blobs`.
        """
        return self._arrays.mapped_values(self._form_of(number), place)

    def histograms(self, number: float) -> StepHistograms:
        """Reads the histograms of a step, which may be those of no record.

        Raises:
            DamagedRecordingError: As `blobs`; or the histograms contradict each other.
        """
        return self._arrays.histograms(self._form_of(number))

    def units(self, number: float) -> dict[tuple[str, int], NDArray[np.float32]]:
        """Reads the statistics of single units of the tensors of a step.

        Returns:
            `[2, U]` per tensor that has any, by name and iteration: the largest magnitude and the mean magnitude of each unit.
            `positions_of_units` says which units these are.

        Raises:
            DamagedRecordingError: As `blobs`.
        """
        return self._arrays.units(self._form_of(number))

    def flow_numbers(self, number: float, position: int) -> FlowNumbers:
        """Reads the numbers of a gradient flow.

        Args:
            number: The step.
            position: Which of `step(number).flows`, counted from 0.

        Raises:
            DamagedRecordingError: The step's description or the file is missing, cut off, or contradicts the other.
        """
        flow = self._description(number).flows[position]
        name = f"{paths.FLOWS}/{paths.flow_name(number, position)}"
        with self._files.opened(name) as (stream, file):
            self._check_limits(flow, (number, position), size_of(stream), file)
            return read_flow_numbers(flow, stream, file, checksums=self.header.checksums)

    def take_problems(self, sentences: Iterable[str]) -> None:
        """Adds what another reader of the same recording found damaged."""
        for sentence in sentences:
            self._tolerant.note(sentence)

    def is_being_written(self) -> bool:
        """Whether a living process holds the lock of the recording now. False if that cannot be seen, as in a copy."""
        return is_being_written(self.folder)

    def bytes_on_disk(self) -> int:
        """The size of all files in the folder, without those behind links."""
        return bytes_in(self.folder)

    def check_step(self, number: float) -> bool:
        """Whether a step can be used: its description, its layout, and a blob of exactly the arrays that they imply.

        If it cannot, `problems` says why. Its structures and gradient flows are not checked: without one the graph or the flow is
        missing, but the numbers are there.
        """
        try:
            self._arrays.check(self._form_of(number))
            return True
        except DamagedRecordingError as error:
            self._tolerant.note(f"{step_in_words(number).capitalize()} is damaged. {error}")
            return False

    def _form_of(self, number: float) -> StepForm:
        if number not in self._forms:
            self.step(number)
        return self._forms[number]

    def _check_limits(self, flow: GradientFlow, key: tuple[float, int], file_bytes: int, file: str) -> None:
        """Refuses a flow whose layers are much larger than what its file says of them."""
        elements = flow.sample_count * sum(layer.size for layer in flow.layers)
        check_limit(Limit.FLOW_ELEMENTS, elements, file)
        self._elements_without_numbers[key] = max(0, elements - file_bytes)
        check_limit(Limit.FLOW_ELEMENTS_WITHOUT_NUMBERS, sum(self._elements_without_numbers.values()), file)

    def _description(self, number: float) -> StepDescription:
        content, file = self._files.json(f"{paths.STEPS}/{paths.description_name(number)}")
        return decode_step(content, file, number)

    def _session_of(self, number: float) -> int | None:
        try:
            return self._description(number).session
        except DamagedRecordingError:
            return None
