"""Writes static/tests/support/pickles.json: pickles and arrays that the page's own readers are tested with.

python tests/support/importers/pickles_for_the_page.py
"""

from __future__ import annotations

import base64
import io
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np

_LONGEST = 20_000

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from support.importers.pickles import DTYPES, HOSTILE, RAW  # noqa: E402

VALUES: dict[str, Any] = {
    "scalars": [
        None,
        True,
        False,
        0,
        -1,
        255,
        65535,
        -(2**31),
        2**40,
        -(2**63),
        2**64 - 1,
        0.5,
        -2.5e300,
        "",
        "é\n'\"\\ 🦔",
        ("a", "b"),
        (),
    ],
    "dicts": {"a": {("x", "y"): None, 3: [1, [2, (3,)]]}, "": {}},
}
ARRAYS = {dtype: np.array([[0, 1, 2], [1, 0, 100]]).astype(dtype) for dtype in DTYPES}
ARRAYS |= {
    "in Fortran order": np.asfortranarray(np.arange(6, dtype="<f4").reshape(2, 3)),
    "transposed": np.arange(24, dtype="<i4").reshape(2, 3, 4).transpose(1, 2, 0),
    "every second": np.arange(10, dtype="<f8")[::2],
    "empty": np.zeros((0, 3), "<f4"),
    "scalar": np.float32(2.5),
    "no dimensions": np.array(7, ">i8"),
    "none": np.array([np.nan, np.inf, -np.inf, -0.0], "<f8"),
}
PYTHON_2 = b"(dS'a\\n'\ncnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(L1L\ntcnumpy\ndtype\n(S'f4'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntbI00\nS'\\x00\\x00\\xc0?'\ntbs."  # noqa: E501


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def plain(value: Any) -> Any:  # noqa: ANN401
    """What JSON can say of it: tuples, dicts, arrays and large integers as objects."""
    if isinstance(value, (np.ndarray, np.generic)):
        return {"shape": list(value.shape), "numbers": [str(float(number)) for number in np.asarray(value).reshape(-1)]}
    if isinstance(value, tuple):
        return {"tuple": [plain(member) for member in value]}
    if isinstance(value, list):
        return [plain(member) for member in value]
    if isinstance(value, dict):
        return {"items": [[plain(key), plain(member)] for key, member in value.items()]}
    if type(value) is int and abs(value) >= 2**53:
        return {"integer": str(value)}
    return value


def saved(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def main() -> None:
    """Writes the file."""
    values = VALUES | ARRAYS
    pickles = [
        {"name": f"{name}, protocol {protocol}", "data": encoded(pickle.dumps(value, protocol)), "expected": plain(value)}
        for name, value in values.items()
        for protocol in range(6)
    ]
    pickles.append({"name": "python 2", "data": encoded(PYTHON_2), "expected": plain({"a\n": np.array([1.5])})})
    hostile = {name: encoded(data) for name, (data, _) in RAW.items() if len(data) < _LONGEST}
    for name, (value, _) in HOSTILE.items():
        hostile |= {f"{name}, protocol {protocol}": encoded(pickle.dumps(value, protocol)) for protocol in range(6)}
    arrays = [{"name": name, "data": encoded(saved(np.asarray(array))), "expected": plain(array)} for name, array in ARRAYS.items()]
    content = {"pickles": pickles, "hostile": hostile, "arrays": arrays}
    (ROOT / "static" / "tests" / "support" / "pickles.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
