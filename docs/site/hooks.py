"""What the documentation site needs besides the pages: the demo, copies of linked sources, and a check of what the site loads."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
DEMO = "demo.html"
"""What `make demo` writes. The site has it if it is there."""

_LINK = re.compile(r"\]\((\.\./[^)#\s]+)")
_LOADED = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)""")


def on_files(files: Any, config: Any) -> Any:
    """Adds the demo, and the sources that pages link to."""
    if (ROOT / DEMO).is_file():
        files.append(File.generated(config, DEMO, abs_src_path=str(ROOT / DEMO)))
        config.nav.insert(1, {"Demo": DEMO})
    sources = set()
    for page in files.documentation_pages():
        _lead_to_copies(page.content_string, page, sources.add)
    for source in sorted(sources):
        files.append(File.generated(config, f"sources/{source}.txt", abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Leads links to sources, which lie beside `docs`, to their copies in the site."""
    return _lead_to_copies(markdown, page.file, lambda source: None)


def on_post_build(config: Any) -> None:
    """Fails if a page of the site loads something from elsewhere."""
    for path in Path(config.site_dir).rglob("*.html"):
        if path.name != DEMO and (elsewhere := _LOADED.search(path.read_text(encoding="utf-8"))):
            raise PluginError(f"{path.relative_to(config.site_dir)} loads {elsewhere[1]}")


def _lead_to_copies(markdown: str, page: Any, copy: Callable[[str], object]) -> str:
    """Changes links to files outside of `docs`.

    Args:
        markdown: The text of a page.
        page: Its file.
        copy: Called with every file that is linked, relative to the repository.

    Returns:
        The text with links to the copies. A browser shows their type of file; one that is called like a program it would only save.
    """

    def lead(link: re.Match[str]) -> str:
        path = (Path(page.abs_src_path).parent / link[1]).resolve()
        if path.is_relative_to(ROOT / "docs") or not path.is_file():
            return link[0]
        source = path.relative_to(ROOT).as_posix()
        copy(source)
        return f"]({'../' * page.src_uri.count('/')}sources/{source}.txt"

    return _LINK.sub(lead, markdown)
