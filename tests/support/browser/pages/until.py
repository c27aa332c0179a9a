"""Waits for what becomes true in a page."""

from __future__ import annotations

from playwright.sync_api import Error, Page, TimeoutError

__all__ = ["wait_until"]

_PATIENCE_SECONDS = 30.0


def wait_until(page: Page, condition: str, arg: object = None, *, patience: float = _PATIENCE_SECONDS) -> None:
    """Wait until a function of the page returns something true for `arg`.

    It is asked once a frame, and ten times a second in a page that draws none.

    As `page.wait_for_function`, which puts a large script of its own into every document.

    Raises:
        TimeoutError: It has not become true within `patience` seconds.
    """
    asked = f"""async (arg) => {{
      const condition = {condition};
      const end = performance.now() + {1000 * patience};
      while (!condition(arg)) {{
        if (performance.now() > end) {{ return false; }}
        await new Promise((done) => {{ requestAnimationFrame(done); setTimeout(done, 100); }});
      }}
      return true;
    }}"""
    try:
        holds: bool = page.evaluate(asked, arg)
    except Error:
        # The document has made room for another one, or the condition is wrong.
        page.wait_for_function(condition, arg=arg, timeout=1000 * patience)
        return
    if not holds:
        raise TimeoutError(f"Not true within {patience} s: {condition}")
