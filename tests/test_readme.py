"""What the README shows is what there is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_is_the_one_that_is_tested() -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert shown == (ROOT / "examples" / "minimal.py").read_text(encoding="utf-8")


def test_pictures_and_pages_exist() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith("https://")]
    assert len(links) > 5
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_the_test_command_is_the_one_that_ci_calls() -> None:
    assert re.search(r"^make test\b", README, re.MULTILINE)
    assert "\nmake test\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
