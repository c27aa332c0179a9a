"""A folder whose open pages take newer data in place: what is in it besides the page and its chunks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Set
from pathlib import Path

from comgra_export.exporter.format.chunks import EncodedChunk
from comgra_export.exporter.format.constants import NEWS_BYTES, NEWS_CHUNK_BYTES
from comgra_export.exporter.format.index import Index
from comgra_export.exporter.output.shapes import DATA_FOLDER, VERSION_FILE, FolderShape, chunk_file_name
from comgra_export.exporter.plan.index import index_json, with_checksum

__all__ = ["LiveFolderShape", "known_identities"]

# So many are whole numbers in JavaScript.
_IDENTITY_BYTES = 6


def index_file_name(generation: int) -> str:
    """Path of the index as a script, relative to the page."""
    return f"{DATA_FOLDER}/index-{generation}.js"


class LiveFolderShape(FolderShape):
    """A folder whose open pages take newer data in place. The names of its files say of which generation they are.

    `generation` says which build of this folder it is, from 1 on. `known` has the identities of the chunks that open pages may have.
    """

    def __init__(self, workplace: Path, generation: int, known: Set[int]) -> None:
        super().__init__(workplace)
        self._generation = generation
        self._known = known
        self._news: list[bytes] = []
        self._news_bytes = 0

    def add_chunk(self, number: int, chunk: EncodedChunk, is_json: bool) -> bool:  # noqa: ARG002 - a page that is open has none of them
        """Takes a chunk."""
        self.has_chunk_files = True
        script = b'__comgraChunk(%d,"%s",%d)\n' % (number, chunk.base64, self._generation)
        self._add_file(chunk_file_name(number, self._generation), script)
        self.identities.append(int.from_bytes(hashlib.blake2b(chunk.base64, digest_size=_IDENTITY_BYTES).digest(), "little"))
        room = min(NEWS_CHUNK_BYTES, NEWS_BYTES - self._news_bytes)
        if self.identities[-1] not in self._known and len(script) <= room:
            self._news.append(script)
            self._news_bytes += len(script)
        return False

    def write_page(self, pieces: Iterable[bytes], index: Index) -> None:
        """Writes the page, the index as a script with what is new and small, and a small script that names the generation."""
        super().write_page(pieces, index)
        as_text, digest = json.dumps(with_checksum(index_json(index))), json.dumps(index["content_digest"])
        script = f"__comgraIndex({self._generation},{as_text})\n".encode("ascii")
        (self._folder / index_file_name(self._generation)).write_bytes(script + b"".join(self._news))
        (self._folder / VERSION_FILE).write_text(f"__comgraVersion({self._generation},{digest})\n", encoding="ascii")


def known_identities(folder: Path, generation: int) -> frozenset[int]:
    """The identities of the chunks of a generation of a live folder; none if it cannot be read, as if nothing were known."""
    try:
        script = (folder / index_file_name(generation)).read_text(encoding="ascii")
        text = json.loads(f"[{script[script.index('(') + 1 : script.index(chr(10)) - 1]}]")[1]
        return frozenset(json.loads(text)["chunks"]["identity"])
    except (OSError, ValueError, LookupError, TypeError):
        return frozenset()
