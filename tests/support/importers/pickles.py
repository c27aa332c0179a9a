"""Pickles that are not data: pickles of objects, and instructions that no pickler would write."""

from __future__ import annotations

import builtins
import collections
import os
import subprocess
from fractions import Fraction
from typing import Any

import numpy as np

DTYPES = ["?", "i1", "u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", ">i8", "<u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"]


class Calls:
    """An object whose pickle makes Python's reader call a function."""

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


def lists_of_lists(depth: int) -> bytes:
    return b"]" * depth + b"a" * (depth - 1) + b"."


FLOAT32 = b"cnumpy\ndtype\n(X\x02\x00\x00\x00f4\x89\x88tR"
EMPTY = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tC\x01btR"


def array(shape: bytes, dtype: bytes = FLOAT32, data: bytes = b"C\x04abcd", fortran: bytes = b"\x89") -> bytes:
    """A pickled array whose parts are given as instructions."""
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
    "binary persistent id": (b"NQ.", "refers to what lies outside"),
    "extension": (b"\x82\x01.", "EXT1"),
    "a new object": (b"cnumpy\nndarray\n)\x81.", "calls numpy.ndarray in a way that numpy does not"),
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
