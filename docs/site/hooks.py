"""What the documentation site needs besides the pages of `docs`.

The README is its first page, the demo is there if it was made, and links to sources lead to copies of them. Nothing may be loaded from
elsewhere.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
DEMO = "demo.html"
"""What `make demo` writes. The site has it if it is there."""

_FROM_README = re.compile(r"\]\((?!https?:|#)")
_LINK = re.compile(r"\]\((\.\./[^)#\s]+)")
_LOADED = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)""")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds the first page, the demo, and the sources that pages link to."""
    readme = _FROM_README.sub("](../", (ROOT / "README.md").read_text(encoding="utf-8")).replace("](../docs/", "](")
    files.append(File.generated(config, "index.md", content=readme))
    if (ROOT / DEMO).is_file():
        files.append(File.generated(config, DEMO, abs_src_path=str(ROOT / DEMO)))
        config.nav.insert(1, {"Demo": DEMO})
    links = {_source(page, link) for page in files.documentation_pages() for link in _LINK.findall(page.content_string)}
    for source in sorted(links - {None}):
        files.append(File.generated(config, _copy(source), abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Leads links to sources to their copies in the site."""

    def lead(link: re.Match[str]) -> str:
        source = _source(page.file, link[1])
        return link[0] if source is None else f"]({'../' * page.file.src_uri.count('/')}{_copy(source)}"

    return _LINK.sub(lead, markdown)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Fails if a page of the site loads something from elsewhere."""
    for path in Path(config.site_dir).rglob("*.html"):
        if path.name != DEMO and (elsewhere := _LOADED.search(path.read_text(encoding="utf-8"))):
            raise PluginError(f"{path.relative_to(config.site_dir)} loads {elsewhere[1]}")


def _source(page: File, link: str) -> str | None:
    """The file outside `docs` that a link on a page leads to, relative to the repository; None if there is none."""
    path = (ROOT / "docs" / page.src_uri).parent.joinpath(link).resolve()
    return path.relative_to(ROOT).as_posix() if path.is_file() and not path.is_relative_to(ROOT / "docs") else None


def _copy(source: str) -> str:
    """Where the site has a source. A browser shows this type of file; a script it would only save."""
    return f"sources/{source}.txt"
