"""User scripts in a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from comgra_export.errors import ExportError
from comgra_export.exporter.output.scripts import load_visualization


def script(folder: Path, text: str, name: str = "own.js") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_not_ascii_means_the_same_as_escapes(tmp_path: Path) -> None:
    loaded = load_visualization(script(tmp_path, "const a = '\u00e9\U0001f600'; // \u2713\r\n"))
    assert loaded.script == "const a = '\\u00e9\\ud83d\\ude00'; // \\u2713\n"
    assert loaded.name == "own.js"


@pytest.mark.parametrize("text", ["'</script>'", "'</SCRIPT'", "'<!-- '"])
def test_what_would_end_the_script_is_refused_with_a_remedy(text: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=re.escape("'<\\/script'")):
        load_visualization(script(tmp_path, text))


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"\.js"):
        load_visualization(script(tmp_path, "x", "own.txt"))
    with pytest.raises(ExportError, match="cannot be read"):
        load_visualization(tmp_path / "missing.js")
    latin = tmp_path / "latin.js"
    latin.write_bytes(b"'\xe9'")
    with pytest.raises(ExportError, match="UTF-8"):
        load_visualization(latin)
