"""Files that are named by the hash of their content, which many steps share: layouts, structures and trees of calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from comgra_export.storage.files.writing import write_whole
from comgra_export.storage.text.json_codec import dumps
from comgra_export.storage.text.paths import SHARED, hash_name, hash_of

__all__ = ["HashedFiles"]

# How many contents of a folder are compared with a new one: a step has a structure per iteration.
_RECENT = 16

_T = TypeVar("_T")


class HashedFiles:
    """Writes such files in a rank folder, each once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._recent: dict[str, deque[tuple[object, str]]] = {name: deque(maxlen=_RECENT) for name in SHARED}
        self._written: set[tuple[str, str]] = set()

    def forget(self) -> None:
        """Forgets which files are there, since another process may have changed the folder."""
        self._written.clear()
        for recent in self._recent.values():
            recent.clear()

    def write(self, folder: str, content: _T, encode: Callable[[_T], Mapping[str, object]]) -> str:
        """Writes a content unless it is there already, and returns its hash. `folder` is that for contents of its kind."""
        # From step to step the content seldom changes, and comparing takes less time than encoding.
        for known, digest in self._recent[folder]:
            if known is content or known == content:
                return digest
        data = dumps(encode(content))
        digest = hash_of(data)
        if (folder, digest) not in self._written:
            write_whole(self._folder / folder / hash_name(digest), [data])
            self._written.add((folder, digest))
        self._recent[folder].append((content, digest))
        return digest
