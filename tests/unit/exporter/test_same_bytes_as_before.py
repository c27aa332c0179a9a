"""An export of an old recording has the bytes that the exporter made of it before the code was rearranged.

`digests.json` holds the digests as the earlier exporter wrote them. What was added on purpose since then is undone here: the chunk with
the findings, the keys in `ADDED`, the device of each parameter, and the list of chunks of histograms, which was one number.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from comgra_export.exporter import export
from support.exporter.unpacker import Bundle
from support.made_before import NAMES, earlier_digests, recording_of

ADDED = ("runs", "step_types", "story", "start")
ADDED_TO_TRIALS = ("problems", "worst", "findings")
PLACES = ("layouts", "structures", "calls", "facts", "module_runs", "parameter_lists")
LANES = ("lane8", "lane4", "lane2", "lane1")


@pytest.mark.parametrize("shape", ["folder", "one.html", "one.zip"])
@pytest.mark.parametrize("name", NAMES)
def test_data_have_the_bytes_of_the_earlier_exporter(name: str, shape: str, tmp_path: Path) -> None:
    bundle = Bundle(export(recording_of(name), tmp_path / shape).path)
    if shape == "folder":
        bundle = Bundle(tmp_path / shape)
    expected = earlier_digests(name)
    index, chunks = _without_additions(bundle)
    # First the chunks, since one digest of everything would not say what differs.
    assert [hashlib.sha256(chunk).hexdigest() for chunk in chunks] == expected["chunks"]
    # The earlier exporter left these out too.
    del index["content_digest"], index["generation"]
    for column in ("codec", "inline", "identity", "encoded"):
        del index["chunks"][column]
    assert hashlib.sha256(b"".join(chunks) + _encode(index)).hexdigest() == expected["content_digest"]


def _without_additions(bundle: Bundle) -> tuple[dict[str, Any], list[bytes]]:
    """The index and the chunks as they were before."""
    index = json.loads(json.dumps(bundle.index))
    (trial,) = index["trials"]
    findings, chunks = trial["findings"], [bundle.chunk(number) for number in range(len(index["chunks"]["bytes"]))]

    def renumbered(chunk: int) -> int:
        assert chunk != findings
        return chunk - 1 if chunk > findings else chunk

    def replace(number: int, document: object) -> None:
        chunks[number] = _encode(document)

    series = bundle.document(trial["series"])
    replace(trial["series"], {key: renumbered(value) if key in LANES else value for key, value in series.items()})
    for number in trial["histograms"]:
        directory = bundle.document(number)
        replace(number, {key: renumbered(value) if key in LANES else value for key, value in directory.items()})
    if trial["flows"] >= 0:
        replace(trial["flows"], [{**flow, "lane4": renumbered(flow["lane4"])} for flow in bundle.document(trial["flows"])])
    network = bundle.document(trial["network"])
    for parameter in network["parameters"]:
        assert parameter.pop("device") == ""
    replace(trial["network"], network)

    for key in ADDED:
        del index[key]
    for key in ADDED_TO_TRIALS:
        del trial[key]
    for key in PLACES:
        index[key]["chunk"] = [renumbered(chunk) for chunk in index[key]["chunk"]]
    for lane in LANES:
        trial["steps"][lane] = [renumbered(chunk) for chunk in trial["steps"][lane]]
    for key in ("network", "notes", "curves", "gaps", "series", "flows"):
        trial[key] = renumbered(trial[key])
    (trial["histograms"],) = [renumbered(chunk) for chunk in trial["histograms"]] or [-1]
    index["generator"] = "comgra_export 0.1.0"
    del chunks[findings]
    index["chunks"]["bytes"] = [len(chunk) for chunk in chunks]
    index["chunks"]["crc32"] = [zlib.crc32(chunk) for chunk in chunks]
    del index["chunks"]["width"][findings]
    return index, chunks


def _encode(document: object) -> bytes:
    """As the format says: compact, in ASCII."""
    return json.dumps(document, separators=(",", ":")).encode("ascii")
