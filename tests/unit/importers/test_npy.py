"""Files of numpy.save are read as numpy reads them, and others refused without making room for what they announce."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from comgra_export.errors import ForeignDataError
from comgra_export.importers.npy import read_npy
from support.breadth import examples
from support.importers.pickles import DTYPES


def saved(array: object, *, allow_pickle: bool = False) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.asanyarray(array), allow_pickle=allow_pickle)
    return stream.getvalue()


def announcing(shape: str, descr: str = "'<f4'", numbers: bytes = bytes(4), version: bytes = b"\x01\x00") -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY" + version + len(header).to_bytes(2 if version[0] == 1 else 4, "little") + header + numbers


@examples(100)
@given(
    array=st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0))),
    is_fortran=st.booleans(),
)
def test_what_numpy_saves_is_read(array: np.ndarray, is_fortran: bool) -> None:
    array = np.asfortranarray(array) if is_fortran else array
    actual = read_npy(saved(array), "x.npy")
    assert (actual.dtype, actual.shape) == (array.dtype, array.shape)
    assert actual.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "numpy.save"),
        (b"PK\x03\x04", "numpy.save"),
        (saved(np.array([{}], object), allow_pickle=True), "object"),
        (saved(np.zeros(2, complex)), "complex128"),
        (saved(np.zeros(2, [("a", "f4")])), "void"),
        (saved(np.zeros(3))[:-1], "23 bytes.*cut off"),
        (saved(np.zeros(3)) + b"x", "25 bytes"),
        (announcing("(-1,)"), "4 bytes"),
        (announcing("(4611686018427387904, 4)"), "4 bytes"),
        (announcing("(0, 4611686018427387904, 4611686018427387904)", numbers=b""), "0 bytes"),
        (announcing("(1,)", version=b"\x03\x00"), "version 3.0"),
        (announcing("__import__('os')"), "numpy.save"),
        (announcing("(1"), "numpy.save"),
        (announcing("{[]: 1}"), "numpy.save"),
        (announcing("(0,)", descr="',f'"), "numpy.save"),
        (announcing("-" * 9000 + "1"), "numpy.save"),
        (announcing("(1,)", descr="'<f16'", numbers=bytes(16)), "8 bytes"),
    ],
)
def test_others_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(ForeignDataError, match=words):
        read_npy(data, "x.npy")


def test_no_room_is_made_for_what_is_not_there() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ForeignDataError):
            read_npy(announcing("(1000000000,)"), "x.npy")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000
