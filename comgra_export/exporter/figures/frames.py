"""HTML that is shown in a frame of its own, and what the page's policy must allow for it.

A sandboxed frame without an origin cannot reach the page, and it inherits the page's policy: scripts and styles in it run only if the
policy has their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser

__all__ = ["FramePolicy", "framed_html", "hash_for_policy", "plotly_frame"]

_IS_DOCUMENT = re.compile(r"\s*(<!--(?:(?!-->).)*-->\s*)*<(!doctype|html)\b", re.IGNORECASE | re.DOTALL)
_HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light">'
_STYLE = "<style>body{font-family:system-ui,sans-serif;margin:8px}</style>"
_PLOTLY_STYLE = "<style>body{margin:0}</style>"
# Tells the page how high the content is. The page limits the height that it gets.
_HEIGHT = (
    "<script>(()=>{const root=document.documentElement;"
    "const tell=()=>parent.postMessage({height:root.offsetHeight+(root.scrollWidth>root.clientWidth?17:0)},'*');"
    "new ResizeObserver(tell).observe(root);tell()})()</script>"
)
# Plotly sets some styles as attributes, which the policy forbids; as properties they are allowed.
_STYLES_AS_PROPERTIES = (
    "<script>(()=>{const set=Element.prototype.setAttribute;Element.prototype.setAttribute=function(name,value){"
    "if(name==='style'){this.style.cssText=value}else{set.call(this,name,value)}}})()</script>"
)
_DRAW_PLOTLY = (
    "<script>(()=>{const figure=JSON.parse(document.getElementById('figure').textContent);"
    "Plotly.newPlot('plot',figure.data,figure.layout,{responsive:true,displaylogo:false})})()</script>"
)
_EMPTY_STYLE = ""


@dataclass
class FramePolicy:
    """Hashes of what frames run and look like: inline scripts, style sheets and style attributes.

    Attributes:
        blocked: What the policy does not allow in any case, in words.
    """

    scripts: set[str] = field(default_factory=set)
    styles: set[str] = field(default_factory=set)
    style_attributes: set[str] = field(default_factory=set)
    blocked: set[str] = field(default_factory=set)

    def allow(self, html: str) -> None:
        """Allows the inline scripts and styles of a document."""
        finder = _InlineFinder(self)
        finder.feed(html)
        finder.close()
        finder.finish()

    def add(self, other: FramePolicy) -> None:
        """Allows what another policy allows."""
        self.scripts |= other.scripts
        self.styles |= other.styles
        self.style_attributes |= other.style_attributes
        self.blocked |= other.blocked

    @property
    def script_sources(self) -> list[str]:
        """What `script-src` gets."""
        return [f"'sha256-{digest}'" for digest in sorted(self.scripts)]

    @property
    def style_sources(self) -> list[str]:
        """What `style-src` gets."""
        attributes = ["'unsafe-hashes'"] if self.style_attributes else []
        return attributes + [f"'sha256-{digest}'" for digest in sorted(self.styles | self.style_attributes)]


def hash_for_policy(text: str) -> str:
    """The SHA-256 of an inline script or style, as a policy names it."""
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def framed_html(html: str, policy: FramePolicy) -> str:
    """The document of a frame that shows HTML, a whole document or a piece of one."""
    document = (html if _IS_DOCUMENT.match(html) else _HEAD + _STYLE + html) + _HEIGHT
    policy.allow(document)
    return document


def plotly_frame(plotly: str, policy: FramePolicy) -> tuple[str, str]:
    """The document of a frame that shows a figure of plotly: what comes before its JSON, and what comes behind it. `policy` allows it."""
    before = f'{_HEAD}{_PLOTLY_STYLE}<div id="plot"></div>{_STYLES_AS_PROPERTIES}<script>{plotly}</script>'
    before += '<script type="application/json" id="figure">'
    behind = f"</script>{_DRAW_PLOTLY}{_HEIGHT}"
    policy.allow(before + behind)
    # Plotly adds an empty style sheet, and then its rules one by one.
    policy.styles.add(hash_for_policy(_EMPTY_STYLE))
    return before, behind


class _InlineFinder(HTMLParser):
    """Finds the scripts, style sheets and style attributes in a document."""

    def __init__(self, policy: FramePolicy) -> None:
        super().__init__(convert_charrefs=True)
        self._policy = policy
        self._element = ""
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes style attributes, the beginning of a script or style sheet, and what cannot work."""
        self.finish()
        given = dict(attrs)
        if given.get("style"):
            self._policy.style_attributes.add(hash_for_policy(given["style"] or ""))
        if any(name.startswith("on") for name in given):
            self._policy.blocked.add("event attributes such as onclick")
        if (tag == "script" and "src" in given) or (tag == "link" and "stylesheet" in (given.get("rel") or "")):
            self._policy.blocked.add("scripts and style sheets from elsewhere")
        is_data = tag == "script" and "json" in (given.get("type") or "")
        if tag in ("script", "style") and not is_data:
            self._element = tag

    def handle_data(self, data: str) -> None:
        """Collects the text of a script or style sheet."""
        if self._element:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        """Notes what has ended."""
        self.finish()

    def finish(self) -> None:
        """Allows the script or style sheet that has been read, if one has."""
        text = "".join(self._text)
        if self._element == "script":
            self._policy.scripts.add(hash_for_policy(text))
        elif self._element == "style":
            # Within SVG, the text is read as other text is.
            inside_svg = unescape(text.replace("<![CDATA[", "").replace("]]>", ""))
            self._policy.styles.update((hash_for_policy(text), hash_for_policy(inside_svg)))
        self._element = ""
        self._text.clear()
