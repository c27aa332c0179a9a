"""The document of the sandboxed frame in which the author's scripts run, and what the page's policy must allow for it.

The frame has no origin, so it cannot reach the page. It inherits the page's policy, and has one of its own that allows nothing but its own
scripts and the page's style sheet. The page puts the style sheet in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from comgra_export.exporter.output.scripts import Visualization
from comgra_export.exporter.output.templates import allowed, escaped_json, templates
from comgra_export.exporter.output.viewer import Viewer, read_script

__all__ = ["DrawingFrame", "make_drawing_frame"]

# No policy that browsers know forbids WebRTC, which can send packets to any address. So every script of the author's first takes it away
# from the frame that it runs in, also if it puts itself into another frame.
_WITHOUT_WEBRTC = "for(const name of Object.getOwnPropertyNames(globalThis))if(name.includes('RTC'))delete globalThis[name];"
_IS_STRICT = re.compile(r"""(\s|//[^\n]*\n|/\*.*?\*/)*["']use strict["']""", re.DOTALL)


@dataclass(frozen=True)
class DrawingFrame:
    """The frame of the author's scripts.

    Attributes:
        json: Its document as a string in JSON, without the style sheet, which comes behind it.
        scripts: The texts of its scripts, which the page's policy must allow.
    """

    json: str
    scripts: tuple[str, ...]


def make_drawing_frame(scripts: Sequence[Visualization], viewer: Viewer) -> DrawingFrame | None:
    """Makes the frame; None if there are no scripts.

    Raises:
        ExportError: The built viewer holds something that cannot stand in a page.
        ComgraExportError: It is missing.
    """
    if not scripts:
        return None
    texts = (read_script("drawing_frame.js"), *(_guarded(script) for script in scripts))
    document = templates().get_template("drawing_frame.html")
    text = document.render(scripts=[Markup(text) for text in texts], script_sources=allowed(texts), style_sources=allowed([viewer.style]))
    return DrawingFrame(escaped_json(json.dumps(text)), texts)


def _guarded(script: Visualization) -> str:
    # In the same line, so that the lines of errors are those of the author's file, whose name the browser then knows too.
    strict = "'use strict';" if _IS_STRICT.match(script.script) else ""
    name = re.sub(r"[^\w.-]", "_", script.name, flags=re.ASCII)
    return f"{strict}{_WITHOUT_WEBRTC}{script.script}\n//# sourceURL={name}\n"
