"""The JSON of a bundle, as types. `docs/bundle-format.md` is the specification; `static/src/data/types.ts` is the same for the viewer.

Letters: `T` recorded steps of a trial, `C` chunks. A *position* (marked S in the specification) is an index into `strings`.
"""

from __future__ import annotations

from typing import Literal, TypedDict

__all__ = [
    "CHUNK_BYTES",
    "FLOW_CHUNK_BYTES",
    "FORMAT",
    "HISTOGRAM_CHUNK_BYTES",
    "INLINE_JSON_BYTES",
    "JSON_LIST_BYTES",
    "LANE_WIDTHS",
    "NO_FIGURES",
    "NO_FLOWS",
    "NO_HISTOGRAMS",
    "NO_SERIES",
    "VERSION",
    "About",
    "AboutRecording",
    "ArraySet",
    "ChunkTable",
    "Curve",
    "Figure",
    "FigureDocument",
    "FigureSelections",
    "FlowRows",
    "GradientFacts",
    "Graph",
    "GraphColumns",
    "GraphNodes",
    "GraphTensors",
    "HistogramRecords",
    "Histograms",
    "Index",
    "JsonNumber",
    "ModuleRuns",
    "ParameterList",
    "Places",
    "PlotlyFrame",
    "SampleSet",
    "Series",
    "SeriesRecords",
    "Session",
    "StepColumns",
    "StepFacts",
    "StoredFlow",
    "StoredFlowLayer",
    "StoredFlowPair",
    "StrongestFlows",
    "Trial",
]

FORMAT = "comgra-bundle"
VERSION = 1

CHUNK_BYTES = 4 * 1024 * 1024
"""Raw bytes of a chunk of a lane, save the lane's last one. A multiple of every lane's width."""

INLINE_JSON_BYTES = 16 * 1024 * 1024
"""What the JSON chunks inside the page of a folder may take together, as base64."""

JSON_LIST_BYTES = 1024 * 1024
"""Raw bytes of a chunk that several layouts or graphs share: what has to be parsed for looking at one of them."""

LANE_WIDTHS = (8, 4, 2, 1)
"""Bytes per element of the four lanes, in the order in which a step's lanes are written."""

NO_SERIES = -1
"""Stands for the chunk of a trial that has nothing over time."""

NO_HISTOGRAMS = -1
"""Stands for the chunk of a trial that has no histograms over time."""

HISTOGRAM_CHUNK_BYTES = 512 * 1024
"""Raw bytes of a chunk of a lane of histograms, save the lane's last one: what a panel shows should not cost much more than itself."""

NO_FLOWS = -1
"""Stands for the chunk of a trial that has no gradient flows."""

FLOW_CHUNK_BYTES = 256 * 1024
"""Raw bytes of a chunk of the lane of a gradient flow, save the lane's last one: what one element has of it should not cost much more."""

NO_FIGURES = -1
"""Stands for the chunk of a trial for which nothing was drawn, and for that of plotly where it is not needed."""

JsonNumber = float | str
"""A number, or `"NaN"`, `"Infinity"`, `"-Infinity"`."""


class ChunkTable(TypedDict):
    """The chunks, `C` entries in every column.

    `bytes` and `crc32` are of the raw bytes. `codec` is 1 for deflate, 0 for stored. `width` is in bytes. `inline` is 1 in the page.
    """

    bytes: list[int]
    crc32: list[int]
    codec: list[int]
    width: list[int]
    inline: list[int]


class ArraySet(TypedDict):
    """The arrays of a step, in the order of its lanes: position of the name, position of the dtype, number of elements."""

    name: list[int]
    dtype: list[int]
    count: list[int]


class SampleSet(TypedDict):
    """The samples of a step that were recorded one by one: index in the batch, position of the label to show."""

    index: list[int]
    label: list[int]


class Places(TypedDict):
    """Where documents are: number of the chunk, and place in the list that the chunk holds."""

    chunk: list[int]
    position: list[int]


class StepColumns(TypedDict):
    """The steps of a trial in ascending order, `T` entries in every column.

    `laneW` is the first chunk of that lane, or -1. `triggered` is the position of the reason, or -1 for a step that the schedule asked
    for. `facts` is a position in `Index.facts`, or -1 where nothing is known; `call_set` one in `Index.call_sets`, or -1 where no module
    was watched.
    """

    step: list[int]
    type: list[int]
    batch_size: list[int]
    time: list[JsonNumber | None]
    layout: list[int]
    structure_set: list[int]
    call_set: list[int]
    sample_set: list[int]
    array_set: list[int]
    lane8: list[int]
    lane4: list[int]
    lane2: list[int]
    lane1: list[int]
    gaps: list[int]
    triggered: list[int]
    facts: list[int]
    epoch: list[JsonNumber | None]


class Trial(TypedDict):
    """One rank of one trial, or, where `rank` is None, all of them merged.

    The last seven are numbers of chunks; `series` may be `NO_SERIES`, `histograms` `NO_HISTOGRAMS`, and `flows` `NO_FLOWS`.
    """

    name: str
    rank: int | None
    steps: StepColumns
    network: int
    notes: int
    curves: int
    gaps: int
    series: int
    histograms: int
    flows: int


class Session(TypedDict):
    """A process that wrote a recording: its first and last recorded step (None: it recorded none), and how many of them are in use.

    `closed` says whether it ended the recording, rather than being killed; None where that is not known.
    """

    first: int | None
    last: int | None
    steps: int
    closed: bool | None


class AboutRecording(TypedDict):
    """Where a rank of a trial comes from. `left_behind` counts steps of earlier sessions that later ones took the place of."""

    trial: str
    rank: int
    world_size: int
    writer: str
    torch_version: str
    started: str
    sessions: list[Session]
    left_behind: int


class About(TypedDict):
    """What the page says about itself: sources, what was left out on purpose, what could not be read."""

    recordings: list[AboutRecording]
    omissions: list[str]
    problems: list[str]


class Figure(TypedDict):
    """A figure that a Python file drew at export, and what it depends on: some of `step`, `iteration` and `sample`.

    `selections` has the chunk of every entry of the index's trials, or -1 where nothing was drawn for it.
    """

    title: str
    file: str
    per: list[str]
    selections: list[int]


class Index(TypedDict):
    """Everything that opening a bundle reads."""

    format: str
    version: int
    generator: str
    title: str
    description: str
    group: str
    content_digest: str
    generation: int
    strings: list[str]
    chunks: ChunkTable
    array_sets: list[ArraySet]
    sample_sets: list[SampleSet]
    structure_sets: list[list[int]]
    call_sets: list[list[int]]
    layouts: Places
    structures: Places
    calls: Places
    facts: Places
    module_runs: Places
    parameter_lists: Places
    trials: list[Trial]
    visualizations: list[str]
    figures: list[Figure]
    plotly: int
    about: About


class CallColumns(TypedDict):
    """The calls of watched modules in one iteration, in the order in which they began. `parent` is a row, or -1."""

    module: list[int]
    parent: list[int]
    number: list[int]
    training: list[bool]
    raised: list[bool]


class PortColumns(TypedDict):
    """What went into the calls and came out of them. Where there are no numbers, `text` says what it was; `meaning` is as recorded."""

    call: list[int]
    side: list[str]
    path: list[str]
    record_name: list[str | None]
    record_iteration: list[int | None]
    text: list[str | None]
    meaning: list[str | None]


class Calls(TypedDict):
    """A member of a calls chunk."""

    calls: CallColumns
    ports: PortColumns


class Curve(TypedDict):
    """A member of a curves chunk: the kept points of one curve, in order."""

    group: str
    name: str
    type: str
    t: list[JsonNumber]
    v: list[JsonNumber]


class GraphNodes(TypedDict):
    """The nodes of a graph, ordered by column, then row. `label` is the name without its column's heading."""

    name: list[str]
    type: list[str]
    label: list[str]
    column: list[int]
    row: list[int]


class GraphColumns(TypedDict):
    """The columns of a graph: what the names of all nodes of a column begin with, up to and with a dot, or the empty text."""

    heading: list[str]


class GraphTensors(TypedDict):
    """The tensors of a graph: `node` is a position in the nodes; their numbers are under (`record_name`, `record_iteration`)."""

    name: list[str]
    node: list[int]
    role: list[str]
    record_name: list[str]
    record_iteration: list[int]


# `from` is a word of Python's, so this one cannot be written as a class.
Graph = TypedDict(
    "Graph",
    {
        "nodes": GraphNodes,
        "columns": GraphColumns,
        "tensors": GraphTensors,
        "from": list[int],
        "to": list[int],
        "without_gradient": list[int],
    },
)
"""A laid-out graph.

`from[k]` is a direct dependency of `to[k]`; both are positions in the tensors. `without_gradient` holds the `k` through which no gradient
flows, ascending.
"""


class GradientFacts(TypedDict):
    """What is known of the gradients of one group, as in a step of the recording format."""

    group: str
    backward_passes: int | None
    loss_scale: JsonNumber | None
    changed_in_place_by: list[str] | None
    averaged_over_ranks: bool | None


class StepFacts(TypedDict):
    """What is known of a step besides its tensors: a member of a facts chunk.

    `module_runs` and `parameter_list` are positions in the lists of the index, or -1 where nothing is known. The numbers of the
    parameters are in the array `parameters.*` of the step.
    """

    session: int
    learning_rates: list[list[JsonNumber]] | None
    gradients: list[GradientFacts]
    held_bytes: int | None
    module_runs: int
    parameter_list: int


class ModuleRuns(TypedDict):
    """Which modules ran: positions in the network, whether each was in training mode, and how often it ran."""

    module: list[int]
    training: list[bool]
    calls: list[int]


class ParameterList(TypedDict):
    """The parameters that a step says something about: positions in the network."""

    parameter: list[int]


class SeriesRecords(TypedDict):
    """The records that a trial has over time. `group` and `name` are positions in the strings of the series.

    `items` is the number of statistics, `aggregations` how many there are of each, `steps` a position in the lists of steps. The numbers
    are in the lane of `width`, from element `start` on; the counts in that of `counts_width`, from `counts_start` on.
    """

    group: list[int]
    name: list[int]
    iteration: list[int]
    items: list[int]
    aggregations: list[int]
    steps: list[int]
    width: list[int]
    start: list[int]
    counts_width: list[int]
    counts_start: list[int]


class SeriesParameters(TypedDict):
    """What a trial has over time about its parameters, which are positions in the network.

    `steps` is a position in the lists of steps. The numbers `[3, steps]` are in the lane of `width`, from element `start` on.
    """

    parameter: list[int]
    steps: list[int]
    width: list[int]
    start: list[int]


class Series(TypedDict):
    """A series chunk: what a trial has over time. `laneW` is the first chunk of that lane, or -1."""

    strings: list[str]
    step_lists: list[list[int]]
    lane8: int
    lane4: int
    records: SeriesRecords
    parameters: SeriesParameters


class HistogramRecords(TypedDict):
    """The records of which a trial has histograms over time, each at the steps of one type of execution.

    `group`, `name` and `type` are positions in the strings, `steps` one in the lists of steps. Quantiles and extrema `[9, steps]` are in
    the lane of `width`, from element `start` on. In that of `integers_width`, from `integers_start` on, are integers `[14, steps]` and
    then, step by step, the counts of the bins, `counts` in all.
    """

    group: list[int]
    name: list[int]
    iteration: list[int]
    type: list[int]
    steps: list[int]
    width: list[int]
    start: list[int]
    integers_width: list[int]
    integers_start: list[int]
    counts: list[int]


class Histograms(TypedDict):
    """A histograms chunk: those that a trial has over time. `laneW` is the first chunk of that lane, or -1."""

    strings: list[str]
    step_lists: list[list[int]]
    lane8: int
    lane4: int
    records: HistogramRecords


class StoredFlowLayer(TypedDict):
    """A layer of a gradient flow, as in the recording; `values` and `gradients` begin at these elements of the lane, or are -1."""

    name: str
    shape: list[int]
    role: str
    record_name: str | None
    record_iteration: int | None
    values: int
    gradients: int


class FlowRows(TypedDict):
    """Where compressed rows begin in the lane: their starts, what is at the other end of each flow, and the flows."""

    starts: int
    others: int
    flows: int


class StrongestFlows(TypedDict):
    """Where the strongest flows begin in the lane, those of one sample behind those of another, and how many each sample has."""

    sources: int
    targets: int
    flows: int
    count: list[int]


# `from` is a word of Python's, so this one cannot be written as a class.
StoredFlowPair = TypedDict(
    "StoredFlowPair",
    {
        "from": int,
        "to": int,
        "count": list[int],
        "positive": list[JsonNumber],
        "negative": list[JsonNumber],
        "largest": list[JsonNumber],
        "non_finite": list[int],
        "computed": int,
        "residuals": int,
        "by_source": FlowRows,
        "by_target": FlowRows,
        "strongest": StrongestFlows,
    },
)
"""The flows between two layers.

The sums have an entry per sample: how many flows there are, the sum of the finite ones above zero and of those below, the largest finite
magnitude, and how many are NaN or infinite. `computed` and `residuals` begin at these elements of the lane, or are -1.
"""


class StoredFlow(TypedDict):
    """A gradient flow of a step. `lane4` is the first chunk of its lane, or -1; every start is an element of that."""

    step: int
    iteration: int
    name: str
    method: str
    samples: list[int]
    lane4: int
    layers: list[StoredFlowLayer]
    pairs: list[StoredFlowPair]


class FigureSelections(TypedDict):
    """For which selections of a trial a figure was drawn, and where that is: a figure selections chunk.

    What a figure does not depend on is -1 throughout; a `sample` of -1 is the batch as a whole. `chunk` and `position` name a member of
    a list of figure documents.
    """

    step: list[int]
    iteration: list[int]
    sample: list[int]
    chunk: list[int]
    position: list[int]


class FigureDocument(TypedDict):
    """What was drawn for a selection. `text` is an image, the document of a frame, the JSON of a figure of plotly, or a traceback."""

    kind: Literal["svg", "html", "plotly", "error"]
    text: str


class PlotlyFrame(TypedDict):
    """The document of a frame that shows a figure of plotly: what comes before its JSON, and what comes behind it."""

    before: str
    behind: str
