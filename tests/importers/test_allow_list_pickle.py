"""Pickles of numbers are read as Python reads them; hostile ones are refused before anything is made of them."""

from __future__ import annotations

import builtins
import collections
import contextlib
import os
import pickle
import struct
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from comgra_export.errors import ForeignDataError
from comgra_export.importers.pickles.reader import read_pickle

PROTOCOLS = range(6)
DTYPES = ["?", "i1", "u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", ">i8", "<u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"]


def same(found: Any, expected: Any) -> bool:  # noqa: ANN401
    """Whether both are the same, NaN and signs of zeros included."""
    if isinstance(expected, (np.ndarray, np.generic)):
        return (
            isinstance(found, np.ndarray)
            and found.dtype.newbyteorder("=") == expected.dtype.newbyteorder("=")
            and found.shape == expected.shape
            and found.astype(expected.dtype).tobytes() == expected.tobytes()
        )
    if type(found) is not type(expected):
        return False
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, dict):
        return list(found) == list(expected) and all(same(found[key], expected[key]) for key in expected)
    if isinstance(expected, float):
        return struct.pack("d", found) == struct.pack("d", expected)
    return bool(found == expected)


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


@settings(max_examples=300, deadline=None)
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
    found = read_pickle(old, "x.pkl")
    assert same(found, {"a": array, "b": np.asarray(2.5)})


def test_a_pickle_of_python_2_is_read() -> None:
    """Texts and bytes are of one type there, as written by `cPickle.dumps({"a\\n": numpy.array([1.5], "<f4")}, protocol)`."""
    dtype = b"cnumpy\ndtype\n(S'f4'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntb"
    array = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
    expected = {"a\n": np.array([1.5], "<f4")}
    text = b"(dS'a\\n'\n" + array + b"(I1\n(L1L\nt" + dtype + b"I00\nS'\\x00\\x00\\xc0?'\ntbs."
    assert same(read_pickle(text, "x.pkl"), expected)
    binary = b"\x80\x02}U\x02a\n" + array + b"(K\x01K\x01\x85" + dtype + b"\x89T\x04\x00\x00\x00\x00\x00\xc0?tbs."
    assert same(read_pickle(binary, "x.pkl"), expected)


class Calls:
    """What an object says of how it is to be made again, which is what Python's reader does."""

    def __init__(self, function: object, *arguments: object) -> None:
        self.made = function, arguments

    def __reduce__(self) -> Any:  # noqa: ANN401
        return self.made


class Stateful:
    pass


def stateful() -> Stateful:
    made = Stateful()
    made.__dict__["x"] = 1
    return made


HOSTILE: dict[str, tuple[Any, str]] = {
    "os.system": (Calls(os.system, "touch hacked"), "system"),
    "eval": (Calls(eval, "1"), "builtins.eval|__builtin__.eval"),
    "getattr": (Calls(getattr, np.ndarray, "dump"), "getattr"),
    "chain of getattr": (Calls(getattr, Calls(getattr, "x", "__class__"), "mro"), "getattr"),
    "import": (Calls(builtins.__import__, "os"), "__import__"),
    "subprocess": (Calls(subprocess.Popen, ("ls",)), "Popen"),
    "within a dict": ({"activation_gradients": {"a": np.zeros(2), "b": Calls(eval, "1")}}, "eval"),
    "object dtype": (np.array([1, "a", None], object), "Python objects"),
    "object dtype with a call": (np.array([Calls(eval, "1")], object), "Python objects|eval"),
    "structure": (np.zeros(2, [("a", "f4")]), "V4"),
    "complex": (np.zeros(2, complex), "c16"),
    "dates": (np.zeros(2, "M8[s]"), "M8"),
    "texts in an array": (np.array(["ab"]), "U2"),
    "a class": (stateful(), "Stateful|_reconstructor"),
    "a fraction": (Fraction(1, 3), "fractions.Fraction"),
    "a function": (os.getcwd, "getcwd"),
    "a set": ({1, 2}, "EMPTY_SET|set"),
    "an ordered dict": (collections.OrderedDict(a=1), "collections.OrderedDict"),
    "a memory-mapped array's class": (np.zeros(2).view(np.matrix), "matrix"),
    "numpy's own loader": (Calls(np.load, "x.npy"), "load"),
    "a large integer": (2**70, "64 bits"),
    "bytes": (b"ab", "bytes"),
    "a dtype": (np.dtype("f4"), "dtype"),
    "a name": (np.ndarray, "name"),
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_objects_are_refused(name: str, protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    value, words = HOSTILE[name]
    with pytest.raises(ForeignDataError, match=words) as refused:
        read_pickle(pickle.dumps(value, protocol), "flow_info.pkl")
    assert str(refused.value).startswith("flow_info.pkl is not read: at byte ")
    assert not list(tmp_path.iterdir())


def lists_of_lists(depth: int) -> bytes:
    return b"]" * depth + b"a" * (depth - 1) + b"."


FLOAT32 = b"cnumpy\ndtype\n(X\x02\x00\x00\x00f4\x89\x88tR"
EMPTY = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tC\x01btR"


def array(shape: bytes, dtype: bytes = FLOAT32, data: bytes = b"C\x04abcd", fortran: bytes = b"\x89") -> bytes:
    """A pickled array, the parts of which are given as instructions."""
    return EMPTY + b"(K\x01" + shape + dtype + fortran + data + b"tb"


RAW = {
    "empty": (b"", "ends in the middle"),
    "no end": (b"N", "ends in the middle"),
    "text": (b"hello", "EXT|instruction|refers|DUP|ends|takes"),
    "leftovers": (b"NN.", "left over"),
    "nothing to take": (b".", "more values than it has put"),
    "across a mark": (b"N(.", "more values than it has put"),
    "no mark": (b"Nt.", "mark"),
    "a newer protocol": (b"\x80\x06N.", "protocol 6"),
    "an unknown byte": (b"\xff.", "0xff"),
    "persistent id": (b"Pa\n.", "PERSID"),
    "binary persistent id": (b"NQ.", "BINPERSID"),
    "extension": (b"\x82\x01.", "EXT1"),
    "a new object": (b"cnumpy\nndarray\n)\x81.", "NEWOBJ"),
    "an instance": (b"(ios\nsystem\n.", "INST"),
    "an object": (b"(cnumpy\nndarray\no.", "OBJ"),
    "out-of-band buffer": (b"\x97.", "NEXT_BUFFER"),
    "read-only buffer": (b"N\x98.", "READONLY_BUFFER"),
    "a name from texts": (b"\x8c\x02os\x8c\x06system\x93.", "os.system"),
    "a name with dots": (b"\x8c\x05numpy\x8c\x11ndarray.__class__\x93.", "ndarray.__class__"),
    "a name of no texts": (b"NN\x93.", "no text"),
    "a call of no name": (b"N)R.", "calls a value"),
    "a call with no tuple": (b"cnumpy\ndtype\nNR.", "calls a value"),
    "an array's class called": (b"cnumpy\nndarray\n(K\x08tR.", "calls numpy.ndarray"),
    "too few arguments": (b"cnumpy\ndtype\n)R.", "calls numpy.dtype"),
    "another class of array": (b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\ndtype\n(K\x00tC\x01btR.", "begins"),
    "an array without numbers": (EMPTY + b".", "no numbers"),
    "state of a dict": (b"}}b.", "state of a value"),
    "state of a name": (b"cnumpy\nndarray\n}b.", "state of a value"),
    "a dict as an array's state": (EMPTY + b"}b.", "state"),
    "dtype with fields": (FLOAT32 + b"(K\x03X\x01\x00\x00\x00|NX\x01\x00\x00\x00a}K\x00K\x00K\x00tb.", "fields"),
    "too few bytes": (array(b"K\x02\x85") + b".", "does not fit"),
    "too many bytes": (array(b"K\x00\x85") + b".", "does not fit"),
    "negative size": (array(b"J\xff\xff\xff\xff\x85") + b".", "shape"),
    "sizes that overflow": (array(b"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00K\x00\x86", data=b"C\x00") + b".", "shape"),
    "forty dimensions": (array(b"(" + b"K\x01" * 40 + b"t") + b".", "shape"),
    "a shape of texts": (array(b"N\x85") + b".", "integers"),
    "a list of objects as numbers": (array(b"K\x01\x85", data=b"]") + b".", "bytes"),
    "no dtype": (array(b"K\x01\x85", dtype=b"N") + b".", "dtype"),
    "a key that is a list": (b"}]Ns.", "key"),
    "a key that is a long tuple": (b"}(" + b"N" * 9 + b"tNs.", "key"),
    "a key that is an array": (b"}" + array(b"K\x01\x85") + b"Ns.", "key"),
    "a key without a value": (b"}(Nu.", "key"),
    "an item of no dict": (b"]NNs.", "dict"),
    "a member of no list": (b"}Na.", "list"),
    "not in the memo": (b"h\x05.", "refers"),
    "a long integer": (b"\x8b\xff\xff\xff\x7f" + b"\x01" * 20 + b".", "64 bits"),
    "a number of many digits": (b"I" + b"9" * 5000 + b"\n.", "too long"),
    "no number": (b"Ix\n.", "cannot be read"),
    "no float": (b"Fx\n.", "cannot be read"),
    "no quotes": (b"Sab\n.", "quotes"),
    "an escape": (b"S'\\q'\n.", "escape"),
    "no UTF-8": (b"\x8c\x01\xff.", "UTF-8"),
    "a length beyond the end": (b"\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.", "ends in the middle"),
    "a frame beyond the end": (b"\x95\xff\x00\x00\x00\x00\x00\x00\x00N.", "ends in the middle"),
    "nesting": (lists_of_lists(100_000), "within one another"),
    "a list within itself": (b"]q\x00h\x00a.", "circle"),
    "a dict within itself": (b"}q\x00Nh\x00s.", "circle"),
    "a list within a tuple within itself": (b"]q\x00h\x00\x85a.", "circle"),
    "doubling": (b"(]q\x00" + b"](h\x00h\x00h\x00h\x00eq\x00" * 40 + b"l.", "so often"),
    "doubling with tuples": (b"N" + b"2\x86" * 50 + b".", "so often"),
    "an array again and again": (
        b"(" + array(b"\x8a\x02\x00\x01\x85", data=b"B\x00\x04\x00\x00" + b"a" * 1024) + b"q\x07" + b"h\x07" * 5000 + b"l.",
        "so often",
    ),
    "a text as bytes again and again": (
        b"(X\x00\x04\x00\x00" + b"a" * 1024 + b"q\x00" + b"c_codecs\nencode\nq\x01X\x06\x00\x00\x00latin1q\x02"
        + b"h\x01h\x00h\x02\x86R" * 2000 + b"l.",
        "more numbers",
    ),
    "a text as numbers again and again": (
        b"(X\x00\x04\x00\x00" + b"a" * 1024 + b"q\x00" + FLOAT32 + b"q\x01" + b"cnumpy.core.numeric\n_frombuffer\nq\x02"
        + b"h\x02(h\x00h\x01M\x00\x01\x85X\x01\x00\x00\x00CtR" * 1000 + b"l.",
        "more numbers",
    ),
}  # fmt: skip


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


@settings(max_examples=400, deadline=None)
@given(data=st.binary(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(ForeignDataError):
        read_pickle(data, "x.pkl")


@settings(max_examples=200, deadline=None)
@given(value=values, protocol=st.sampled_from(PROTOCOLS), draw=st.data())
def test_a_damaged_pickle_is_read_or_refused(value: object, protocol: int, draw: st.DataObject) -> None:
    data = bytearray(pickle.dumps(value, protocol))
    for _ in range(draw.draw(st.integers(1, 3))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    with contextlib.suppress(ForeignDataError):
        read_pickle(bytes(data), "x.pkl")


def test_a_large_array_is_not_copied() -> None:
    array = np.ones((1000, 1000), np.float32)
    data = pickle.dumps({"a": array}, 4)
    tracemalloc.start()
    try:
        found = read_pickle(data, "x.pkl")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(found, dict)
    assert same(found["a"], array)
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
