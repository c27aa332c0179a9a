"""Encoding chunks and cutting lanes, against decoders and slices written out in the tests."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.exporter.format.chunks import EncodedChunk, encode_json_chunk, encode_lane_chunk, shuffle
from comgra_export.exporter.format.constants import CHUNK_BYTES, LANE_WIDTHS
from comgra_export.exporter.pack.documents import joined_documents
from comgra_export.exporter.pack.lanes import cut, lanes_of
from comgra_export.storage import Blob
from support.breadth import examples
from support.exporter.unpacker import decode

widths = st.sampled_from(LANE_WIDTHS)


def decoded(chunk: EncodedChunk) -> bytes:
    return decode(base64.b64decode(chunk.base64, validate=True), chunk.codec, chunk.width)


def test_bytes_are_grouped_by_their_place_in_the_element() -> None:
    raw = np.arange(1, 13, dtype=np.uint8)
    assert shuffle(raw, 4).tolist() == [1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12]
    assert shuffle(raw, 2).tolist() == [1, 3, 5, 7, 9, 11, 2, 4, 6, 8, 10, 12]
    assert shuffle(raw, 1).tolist() == list(range(1, 13))


@given(width=widths, elements=st.integers(0, 300), seed=st.integers(0, 2**32), spread=st.sampled_from([1, 2, 5, 256]))
@examples(80)
def test_numbers_come_back_from_a_chunk(width: int, elements: int, seed: int, spread: int) -> None:
    raw = np.random.default_rng(seed).integers(0, spread, elements * width, dtype=np.uint8)
    chunk = encode_lane_chunk(raw, width)
    assert decoded(chunk) == raw.tobytes()
    assert (chunk.raw_bytes, chunk.width, chunk.crc32) == (raw.size, width, zlib.crc32(raw.tobytes()))


@given(text=st.binary(max_size=300))
@examples(40)
def test_text_comes_back_from_a_chunk(text: bytes) -> None:
    chunk = encode_json_chunk(text)
    assert decoded(chunk) == text
    assert (chunk.raw_bytes, chunk.width, chunk.crc32) == (len(text), 1, zlib.crc32(text))


def test_what_does_not_get_smaller_is_stored() -> None:
    noise = np.random.default_rng(0).integers(0, 256, 4096, dtype=np.uint8)
    stored, deflated = encode_lane_chunk(noise, 8), encode_lane_chunk(np.zeros(4096, np.uint8), 8)
    assert (stored.codec, len(base64.b64decode(stored.base64))) == (0, 4096)
    assert deflated.codec == 1
    assert len(base64.b64decode(deflated.base64)) < 100


def test_deflating_must_save_five_percent() -> None:
    # Coding alone saves an eighth of noise that leaves one bit of eight unused.
    generator = np.random.default_rng(0)
    for share, codec in ((1.0, 1), (0.6, 1), (0.3, 0)):
        seven_bits = int(100_000 * share)
        raw = np.concatenate([generator.integers(0, 128, seven_bits), generator.integers(0, 256, 100_000 - seven_bits)]).astype(np.uint8)
        assert encode_lane_chunk(raw, 1).codec == codec


def test_numbers_are_matched_by_runs_only_and_text_by_anything() -> None:
    # Matching runs is what makes packing fast; a pattern of two bytes tells it from matching anything.
    pattern = np.tile(np.array([1, 2], np.uint8), 10_000)
    runs = np.repeat(np.array([1, 2], np.uint8), 10_000)
    assert len(encode_lane_chunk(runs, 1).base64) < 500 < len(encode_lane_chunk(pattern, 1).base64)
    assert len(encode_json_chunk(pattern.tobytes()).base64) < 500


@given(sizes=st.lists(st.integers(0, 40), max_size=8), size=st.integers(1, 40))
@examples(80)
def test_a_lane_is_cut_into_full_chunks_and_a_rest(sizes: list[int], size: int) -> None:
    whole = np.arange(sum(sizes), dtype=np.uint8)
    arrays = np.split(whole, np.cumsum(sizes)[:-1]) if sizes else []
    chunks = [chunk.tobytes() for chunk in cut(arrays, size)]
    assert chunks == [whole.tobytes()[start : start + size] for start in range(0, whole.size, size)]


def test_a_lane_of_one_array_is_cut_without_copying() -> None:
    array = np.arange(100, dtype=np.uint8)
    assert all(np.shares_memory(chunk, array) for chunk in cut([array], 30))


def test_arrays_go_into_the_lane_of_their_width_in_little_endian() -> None:
    arrays = [
        Blob("F64", np.array([1.0], ">f8")),
        Blob("F32", np.array([[1.0, 2.0]], "<f4")),
        Blob("BF16", np.array([0x3F80], "<u2")),
        Blob("I32", np.array([1, 2, 3, 4], "<i4")[::2]),
        Blob("BOOL", np.array([True, False])),
    ]
    lanes = {width: b"".join(part.tobytes() for part in lane) for width, lane in lanes_of(arrays).items()}
    assert lanes == {
        8: bytes.fromhex("000000000000f03f"),
        4: bytes.fromhex("0000803f 00000040 01000000 03000000"),
        2: bytes.fromhex("803f"),
        1: bytes.fromhex("0100"),
    }


def test_a_chunk_holds_whole_elements_of_every_width() -> None:
    assert CHUNK_BYTES == 4 * 1024 * 1024
    assert all(CHUNK_BYTES % width == 0 for width in (8, 4, 2, 1))


@pytest.mark.parametrize(
    ("documents", "limit", "lists"),
    [
        ([], 10, []),
        ([b"1"], 0, [b"[1]"]),
        ([b"1", b"22", b"333"], 100, [b"[1,22,333]"]),
        ([b"1", b"22", b"333"], 6, [b"[1,22]", b"[333]"]),
        ([b"1", b"22", b"333"], 5, [b"[1]", b"[22]", b"[333]"]),
        ([b"1", b"22", b"333"], 0, [b"[1]", b"[22]", b"[333]"]),
    ],
)
def test_documents_share_lists_up_to_a_size(documents: list[bytes], limit: int, lists: list[bytes]) -> None:
    joined, list_of = joined_documents(documents, limit)
    assert joined == lists
    for document, position in zip(documents, list_of, strict=True):
        assert document in lists[position]
