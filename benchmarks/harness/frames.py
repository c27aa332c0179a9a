"""What a frame costs: everything that the page's main thread does from an action until the frame is handed to the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from playwright.sync_api import Browser, Page

__all__ = ["Frame", "traced_frames"]

_CATEGORIES = ["-*", "toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"]

_Event = dict[str, Any]


@dataclass(frozen=True)
class Frame:
    """One action and the first frame with its result.

    Attributes:
        work: Milliseconds that the main thread was busy: script, style, layout, paint and handing over.
        processor: Milliseconds of a processor in that; less than `work` where other programs kept the page from running.
        elapsed: Milliseconds from the action to the end of that, with waiting for data and for the next frame.
    """

    work: float
    processor: float
    elapsed: float


def traced_frames(browser: Browser, page: Page, act: Callable[[], object]) -> list[Frame]:
    """Trace a page while something acts on it.

    Args:
        browser: Its browser.
        page: The page.
        act: Acts on it, one action after another. The page is to mark each with `performance.mark`: "act" before the action, and
            "done" when its result is in the document.

    Returns:
        A frame for every action.
    """
    browser.start_tracing(page=page, categories=_CATEGORIES)
    act()
    events: list[_Event] = sorted(orjson.loads(browser.stop_tracing())["traceEvents"], key=lambda event: event.get("ts", 0))
    acts, dones = ([event for event in events if event["name"] == name and event["ph"] in "IR"] for name in ("act", "done"))
    thread = (acts[0]["pid"], acts[0]["tid"])
    own = [event for event in events if event["ph"] == "X" and (event["pid"], event["tid"]) == thread]
    tasks = [event for event in own if event["name"] == "RunTask"]
    commits = [event for event in own if event["name"] == "Commit"]
    return [_frame(act["ts"], done["ts"], tasks, commits) for act, done in zip(acts, dones, strict=True)]


def _frame(begin: float, changed: float, tasks: Sequence[_Event], commits: Sequence[_Event]) -> Frame:
    """Trace times are in microseconds. A frame is handed over by its commit."""
    end = min(commit["ts"] + commit["dur"] for commit in commits if commit["ts"] >= changed)
    work = processor = 0.0
    for task in tasks:
        inside = max(0.0, min(task["ts"] + task["dur"], end) - max(task["ts"], begin))
        work += inside
        processor += task.get("tdur", 0) * inside / max(1, task["dur"])
    return Frame(work / 1000, processor / 1000, (end - begin) / 1000)
