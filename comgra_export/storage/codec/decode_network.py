"""Reading what a recording is and which network it is of, checking everything on the way."""

from __future__ import annotations

from comgra_export.errors import NewerFormatError, NotARecordingError
from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.model.network import ModuleEntry, Network, OptimizerEntry, OptimizerGroup, ParameterEntry, UnregisteredEntry
from comgra_export.storage.model.recording import FORMAT, VERSION, Header
from comgra_export.storage.text.names import rule_broken_by

__all__ = ["MAX_PREFIXES", "decode_header", "decode_network"]

# Nobody could read a graph with a column for each of more prefixes, and every parameter is compared with every prefix.
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
        version=version,
        checksums=header.boolean("checksums", default=False),
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
        ModuleEntry(
            module.text("name"), module.text("type"), module.integer("parent", -1, position - 1), module.text("description", default="")
        )
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
            device=parameter.text("device", default=""),
        )
        for parameter in network.objects("parameters")
    )
    optimizers = tuple(_optimizer(entry, len(parameters)) for entry in network.objects("optimizers")) if network.has("optimizers") else None
    unregistered = tuple(
        UnregisteredEntry(
            entry.integer("module", 0, len(modules) - 1),
            entry.text("attribute"),
            kind if (kind := entry.text("kind")) in ("dict", "object") else "list",
            *(entry.integer(key, 0) for key in ("items", "parameters", "with_gradient")),
        )
        for entry in (network.objects("unregistered") if network.has("unregistered") else ())
    )
    return Network(modules, parameters, optimizers, network.integer("session", 0, default=0), unregistered)


def _optimizer(optimizer: JsonObject, parameters: int) -> OptimizerEntry:
    groups = tuple(
        OptimizerGroup(tuple(group.integers("parameters", 0, parameters - 1)), group.scalars("options"))
        for group in optimizer.objects("groups")
    )
    return OptimizerEntry(optimizer.text("name"), optimizer.text("type"), groups)
