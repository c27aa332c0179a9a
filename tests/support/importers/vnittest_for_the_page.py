"""Writes static/tests/support/vnittest.json: files of vnittest, and what the importer makes of them, which the page is to make too.

python tests/support/importers/vnittest_for_the_page.py
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from comgra_export.importers.vnittest import import_vnittest  # noqa: E402
from comgra_export.storage import PairNumbers, open_recording  # noqa: E402
from support.importers.vnittest_files import SAMPLE, write_debug_data, write_explicit, write_files  # noqa: E402


def write_mixture(folder: Path) -> Path:
    """Everything that vnittest cannot open: layers that only flows name, links, a circle, other dtypes, NaN, given and estimated flows."""
    gradients = {
        "conv10": np.array([[0, -2, 3]], ">f8"),
        "conv2": np.array([[1, np.nan], [0, 4]], np.float16),
        "input": np.array([[5, 0], [2, 1]], np.int64),
        "alone": np.array([7], np.uint8),
    }
    matrix = np.asfortranarray(np.array([[1, 0, -2], [np.inf, 1e-50, 3], [0, 0, 0], [4, 5, -6]]))
    flows = {
        ("conv2", "conv10"): matrix,
        ("conv10", "z"): np.array([[1, 2], [3, 4], [5, 6]], np.int32),
        ("z", "conv10"): None,
        ("input", "conv2"): {"indices_in": ([1, 0, 1], [1, 0, 1]), "indices_out": np.array([0, 3, 0])},
        ("input", "conv10"): None,
        ("z", "nowhere"): None,
    }
    return write_files(folder, gradients, flows, np.array([[True, False]]), np.array([3.5, 4.5], "<f8"), prefix="run_", protocol=5)


def numbers(array: NDArray[Any]) -> list[str]:
    """As texts, NaN and infinities among them."""
    return [repr(float(number)) for number in array.reshape(-1)]


def triples(pair: PairNumbers) -> Iterator[tuple[int, int, str]]:
    """Source, target and value of each flow."""
    for source in range(len(pair.starts) - 1):
        for place in range(pair.starts[source], pair.starts[source + 1]):
            yield source, int(pair.targets[place]), repr(float(pair.flows[place]))


def case(name: str, folder: Path, recordings: Path) -> dict[str, Any]:
    """The files, and what is in the recording of them."""
    done = import_vnittest(str(folder), recordings, trial=name)
    recording = open_recording(done.folder / "rank-0")
    step = recording.step(0)
    flows = []
    for place, flow in enumerate(step.flows):
        own = recording.flow_numbers(0, place)
        layers = [
            {
                "name": layer.name,
                "shape": list(layer.shape),
                "role": layer.role,
                "values": None if values is None else numbers(values),
                "gradients": None if gradients is None else numbers(gradients),
            }
            for layer, values, gradients in zip(flow.layers, own.values, own.gradients, strict=True)
        ]
        pairs = [
            {
                "from": pair.source,
                "to": pair.target,
                "flows": list(triples(flows_of_pair)),
                "residuals": None if flows_of_pair.residuals is None else numbers(flows_of_pair.residuals),
            }
            for pair, flows_of_pair in zip(flow.pairs, own.pairs, strict=True)
        ]
        flows.append({"name": flow.name, "method": flow.method, "layers": layers, "pairs": pairs})
    files = {
        file.name: base64.b64encode(file.read_bytes()).decode() for file in sorted(folder.iterdir()) if file.suffix in (".pkl", ".npy")
    }
    arrays = {array: numbers(blob.data) for array, blob in recording.blobs(0).items()}
    return {"name": name, "files": files, "flows": flows, "arrays": arrays, "gaps": len(step.gaps)}


def main() -> None:
    """Writes the file."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        folders = {
            "sample": SAMPLE,
            "debug data": write_debug_data(root / "debug_data"),
            "explicit": write_explicit(root / "explicit"),
            "mixture": write_mixture(root / "mixture"),
        }
        cases = [case(name, folder, root / "recordings") for name, folder in folders.items()]
    (ROOT / "static" / "tests" / "support" / "vnittest.json").write_text(json.dumps(cases, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
