"""The templates of pages and frames, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from comgra_export.exporter.figures.frames import hash_for_policy
from comgra_export.resources import find_resource

__all__ = ["allowed", "escaped_json", "templates"]

_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


@cache
def templates() -> Environment:
    """The folder of templates. It keeps what it has compiled, which takes a third of the time of a small export."""
    return Environment(
        loader=FileSystemLoader(find_resource("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def escaped_json(json: str) -> str:
    """JSON so that it can stand in a script element, whatever is in it."""
    return json.translate(_ESCAPES)


def allowed(texts: Iterable[str], others: Iterable[str] = ()) -> Markup:
    """What a directive of the policy allows: some texts by their hashes, and others. Nothing twice. Hashes need no escaping."""
    return Markup(" ".join(dict.fromkeys([*(f"'sha256-{hash_for_policy(text)}'" for text in texts), *others])))
