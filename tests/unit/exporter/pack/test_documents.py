"""The JSON documents of a bundle."""

from __future__ import annotations

import itertools
import json

from comgra_export.exporter.pack.documents import curves_document
from comgra_export.storage import CurvePoint

SCRIPT = [CurvePoint("loss", "mse", "train", step, 1.0 - step / 4) for step in range(2)] + [
    CurvePoint("accuracy", "top 1", "train", 1, 0.5)
]
OWN = [CurvePoint(group, "", "train", step, 2.0, True) for step in range(2) for group in ("gradient norm", "seconds per step")]


def test_curves_are_in_the_same_order_however_two_threads_mixed_their_lines() -> None:
    documents = set()
    for places in itertools.combinations(range(len(SCRIPT) + len(OWN)), len(SCRIPT)):
        script, own = iter(SCRIPT), iter(OWN)
        documents.add(curves_document([next(script if place in places else own) for place in range(len(SCRIPT) + len(OWN))]))
    (document,) = documents
    curves = json.loads(document)
    assert [curve["group"] for curve in curves] == ["loss", "accuracy", "gradient norm", "seconds per step"]
    assert (curves[0]["t"], curves[0]["v"]) == ([0, 1], [1.0, 0.75])
