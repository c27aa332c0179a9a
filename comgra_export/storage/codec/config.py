"""The hyperparameters of a run: `config.json`."""

from __future__ import annotations

from collections.abc import Mapping

from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.codec.encode import encode_scalar

__all__ = ["MAX_CONFIG_BYTES", "MAX_ENTRIES", "MAX_TEXT", "Config", "Setting", "decode_config", "encode_config"]

Setting = float | bool | str | None
"""A value of a hyperparameter."""

Config = Mapping[str, Setting]
"""Hyperparameters by name, in the order in which they were given."""

MAX_ENTRIES = 1000
"""How many hyperparameters a recording may hold."""

MAX_TEXT = 1000
"""How many characters a name or a value may have."""

# A character takes twelve bytes at most, as two escapes.
MAX_CONFIG_BYTES = MAX_ENTRIES * 2 * MAX_TEXT * 12 + 1_000_000
"""A larger file is not read: it cannot be within the other limits, or is mostly spaces."""


def encode_config(config: Config) -> Mapping[str, object]:
    """The content of `config.json`."""
    return {"values": {name: encode_scalar(value) for name, value in config.items()}}


def decode_config(content: object, file: str) -> Config:
    """Reads `config.json`.

    Raises:
        DamagedRecordingError: A value contradicts the format.
    """
    config = JsonObject(content, file)
    values = config.scalars("values", keep_integers=True) if config.has("values") else {}
    if len(values) > MAX_ENTRIES:
        raise config.wrong("values", f"has more than {MAX_ENTRIES:,} entries")
    for name, value in values.items():
        if len(name) > MAX_TEXT or (isinstance(value, str) and len(value) > MAX_TEXT):
            raise config.wrong("values", f"has a name or a string of more than {MAX_TEXT:,} characters")
    return values
