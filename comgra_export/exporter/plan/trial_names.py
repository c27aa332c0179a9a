"""Names of the trials of a bundle, where several recordings have trials of the same name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import chain, count

from comgra_export.storage.text.names import rule_broken_by

__all__ = ["different_names"]


def different_names(trials: Sequence[tuple[str, str]]) -> list[str]:
    """Names that tell trials apart: their own, with the folder if another trial has the same name: `trial of monday`.

    If folders do not tell trials apart, they are numbered: `trial`, `trial (2)`.

    Args:
        trials: The name of each trial, and that of the folder that was given for it. Nothing of the folders above it is used.
    """
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for name, folder in trials:
        folders[name].append(folder)
    of_folders = {name for name, given in folders.items() if len(given) > 1 and _tell_apart(name, given, folders)}
    names: dict[str, None] = {}
    for name, folder in trials:
        base = f"{name} of {folder}" if name in of_folders else name
        numbered = (f"{base} ({number})" for number in count(2))
        # A number may make it the name of another trial.
        names[next(each for each in chain([base], numbered) if each not in names and (each == name or each not in folders))] = None
    return list(names)


def _tell_apart(name: str, given: Sequence[str], taken: Collection[str]) -> bool:
    """Whether the names of folders differ and make names of trials. The current folder and the one above were given without a name."""
    new = [f"{name} of {folder}" for folder in given]
    is_named = all(folder not in {"", ".", ".."} for folder in given)
    return is_named and len(set(given)) == len(given) and not any(each in taken or rule_broken_by(each) for each in new)
