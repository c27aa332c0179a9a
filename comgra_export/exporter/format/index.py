"""The index: everything that opening a bundle reads."""

from __future__ import annotations

from typing import TypedDict

from comgra_export.exporter.format.constants import JsonNumber

__all__ = [
    "About",
    "AboutRecording",
    "ArraySet",
    "ChunkTable",
    "Figure",
    "Index",
    "IndexedSetting",
    "OptimizerOverview",
    "Places",
    "PointedCell",
    "PointedCurve",
    "PointedNode",
    "RunOverview",
    "SampleSet",
    "Session",
    "StepColumns",
    "StepTypes",
    "StoryNote",
    "Trial",
]

IndexedSetting = float | bool | str | None
"""A hyperparameter, or a setting of an optimizer. A number that is not finite is a text."""


class ChunkTable(TypedDict):
    """The chunks, `C` entries in every column.

    `bytes` and `crc32` are of the raw bytes. `codec` is 1 for deflate, 0 for stored. `width` is in bytes. `inline` is 1 in the page.
    `identity` is empty but in a folder that is kept fresh, in which chunks of different content have different ones.
    `encoded` has an entry for each chunk in the page: the length of its base64.
    """

    bytes: list[int]
    crc32: list[int]
    codec: list[int]
    width: list[int]
    inline: list[int]
    identity: list[int]
    encoded: list[int]


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
    for. `facts` is a position in `Index.facts`, or -1 if nothing is known; `call_set` one in `Index.call_sets`, or -1 if no module
    was watched.
    """

    step: list[float]
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


class StepTypes(TypedDict):
    """The types of execution of the steps: position of the name, and 1 if a step of that type trained. Empty if none is known to."""

    type: list[int]
    trained: list[int]


class Trial(TypedDict):
    """One rank of one trial, or, if `rank` is None, all of them merged.

    `problems` is how many findings are likely a problem or a bug, without their consequences; -1 if no rule was checked. `worst` is the
    severity of the most severe finding; -1 if there is none. The last eight are numbers of chunks; `findings` may be `NO_FINDINGS`,
    `series` `NO_SERIES`, and `flows` `NO_FLOWS`. `histograms` has one for every part of the steps, in their order.
    """

    name: str
    rank: int | None
    problems: int
    worst: int
    steps: StepColumns
    network: int
    notes: int
    curves: int
    gaps: int
    findings: int
    series: int
    histograms: list[int]
    flows: int


class OptimizerOverview(TypedDict):
    """An optimizer: the number of its groups, and the settings of the first of them."""

    name: str
    groups: int
    options: dict[str, IndexedSetting]


class RunOverview(TypedDict):
    """How the run of an entry of `Index.trials` went.

    `ending` is `finished`, `exception`, `running`, `killed`, or empty if it is not known. `config` has a pair of name and value for each
    hyperparameter.
    """

    started: str
    seconds: float | None
    ending: str
    error: str
    error_step: float | None
    between_steps: bool
    trained: int | None
    recorded: int
    parameters: int
    trainable: int
    devices: list[str]
    dtypes: list[str]
    optimizers: list[OptimizerOverview]
    config: list[list[IndexedSetting]]


class Session(TypedDict):
    """A process that wrote a recording: its first and last recorded step (None: it recorded none), and how many of them are in use.

    `closed` says whether it ended the recording, rather than being killed; None if that is not known.
    """

    first: float | None
    last: float | None
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

    `selections` has the chunk of every entry of the index's trials, or -1 if nothing was drawn for it.
    """

    title: str
    file: str
    per: list[str]
    selections: list[int]


class PointedNode(TypedDict):
    """A node of the graph that a note points at."""

    node: str


class PointedCell(TypedDict):
    """A value of the tensor of the view that a note points at, by its index."""

    cell: list[int]


class PointedCurve(TypedDict):
    """A place in a curve that a note points at."""

    curve: str
    step: float


class StoryNote(TypedDict):
    """A note of the story: what somebody says of a view.

    `view` is the part of the page's address from `#` on. `title` may be empty.
    """

    view: str
    title: str
    text: str
    point: PointedNode | PointedCell | PointedCurve | None


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
    runs: list[RunOverview]
    step_types: StepTypes
    visualizations: list[str]
    figures: list[Figure]
    plotly: int
    about: About
    story: list[StoryNote]
    start: str
