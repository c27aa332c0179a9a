"""What an export returns: where the bundle is and what is in it, shown in a notebook as itself."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

__all__ = ["Bundle"]

_MAX_SHOWN_BYTES = 5_000_000
# Without an origin of its own, a frame cannot reach the notebook around it, nor the notebook's server.
_SANDBOX = "allow-scripts allow-downloads"


@dataclass(frozen=True)
class Bundle:
    """A bundle that was written. In a notebook it displays itself.

    Attributes:
        path: The page, the folder or the zip file. For a bundle at an address, only its name.
        bytes: Its size on disk.
        content_digest: SHA-256 of its content, in hexadecimal: equal for equal content, wherever it was exported.
        trials: How many trials are in it, each with all of its ranks.
        steps: How many recorded steps are in it, over all trials and ranks.
        problems: A sentence for everything that could not be read and is missing in it, and for what makes it hard to open.
        steps_left_out: How many recorded steps could not be read and are not in it, over all trials that could be opened.
        omissions: A sentence for everything that was left out on purpose or rounded, as asked for or to fit a size.
        address: Its address, if it is not on this machine.
    """

    path: Path
    bytes: int
    content_digest: str
    trials: int
    steps: int
    problems: tuple[str, ...] = ()
    steps_left_out: int = 0
    omissions: tuple[str, ...] = ()
    address: str | None = None

    def __repr__(self) -> str:
        count = len(self.problems)
        problems = f", {count} problem{'s' if count > 1 else ''}" if count else ""
        return f"<Bundle {self.place}: {self._contents()}{problems}>"

    @property
    def place(self) -> str:
        """Its address, or its path on this machine."""
        return str(self.path) if self.address is None else self.address

    @property
    def page(self) -> Path | None:
        """What to open in a browser: the file itself, or the folder's `index.html`.

        None for a zip file, which must be extracted first, and for a bundle at an address.
        """
        if self.address is not None:
            return None
        if self.path.is_dir():
            return self.path / "index.html"
        return None if self.path.suffix.lower() == ".zip" else self.path

    def _repr_html_(self) -> str:
        """Return the page itself if it is one file and not large, else a note that names it."""
        if (
            self.address is None
            and self.path.suffix.lower() in (".html", ".htm")
            and self.path.is_file()
            and self.path.stat().st_size < _MAX_SHOWN_BYTES
        ):
            page = escape(self.path.read_text(encoding="ascii"))
            frame = f'<iframe sandbox="{_SANDBOX}" srcdoc="{page}" title="Recording" width="100%" height="800" frameborder="0"></iframe>'
            # A notebook that is not trusted leaves the frame out, and keeps the sentence. It names no folder of this machine.
            name = escape(self.path.name if self.path.is_absolute() else self.path.as_posix())
            return f"<div><p>{self._contents()} in <b>{name}</b>, shown below if this notebook is trusted.</p>{frame}</div>"
        items = "".join(f"<li>{escape(problem)}</li>" for problem in self.problems)
        problems = f"<ul>{items}</ul>" if items else ""
        return f"<div><p><b>{escape(self.path.name)}</b>: {self._contents()}. {self._advice()}</p>{problems}</div>"

    def _advice(self) -> str:
        if self.address is not None:
            return "It was written to an address."
        if self.page is None:
            return "Extract all of it, and open its index.html in a browser."
        return "Open it in a browser." if self.page == self.path else f"Open its {self.page.name} in a browser."

    def _contents(self) -> str:
        trials = f"{self.trials} trial" if self.trials == 1 else f"{self.trials} trials"
        steps = f"{self.steps:,} step" if self.steps == 1 else f"{self.steps:,} steps"
        return f"{trials}, {steps}, {self.bytes / 1e6:.1f} MB"


def _is_small_page(path: Path) -> bool:
    return path.suffix.lower() in (".html", ".htm") and path.is_file() and path.stat().st_size < _MAX_SHOWN_BYTES
