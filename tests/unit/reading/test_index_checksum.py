"""The checksum of a bundle's index: no flipped bit of it is read as if nothing had happened."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from comgra_export.errors import RecordingError
from comgra_export.exporter import export
from comgra_export.reading.bundles.index import open_bundle
from support.breadth import at_breadth
from support.exporter.recordings import write_trial

BEGIN = b'<script type="application/json" id="bundle-index">'


@pytest.fixture
def page(tmp_path: Path) -> Path:
    write_trial(tmp_path / "runs")
    return export(tmp_path / "runs", tmp_path / "report.html", title="<b> & \u00e9").path


def _content(page: Path) -> dict[str, object]:
    index: dict[str, object] = json.loads(bytes(open_bundle(page).chunks._files.index))
    index.pop("crc32", None)
    return index


def test_every_flipped_bit_is_noticed_or_changes_nothing(page: Path) -> None:
    whole, content = page.read_bytes(), _content(page)
    begin = whole.index(BEGIN) + len(BEGIN)
    end = whole.index(b"</script>", begin)
    random_numbers = random.Random(0)
    noticed = 0
    for _ in range(at_breadth(quick=100, ci=500, full=5000)):
        changed = bytearray(whole)
        changed[random_numbers.randrange(begin, end)] ^= 1 << random_numbers.randrange(8)
        page.write_bytes(changed)
        try:
            read = _content(page)
        except (RecordingError, ValueError):
            noticed += 1
            continue
        # A flip in the name of the checksum leaves the rest as it was.
        assert all(read[key] == value for key, value in content.items())
    assert noticed


def test_a_bundle_of_earlier_opens(page: Path) -> None:
    whole = page.read_bytes()
    end = whole.rindex(b',"crc32":', 0, whole.index(b"</script>", whole.index(BEGIN)))
    page.write_bytes(whole[:end] + b"}" + whole[whole.index(b"}", end) + 1 :])
    assert open_bundle(page).group == "group"
