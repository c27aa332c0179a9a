"""Pages that are small on the disk and huge when they are read."""

from __future__ import annotations

import base64
import json
import mmap
import os
import re
import sys
import zlib
from pathlib import Path

import pytest

from comgra_export.errors import ComgraExportError
from comgra_export.exporter import export
from comgra_export.reading.bundles.verifying import verify_bundle
from comgra_export.storage import without_limits
from support.exporter.recordings import write_trial
from support.exporter.unpacker import Bundle

HOLE = 50_000_000_000
CUTS = {
    "not at all": b"no such bytes",
    "within its index": b'"format"',
    "before its chunks": b'<template id="chunk-0"',
    "at all": b"<!doctype",
}


@pytest.fixture
def page(tmp_path: Path) -> Path:
    write_trial(tmp_path / "runs")
    export(tmp_path / "runs", tmp_path / "page.html")
    return tmp_path / "page.html"


@pytest.mark.skipif(sys.platform == "win32", reason="Files have no holes there unless they ask for it.")
@pytest.mark.parametrize("cut", CUTS)
def test_a_page_that_is_mostly_a_hole_is_hardly_read(cut: str, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = len(Bundle(page).index["chunks"]["bytes"])
    page.write_bytes(page.read_bytes().partition(CUTS[cut])[0])
    os.truncate(page, HOLE)
    searched = 0

    class Counted(mmap.mmap):
        def find(self, what: bytes, begin: int = 0, end: int = HOLE) -> int:  # type: ignore[override]
            nonlocal searched
            at = super().find(what, begin, end)
            searched += (min(end, HOLE) if at < 0 else at) - begin
            assert searched < 150_000_000
            return at

    monkeypatch.setattr(mmap, "mmap", Counted)
    if cut == "not at all":
        assert verify_bundle(page).problems == ()
    elif cut == "before its chunks":
        assert len(verify_bundle(page).problems) == chunks
    else:
        with pytest.raises(ComgraExportError, match=r"page\.html"):
            verify_bundle(page)
    assert searched > 0


def test_a_chunk_that_unpacks_to_more_than_the_limit_is_left_out(page: Path) -> None:
    index = Bundle(page).index
    raw, packer = bytes(65_000_000), zlib.compressobj(9, zlib.DEFLATED, -15)
    encoded = base64.b64encode(packer.compress(raw) + packer.flush()).decode()
    index.pop("crc32", None)
    del index["chunks"]["encoded"]
    for column, value in {"bytes": len(raw), "crc32": zlib.crc32(raw), "codec": 1, "width": 1}.items():
        index["chunks"][column][0] = value
    text = re.sub(r'(<template id="chunk-0">)[^<]*', lambda match: match[1] + encoded, page.read_text(encoding="ascii"))
    page.write_text(re.sub(r'(id="bundle-index">)[^<]*', lambda match: match[1] + json.dumps(index), text, count=1), encoding="ascii")
    (problem,) = verify_bundle(page).problems
    assert problem.startswith("page.html, chunk 0 is not read: it has 65,000,000 bytes")
    with without_limits():
        assert verify_bundle(page).problems == ()
