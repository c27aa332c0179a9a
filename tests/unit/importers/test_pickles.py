"""Pickles of numbers are read as Python reads them; hostile ones are refused before anything is made of them."""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from comgra_export.errors import ForeignDataError
from comgra_export.importers.pickles.reader import read_pickle
from support.breadth import examples
from support.importers.pickles import DTYPES, EMPTY, FLOAT32, HOSTILE, RAW, Calls, array

PROTOCOLS = range(6)


def same(actual: Any, expected: Any) -> bool:  # noqa: ANN401
    """Whether both are the same, NaN and signs of zeros included."""
    if isinstance(expected, (np.ndarray, np.generic)):
        return (
            isinstance(actual, np.ndarray)
            and actual.dtype.newbyteorder("=") == expected.dtype.newbyteorder("=")
            and actual.shape == expected.shape
            and actual.astype(expected.dtype).tobytes() == expected.tobytes()
        )
    if type(actual) is not type(expected):
        return False
    if isinstance(expected, (list, tuple)):
        return len(actual) == len(expected) and all(map(same, actual, expected))
    if isinstance(expected, dict):
        return list(actual) == list(expected) and all(same(actual[key], expected[key]) for key in expected)
    if isinstance(expected, float):
        return struct.pack("d", actual) == struct.pack("d", expected)
    return bool(actual == expected)


def is_data(read: object) -> bool:
    """Whether there is nothing in it but numbers, texts, arrays of numbers, and what holds such."""
    if isinstance(read, (list, tuple)):
        return type(read) in (list, tuple) and all(map(is_data, read))
    if isinstance(read, dict):
        return type(read) is dict and all(map(is_data, read)) and all(map(is_data, read.values()))
    if isinstance(read, np.ndarray):
        return type(read) is np.ndarray and read.dtype.kind in "?biuf"
    return read is None or type(read) in (bool, int, float, str)


arrays = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)).flatmap(
        lambda array: st.sampled_from([array, np.asfortranarray(array), array.T, array[::2] if array.ndim else array])
    )
)
# A NaN is no key that can be found again, and Python's texts may hold lone surrogates.
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(st.characters())
keys = st.text() | st.integers(-9, 9) | st.tuples(st.text(), st.text())
values = st.recursive(
    scalars | arrays | arrays.map(lambda array: array.dtype.type(1)),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@examples(300)
@given(value=values, protocol=st.sampled_from(PROTOCOLS), by_hand=st.booleans())
def test_what_python_writes_is_read_as_python_reads_it(value: object, protocol: int, by_hand: bool) -> None:
    # The writer in Python uses instructions that the one in C does not, and the other way round.
    # That in Python fails on two empty arrays in protocol 5.
    data = pickle._dumps(value, protocol) if by_hand and protocol < 5 else pickle.dumps(value, protocol)  # type: ignore[attr-defined]
    assert same(read_pickle(data, "x.pkl"), pickle.loads(data))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_names_of_old_numpy_are_read(protocol: int) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    data = pickle.dumps({"a": array, "b": np.float64(2.5)}, protocol)
    # In protocols with lengths, the name becomes one byte shorter.
    old = data.replace(b"\x8c\x16numpy._core.multiarray", b"\x8c\x15numpy.core.multiarray")
    old = old.replace(b"\x8c\x13numpy._core.numeric", b"\x8c\x12numpy.core.numeric").replace(b"numpy._core", b"numpy.core")
    old = old if protocol < 4 else old[:3] + struct.pack("<Q", len(old) - 11) + old[11:]
    actual = read_pickle(old, "x.pkl")
    assert same(actual, {"a": array, "b": np.asarray(2.5)})


def test_a_pickle_of_python_2_is_read() -> None:
    """Texts and bytes are of one type there, as written by `cPickle.dumps({"a\\n": numpy.array([1.5], "<f4")}, protocol)`."""
    dtype = b"cnumpy\ndtype\n(S'f4'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntb"
    array = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
    expected = {"a\n": np.array([1.5], "<f4")}
    text = b"(dS'a\\n'\n" + array + b"(I1\n(L1L\nt" + dtype + b"I00\nS'\\x00\\x00\\xc0?'\ntbs."
    assert same(read_pickle(text, "x.pkl"), expected)
    binary = b"\x80\x02}U\x02a\n" + array + b"(K\x01K\x01\x85" + dtype + b"\x89T\x04\x00\x00\x00\x00\x00\xc0?tbs."
    assert same(read_pickle(binary, "x.pkl"), expected)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_objects_are_refused(name: str, protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    value, words = HOSTILE[name]
    with pytest.raises(ForeignDataError, match=words) as refused:
        read_pickle(pickle.dumps(value, protocol), "flow_info.pkl")
    assert str(refused.value).startswith("flow_info.pkl is not read: at byte ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", RAW)
def test_hostile_programs_are_refused(name: str) -> None:
    data, words = RAW[name]
    with pytest.raises(ForeignDataError, match=words):
        read_pickle(data, "x.pkl")


def test_a_message_says_what_was_found_and_where() -> None:
    data = pickle.dumps({"a": Calls(os.system, "x")}, 3)
    at = data.index(b"cposix" if os.name == "posix" else b"cnt")
    with pytest.raises(ForeignDataError, match=f"^flow_info.pkl is not read: at byte {at}, it names .*.system, and only numpy arrays"):
        read_pickle(data, "flow_info.pkl")


def test_a_tensor_is_refused_with_what_to_do() -> None:
    with pytest.raises(ForeignDataError, match=r"torch._utils._rebuild_tensor_v2.*\.numpy\(\)"):
        read_pickle(b"ctorch._utils\n_rebuild_tensor_v2\n.", "x.pkl")


def test_no_control_character_of_a_name_comes_out() -> None:
    with pytest.raises(ForeignDataError) as refused:
        read_pickle(b"c\x1b[2J\nx\n.", "x.pkl")
    assert "\x1b" not in str(refused.value)


CODES = b"(.012NIJKMLFGSTUVXBC)t]lae}dsupgqrhjcRb\x80\x85\x86\x87\x88\x89\x8a\x8c\x93\x94\x95\x96"
PIECES = [*(bytes([code]) for code in CODES), b"\x00\n", FLOAT32, EMPTY, array(b"K\x01\x85")]


@examples(400)
@given(data=st.binary(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(ForeignDataError):
        assert is_data(read_pickle(data, "x.pkl"))


@examples(200)
@given(value=values, protocol=st.sampled_from(PROTOCOLS), draw=st.data())
def test_a_damaged_pickle_is_read_or_refused(value: object, protocol: int, draw: st.DataObject) -> None:
    data = bytearray(pickle.dumps(value, protocol))
    for _ in range(draw.draw(st.integers(1, 3))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    with contextlib.suppress(ForeignDataError):
        assert is_data(read_pickle(bytes(data), "x.pkl"))


def test_a_large_array_is_not_copied() -> None:
    array = np.ones((1000, 1000), np.float32)
    data = pickle.dumps({"a": array}, 4)
    tracemalloc.start()
    try:
        actual = read_pickle(data, "x.pkl")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(actual, dict)
    assert same(actual["a"], array)
    assert peak < 100_000


@pytest.mark.parametrize(
    "data",
    [
        *(code + struct.pack("<Q", size) + b"abc" for code in (b"\x8d", b"\x8e", b"\x95", b"\x96") for size in (2**60, 2**64 - 1)),
        *(code + b"9" * 4_000_000 + b"\n." for code in (b"I", b"L", b"F", b"p", b"g", b"c")),
        *(code + b"9" * 4_000_000 for code in (b"I", b"L", b"F", b"S", b"V", b"c")),
        b"\x8b" + struct.pack("<i", 4_000_000) + b"9" * 4_000_000 + b".",
    ],
    ids=lambda data: f"{data[:5]!a} and {len(data)} bytes",
)
def test_sizes_are_checked_before_anything_is_read(data: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ForeignDataError, match="at byte 0, "):
            read_pickle(data, "x.pkl")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_nothing_that_could_run_is_imported() -> None:
    """A module that only the pickle names is not imported."""
    code = (
        "import sys; from comgra_export.importers.pickles.reader import read_pickle\n"
        "try: read_pickle(b'cantigravity\\nfly\\n.', 'x')\n"
        "except Exception: pass\n"
        "sys.exit('antigravity' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
