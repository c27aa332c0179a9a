"""From the JSON files of a recording to the classes of the model, checking everything on the way."""

from __future__ import annotations

from comgra_export.errors import NewerFormatError, NotARecordingError
from comgra_export.storage.checked import JsonObject
from comgra_export.storage.json_codec import damaged
from comgra_export.storage.model import (
    FORMAT,
    VERSION,
    CurvePoint,
    Gap,
    Header,
    ModuleEntry,
    Network,
    Note,
    ParameterEntry,
    RecordedSamples,
    StepDescription,
)
from comgra_export.storage.names import rule_broken_by

__all__ = ["MAX_PREFIXES", "MAX_STEP", "decode_curve_point", "decode_gap", "decode_header", "decode_network", "decode_note", "decode_step"]

MAX_STEP = 999_999_999_999
# A graph with a column for each of more than these could not be looked at, and every parameter is compared with every prefix.
MAX_PREFIXES = 1000


def decode_header(content: object, file: str) -> Header:
    """Reads `recording.json`.

    Raises:
        NotARecordingError: It is the JSON of something else.
        NewerFormatError: A newer version wrote it.
        DamagedRecordingError: A value contradicts the format.
    """
    header = JsonObject(content, file)
    if not header.has("format") or header.text("format") != FORMAT:
        raise NotARecordingError(
            f'{file} does not say "format": "{FORMAT}", so this is not a recording of comgra_export. Give the path of one.'
        )
    version = header.integer("version", 1)
    if version > VERSION:
        raise NewerFormatError(
            f"{file} has version {version} of the recording format, but this comgra_export reads versions up to {VERSION}. "
            "Upgrade it: pip install --upgrade comgra-export"
        )
    for key in ("group", "trial"):
        rule = rule_broken_by(header.text(key))
        if rule is not None:
            raise header.wrong(key, f"is a folder name, which {rule}")
    world_size = header.integer("world_size", 1, default=1)
    return Header(
        group=header.text("group"),
        trial=header.text("trial"),
        rank=header.integer("rank", 0, world_size - 1, default=0),
        world_size=world_size,
        writer=header.text("writer", default=""),
        torch_version=header.text("torch_version", default=""),
        started=header.text("started", default=""),
        prefixes_for_grouping_module_parameters_visually=_prefixes(header),
        max_num_batch_size_to_record=header.optional_integer("max_num_batch_size_to_record", 0),
    )


def _prefixes(header: JsonObject) -> tuple[str, ...]:
    key = "prefixes_for_grouping_module_parameters_visually"
    if not header.has(key):
        return ("",)
    prefixes = header.texts(key)
    if len(prefixes) > MAX_PREFIXES:
        raise header.wrong(key, f"has more than {MAX_PREFIXES:,} entries")
    return tuple(prefixes)


def decode_network(content: object, file: str) -> Network:
    """Reads `network.json`.

    Raises:
        DamagedRecordingError: A value contradicts the format.
    """
    network = JsonObject(content, file)
    modules = tuple(
        ModuleEntry(module.text("name"), module.text("type"), module.integer("parent", -1, position - 1))
        for position, module in enumerate(network.objects("modules"))
    )
    parameters = tuple(
        ParameterEntry(
            name=parameter.text("name"),
            module=parameter.integer("module", 0, len(modules) - 1),
            shape=tuple(parameter.shape("shape")),
            dtype=parameter.text("dtype"),
            requires_grad=parameter.boolean("requires_grad"),
            alias_of=parameter.optional_text("alias_of"),
        )
        for parameter in network.objects("parameters")
    )
    return Network(modules, parameters)


def decode_note(content: object, file: str) -> Note:
    """Reads a line of `notes.jsonl`."""
    note = JsonObject(content, file)
    return Note(note.text("text"), note.optional_integer("step", 0, MAX_STEP))


def decode_curve_point(content: object, file: str) -> CurvePoint:
    """Reads a line of `curves.jsonl`."""
    point = JsonObject(content, file)
    return CurvePoint(point.text("group"), point.text("name"), point.text("type"), point.number("t"), point.number("v"))


def decode_gap(content: object, file: str) -> Gap:
    """Reads a line of `gaps.jsonl`."""
    return _gap(JsonObject(content, file))


def _gap(gap: JsonObject) -> Gap:
    return Gap(
        reason=gap.text("reason"),
        step=gap.optional_integer("step", 0, MAX_STEP),
        iteration=gap.optional_integer("iteration", -1),
        group=gap.optional_text("group"),
        tensor=gap.optional_text("tensor"),
    )


def decode_step(content: object, file: str, number: int) -> StepDescription:
    """Reads `steps/STEP.json`.

    Args:
        content: The parsed file.
        file: How messages name it.
        number: The step that the file's name says.

    Raises:
        DamagedRecordingError: A value contradicts the format or the file's name.
    """
    step = JsonObject(content, file)
    if step.integer("step", 0, MAX_STEP) != number:
        raise damaged(file, f"it describes step {step.integer('step', 0)}, which its name does not say")
    batch_size = step.integer("batch_size", 0)
    return StepDescription(
        step=number,
        type_of_execution=step.text("type_of_execution"),
        batch_size=batch_size,
        layout=step.digest("layout"),
        structures=step.optional_digests("structures"),
        samples=_samples(step.member("samples"), batch_size),
        time=step.optional_number("time"),
        gaps=tuple(_gap(gap) for gap in step.objects("gaps")) if step.has("gaps") else (),
    )


def _samples(samples: JsonObject, batch_size: int) -> RecordedSamples:
    index = tuple(samples.integers("index", 0, batch_size - 1))
    if len(set(index)) != len(index):
        raise samples.wrong("index", "names a sample twice")
    labels: dict[str, tuple[str, ...] | None] = {}
    for key in ("id", "category"):
        labels[key] = tuple(samples.texts(key)) if samples.has(key) else None
        if len(labels[key] or index) != len(index):
            raise samples.wrong(key, "has not one entry per sample")
    return RecordedSamples(index, labels["id"], labels["category"])
