"""Chunks on their way into a bundle: encoded by several threads, numbered and handed on in order, never many of them in memory."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from comgra_export.exporter.format.chunks import EncodedChunk, encode_json_chunk, encode_lane_chunk
from comgra_export.exporter.format.index import ChunkTable
from comgra_export.exporter.plan.index import Digest, empty_columns

__all__ = ["ChunkStream", "chunk_stream"]

_MAX_WORKERS = 4
_AHEAD_PER_WORKER = 2


class ChunkStream:
    """Takes raw chunks, and hands them on encoded.

    Args:
        executor: Where they are encoded. zlib and numpy release the interpreter's lock, so threads run side by side.
        ahead: How many chunks may be on their way.
        add: Receives number, chunk and whether it is JSON, in the order of the numbers; says whether the chunk went into the page.

    Attributes:
        table: What the index says about the chunks handed on so far.
        digest: SHA-256 of the raw bytes of all chunks taken so far, in the order of their numbers.
    """

    def __init__(self, executor: ThreadPoolExecutor, ahead: int, add: Callable[[int, EncodedChunk, bool], bool]) -> None:
        self.table = empty_columns(ChunkTable)
        self.digest: Digest = hashlib.sha256()
        self._executor = executor
        self._ahead = ahead
        self._add = add
        self._pending: deque[tuple[Future[EncodedChunk], bool]] = deque()
        self._json_numbers: dict[bytes, int] = {}
        self._next = 0

    def add_json(self, text: bytes) -> int:
        """Takes a JSON text and returns its chunk's number. Equal texts share a chunk."""
        known = self._json_numbers.get(text)
        if known is not None:
            return known
        self.digest.update(text)
        number = self._submit(self._executor.submit(encode_json_chunk, text), is_json=True)
        self._json_numbers[text] = number
        return number

    def add_numbers(self, raw: NDArray[np.uint8], width: int, encoded: EncodedChunk | None = None) -> int:
        """Takes a piece of a lane and returns its chunk's number. The memory must not change until the chunk has been handed on.

        `encoded` is its chunk, if a worker has encoded it.
        """
        self.digest.update(raw.data)
        if encoded is None:
            return self._submit(self._executor.submit(encode_lane_chunk, raw, width), is_json=False)
        done: Future[EncodedChunk] = Future()
        done.set_result(encoded)
        return self._submit(done, is_json=False)

    def finish(self) -> None:
        """Hands on what is still on its way."""
        while self._pending:
            self._hand_on_the_oldest()

    def _submit(self, future: Future[EncodedChunk], *, is_json: bool) -> int:
        self._pending.append((future, is_json))
        while len(self._pending) > self._ahead:
            self._hand_on_the_oldest()
        self._next += 1
        return self._next - 1

    def _hand_on_the_oldest(self) -> None:
        future, is_json = self._pending.popleft()
        chunk = future.result()
        inline = self._add(len(self.table["bytes"]), chunk, is_json)
        self.table["bytes"].append(chunk.raw_bytes)
        self.table["crc32"].append(chunk.crc32)
        self.table["codec"].append(chunk.codec)
        self.table["width"].append(chunk.width)
        self.table["inline"].append(int(inline))


@contextmanager
def chunk_stream(add: Callable[[int, EncodedChunk, bool], bool]) -> Iterator[ChunkStream]:
    """Opens a stream with as many threads as are useful; what has not been handed on when the block fails is dropped."""
    workers = min(_MAX_WORKERS, max(2, os.cpu_count() or 1))
    executor = ThreadPoolExecutor(workers, thread_name_prefix="comgra-export")
    try:
        yield ChunkStream(executor, workers * _AHEAD_PER_WORKER, add)
    finally:
        executor.shutdown(cancel_futures=True)
