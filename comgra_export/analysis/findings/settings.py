"""`comgra-findings.toml`: which findings are known and accepted."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from comgra_export.analysis.findings.muting import Mute
from comgra_export.errors import WrongChoiceError
from comgra_export.storage.text.names import names_instead, shown

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["FILE", "find_settings", "read_mutes"]

FILE = "comgra-findings.toml"
_EXAMPLE = 'Write: [[mute]] rule = "dead-relu" node = "model.gate*" reason = "...", each on a line of its own'
_KEYS = ("rule", "node", "reason")


def find_settings(folder: Path) -> Path | None:
    """Finds the file in a folder, or in a parent up to the root of its repository. Outside a repository, only the folder counts."""
    folders = [folder, *folder.parents]
    root = next((position for position, each in enumerate(folders) if (each / ".git").exists()), 0)
    return next((each / FILE for each in folders[: root + 1] if (each / FILE).is_file()), None)


def read_mutes(file: Path, rules: Collection[str]) -> tuple[Mute, ...]:
    """Reads which findings are muted.

    Args:
        file: The file.
        rules: The names of all rules.

    Raises:
        WrongChoiceError: The file cannot be read, or holds something that is not understood. The message names the line or the entry.
    """
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise WrongChoiceError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise WrongChoiceError(f"{file} is not UTF-8. Save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        # The message of the reader names the line.
        raise WrongChoiceError(f"{file} is not TOML: {error}. {_EXAMPLE}.") from error
    others = [key for key in content if key != "mute"]
    if others:
        raise WrongChoiceError(f"{file} holds {others[0]!r}, and only [[mute]] is understood. {_EXAMPLE}.")
    entries = content.get("mute", [])
    if not isinstance(entries, list):
        raise WrongChoiceError(f"{file}: mute is not a list. Write [[mute]] with two brackets.")
    return tuple(_mute(f"{file}, [[mute]] number {number}", entry, rules) for number, entry in enumerate(entries, 1))


def _mute(where: str, entry: object, rules: Collection[str]) -> Mute:
    if not isinstance(entry, dict):
        raise WrongChoiceError(f"{where}: {shown(entry)} is not a table. {_EXAMPLE}.")
    for key, value in entry.items():
        if key not in _KEYS:
            raise WrongChoiceError(f"{where}: there is no {key!r}. {names_instead(key, _KEYS)}")
        if not isinstance(value, str):
            raise WrongChoiceError(f"{where}: {key} is {shown(value)}. Write a text in quotes.")
    if not {"rule", "node"} & entry.keys():
        raise WrongChoiceError(f"{where}: it names neither a rule nor a node. {_EXAMPLE}.")
    mute = Mute(**entry)
    if not set("*?[") & set(mute.rule) and mute.rule not in rules:
        raise WrongChoiceError(f"{where}: there is no rule {mute.rule!r}. {names_instead(mute.rule, sorted(rules))}")
    return mute
