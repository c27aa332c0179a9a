"""Writes the site: an index, and a copy of each bundle and picture."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from comgra_export.analysis.overview.words import bytes_in_words
from comgra_export.errors import OutputExistsError, OutputNotWritableError, WrongChoiceError
from comgra_export.exporter.figures.frames import hash_for_policy
from comgra_export.exporter.output.page import is_web_address
from comgra_export.exporter.output.shapes import DATA_FOLDER, NO_JEKYLL, PAGE
from comgra_export.exporter.output.viewer import load_viewer
from comgra_export.gallery.bundles import ShownBundle, find_bundles
from comgra_export.resources import find_resource
from comgra_export.version import __version__

__all__ = ["Gallery", "write_gallery"]

_MARK = b'<meta name="generator" content="comgra_export gallery'
_PICTURE = b'<meta property="og:image"'
_HEAD_BYTES = 65_536


@dataclass(frozen=True)
class Gallery:
    """What was written.

    Attributes:
        page: The index.
        problems: Sentences about what is left out.
    """

    page: Path
    bundles: tuple[ShownBundle, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class _Card:
    """A bundle as the template shows it: texts, and names of files in the site."""

    title: str
    description: str
    trials: str
    steps: str
    findings: str
    has_problems: bool
    size: str
    link: str
    is_download: bool
    picture: str | None


def write_gallery(
    folder: Path, output: Path, *, title: str = "Gallery", description: str = "", address: str | None = None, force: bool = False
) -> Gallery:
    """Writes a site of all bundles below a folder.

    Args:
        folder: It holds the bundles. Beside a bundle may lie a picture of its name: `report.png` for `report.html`.
        output: The folder of the site. It may lie in `folder`.
        title: The title of the index.
        description: A sentence below it.
        address: That of the site, such as `https://me.github.io/runs`. With it, previews of links show the pictures.
        force: Whether to replace a site that was written before.

    Raises:
        OutputExistsError: Something is at the output, and it is not to be replaced, or is not such a site.
        OutputNotWritableError: The site cannot be written.
        WrongChoiceError: There is no bundle, or the address is not one of http.
    """
    if address is not None and not is_web_address(address):
        raise WrongChoiceError(f"The address {address!r} is not that of a site. Give one that begins with https://.")
    if not folder.is_dir():
        raise WrongChoiceError(f"{folder} is not a folder. Give the folder in which the bundles are.")
    _check_output(output, force=force)
    shown, problems = find_bundles(folder, output)
    if not shown:
        raise WrongChoiceError(f"There is no page that comgra-export has written in {folder}. Build one: comgra-export build.")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        new = Path(mkdtemp(dir=output.parent, prefix=f".{output.name}-"))
        try:
            _write(new, shown, title, description, None if address is None else address.rstrip("/"))
            new.chmod(0o755)
            if output.exists():
                shutil.rmtree(output)
            new.rename(output)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise OutputNotWritableError(f"{output} cannot be written: {error.strerror}.") from error
    return Gallery(output / PAGE, tuple(shown), tuple(problems))


def _check_output(output: Path, *, force: bool) -> None:
    if not output.exists() and not output.is_symlink():
        return
    page = output / PAGE
    if not output.is_dir() or output.is_symlink() or (any(output.iterdir()) and not (page.is_file() and _MARK in page.read_bytes())):
        raise OutputExistsError(f"{output} is not replaced: it is not a gallery. Choose another name.")
    if not force and any(output.iterdir()):
        raise OutputExistsError(f"{output} already exists.", is_replaceable=True)


def _write(site: Path, shown: Sequence[ShownBundle], title: str, description: str, address: str | None) -> None:
    taken = {PAGE.casefold(), NO_JEKYLL.casefold()}
    cards = [_card(site, bundle, taken, address) for bundle in shown]
    (site / NO_JEKYLL).touch()
    viewer = load_viewer()
    own_style = find_resource("templates/gallery.css").read_text(encoding="ascii")
    script = find_resource("templates/gallery.js").read_text(encoding="ascii")
    style = viewer.style + own_style
    environment = Environment(
        loader=FileSystemLoader(find_resource("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("gallery.html").render(
        title=title,
        description=description,
        cards=cards,
        address=address,
        version=__version__,
        style=Markup(style),
        script=Markup(script),
        style_hash=Markup(hash_for_policy(style)),
        script_hash=Markup(hash_for_policy(script)),
        picture=next((card.picture for card in cards if card.picture), None),
    )
    (site / PAGE).write_bytes(page.encode("ascii", "xmlcharrefreplace"))


def _card(site: Path, bundle: ShownBundle, taken: set[str], address: str | None) -> _Card:
    name = _free_name(bundle.path.name, taken)
    picture = None if bundle.picture is None else _free_name(f"{Path(name).stem}{bundle.picture.suffix.lower()}", taken)
    if bundle.picture is not None and picture is not None:
        shutil.copyfile(bundle.picture, site / picture)
    link = quote(name)
    head = "" if picture is None or address is None else f'<meta property="og:image" content="{escape(address)}/{quote(picture)}">\n'
    if bundle.path.is_dir():
        _copy_folder(bundle.path, site / name, head)
        link += "/index.html"
    elif bundle.path.suffix.lower() == ".zip":
        shutil.copyfile(bundle.path, site / name)
    else:
        _copy_page(bundle.path, site / name, head)
    findings = "not checked" if bundle.problems is None else "no problems" if not bundle.problems else _counted(bundle.problems, "problem")
    return _Card(
        bundle.title,
        bundle.description,
        f"{_counted(len(bundle.trials), 'trial')}: {', '.join(bundle.trials)}",
        _counted(bundle.steps, "recorded step"),
        findings,
        bool(bundle.problems),
        bytes_in_words(bundle.bytes),
        link,
        bundle.path.suffix.lower() == ".zip",
        None if picture is None else quote(picture),
    )


def _free_name(name: str, taken: set[str]) -> str:
    """A name that no file of the site has, on systems too that do not distinguish capital letters."""
    path, number, free = Path(name), 1, name
    while free.casefold() in taken:
        number += 1
        free = f"{path.stem} {number}{path.suffix}"
    taken.add(free.casefold())
    return free


def _copy_folder(source: Path, target: Path, head: str) -> None:
    """Copies the page and its data, and nothing else that may lie there."""
    (target / DATA_FOLDER).mkdir(parents=True)
    _copy_page(source / PAGE, target / PAGE, head)
    for file in sorted((source / DATA_FOLDER).glob("*.js")) if (source / DATA_FOLDER).is_dir() else ():
        if file.is_file() and not file.is_symlink():
            shutil.copyfile(file, target / DATA_FOLDER / file.name)


def _copy_page(source: Path, target: Path, head: str) -> None:
    """Copies a page, with a picture in its head if it has none."""
    with source.open("rb") as reading, target.open("wb") as writing:
        before, title, after = reading.read(_HEAD_BYTES).partition(b"<title>")
        has_place = title and _PICTURE not in before
        writing.write(before + (head.encode("ascii", "xmlcharrefreplace") if has_place else b"") + title + after)
        shutil.copyfileobj(reading, writing)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
