"""Figures that a Python file drew at export: each for its selection, in frames that reach nothing, and errors in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from playwright.sync_api import FrameLocator, Locator, expect

from comgra_export import export
from examples import tutorial
from support.browser.viewer import Link, Viewer, fragment

VIEW: Link = {"tab": "visualization", "trial": "second", "rec": "forward", "type": "any_value", "step": 5, "it": 1, "agg": "batch_mean"}
SCRIPT = """
from comgra_export.visualization import visualization

@visualization("Image", per=("step", "iteration", "sample"))
def image(view):
    if view.step == 5 and view.iteration == 0:
        return None
    width = 10 + view.step * 10 + view.iteration + (0 if view.sample is None else 100 * (1 + view.sample))
    return f'<svg width="{width}" height="20"><rect width="9" height="9" style="fill: red"/></svg>'

@visualization("Fails", per="step")
def fails(view):
    if view.step == 5:
        raise ValueError("no luck in this step <b>")
    return f'<svg width="{view.step + 10}" height="9"></svg>'
"""
FRAMED = """
from comgra_export.visualization import visualization

@visualization("HTML", per="step")
def html(view):
    return f'''<style>#a {{ color: rgb(1, 2, 3) }}</style><p id="a" style="font-size: 31px">step {view.step}</p><p id="out"></p>
<div style="height: {100 * view.step}px"></div>
<script>
const out = document.getElementById("out");
const say = (text) => out.textContent += text;
const attempt = (name, action) => {{ try {{ action(); say(name + " worked; ") }} catch (e) {{ say(name + " refused; ") }} }};
attempt("document", () => parent.document.title = "reached");
attempt("storage", () => localStorage.setItem("a", "b"));
attempt("top", () => top.location.href = "about:blank");
parent.postMessage({{height: "x"}}, "*");
new Image().src = "https://example.org/image.png";
</script>
<script>say("done {view.step}")</script>'''

@visualization("plotly", per=())
def plotly(view):
    import plotly.graph_objects as go
    return go.Figure(go.Heatmap(z=[[1, 2], [3, 4]]), layout={"title": {"text": "</script><b>steps</b> & more"}})

@visualization("matplotlib", per=())
def matplotlib(view):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(4, 2))
    figure.subplots().plot([1, 2, 3])
    return figure
"""

AS_HIGH_AS_THE_FRAME = """
from comgra_export.visualization import visualization

@visualization("High")
def html(view):
    return f"<!doctype html><style>body {{ min-height: 100vh }}</style><p>step {view.step}</p>"
"""

HEIGHT_AFTER_FRAMES = """count => new Promise((done) => {
  const next = (rest) => rest === 0 ? done(document.querySelector("iframe").clientHeight) : requestAnimationFrame(() => next(rest - 1));
  next(count);
})"""
SVG_AS_TEXT = "svg => new XMLSerializer().serializeToString(svg)"


@pytest.fixture
def with_python(group: Path, tmp_path: Path) -> Callable[..., Path]:
    def make(text: str, output: str = "page.html") -> Path:
        file = tmp_path / "own.py"
        file.write_text(text, encoding="utf-8")
        return export(group, tmp_path / output, visualization=file).path

    return make


@pytest.fixture
def refused(complaints: list[str]) -> Iterator[list[str]]:
    """What the policy of the page is expected to have refused, taken out of the complaints."""
    blocked: list[str] = []
    yield blocked
    blocked += [complaint for complaint in complaints if "violates the following Content Security Policy" in complaint]
    complaints[:] = [
        complaint
        for complaint in complaints
        if complaint not in blocked and "Unsafe attempt to initiate navigation" not in complaint and "GL Driver Message" not in complaint
    ]


def figure(viewer: Viewer, title: str) -> Locator:
    return viewer.page.get_by_role("figure", name=title, exact=True)


def frame(viewer: Viewer, title: str) -> FrameLocator:
    return figure(viewer, title).frame_locator("iframe")


def expect_width(viewer: Viewer, title: str, width: int) -> None:
    viewer.page.wait_for_function(
        "([title, width]) => document.querySelector(`figure[aria-label=${title}] img`)?.naturalWidth === width", arg=[title, width]
    )


def test_each_selection_has_its_own(with_python: Callable[..., Path], open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(with_python(SCRIPT, "folder") / "index.html", fragment(VIEW), wait=False)
    expect_width(viewer, "Image", 61)
    viewer.press_button("iteration", "previous")
    expect(figure(viewer, "Image").get_by_test_id("figure-nothing")).to_have_text("Nothing is drawn for this selection.")
    viewer.press_button("iteration", "next")
    expect_width(viewer, "Image", 61)
    viewer.press_button("step", "previous")
    step = int(viewer.link()["step"])
    assert step < 5
    iteration = int(viewer.link()["it"])
    expect_width(viewer, "Image", 10 + 10 * step + iteration)
    for aggregation, more in (("batch_std", 0), ("sample_0", 100)):
        viewer.choose("aggregation", aggregation)
        expect_width(viewer, "Image", 10 + 10 * step + iteration + more)


def test_a_failure_is_shown_with_its_traceback_for_its_selection(
    with_python: Callable[..., Path], open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(with_python(SCRIPT), fragment(VIEW), wait=False)
    error = figure(viewer, "Fails").get_by_test_id("visualization-error")
    expect(error).to_contain_text("own.py failed for this selection. The rest of the page is not affected.")
    expect(error).to_contain_text('File "own.py", line 14, in fails')
    expect(error).to_contain_text("ValueError: no luck in this step <b>")
    expect_width(viewer, "Image", 61)
    viewer.press_button("step", "previous")
    expect(error).to_have_count(0)
    expect_width(viewer, "Fails", int(viewer.link()["step"]) + 10)
    viewer.element("tab-about").click()
    expect(viewer.element("problems")).to_contain_text("own.py: \u201cFails\u201d could not be drawn for")
    viewer.element("tab-tensors").click()
    assert viewer.rows()


def test_html_runs_in_a_frame_that_reaches_nothing(
    with_python: Callable[..., Path], open_viewer: Callable[..., Viewer], refused: list[str]
) -> None:
    viewer = open_viewer(with_python(FRAMED), fragment(VIEW), wait=False)
    title = viewer.page.title()
    inside = frame(viewer, "HTML")
    expect(inside.locator("#out")).to_have_text("document refused; storage refused; top refused; done 5")
    expect(inside.locator("#a")).to_have_css("color", "rgb(1, 2, 3)")
    expect(inside.locator("#a")).to_have_css("font-size", "31px")
    assert viewer.page.title() == title
    # As high as its content, which reports its height.
    element = figure(viewer, "HTML").locator("iframe")
    viewer.page.wait_for_function("() => document.querySelector('figure[aria-label=HTML] iframe').clientHeight > 550")
    box = element.bounding_box()
    assert box is not None
    assert 550 < box["height"] < 750
    before = viewer.page.evaluate("history.length")
    viewer.press_button("step", "previous")
    step = viewer.link()["step"]
    expect(inside.locator("#out")).to_contain_text(f"done {step}")
    assert viewer.page.evaluate("history.length") == before + 1
    viewer.page.go_back()
    expect(inside.locator("#out")).to_contain_text("done 5")
    viewer.element("tab-tensors").click()
    assert viewer.rows()


def test_a_frame_does_not_grow_with_what_grows_with_it(with_python: Callable[..., Path], open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(with_python(AS_HIGH_AS_THE_FRAME), fragment(VIEW), wait=False)
    expect(frame(viewer, "High").locator("p")).to_have_text("step 5")
    assert viewer.page.evaluate(HEIGHT_AFTER_FRAMES, 60) < 600


def test_plotly_and_matplotlib_are_drawn(with_python: Callable[..., Path], open_viewer: Callable[..., Viewer], refused: list[str]) -> None:
    viewer = open_viewer(with_python(FRAMED), fragment(VIEW), wait=False)
    inside = frame(viewer, "plotly")
    # A script of 5 MB, on a machine that may be busy.
    expect(inside.locator(".gtitle")).to_contain_text("& more", timeout=60_000)
    expect(inside.locator(".xtick").first).to_be_visible()
    # Its rules came through, and what it draws is seen.
    expect(inside.locator(".main-svg").first).to_have_css("position", "absolute")
    expect(inside.locator(".heatmaplayer image")).to_have_count(1)
    # 72 points per inch are 96 pixels.
    expect_width(viewer, "matplotlib", 384)


def test_the_two_examples_draw_the_same(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    recordings = tutorial.run(tmp_path / "recordings", steps=3)
    examples = Path(tutorial.__file__).parent
    files = [examples / "partial_sums.js", examples / "partial_sums.py"]
    viewer = open_viewer(export(recordings, tmp_path / "page.html", visualization=files).path, "#v=1&tab=visualization", wait=False)
    drawn = viewer.page.frame_locator("iframe[title=Drawings]").locator("svg")
    before = ""
    for aggregation in ("batch_mean", "sample_2"):
        viewer.choose("aggregation", aggregation)
        # The script draws a moment after the selection has changed.
        expect(drawn.locator("polyline").first).not_to_have_attribute("points", before)
        before = drawn.locator("polyline").first.get_attribute("points") or ""
        by_script = ElementTree.fromstring(drawn.evaluate(SVG_AS_TEXT))
        source = viewer.element("figure").locator("img").get_attribute("src")
        assert source is not None
        by_python = ElementTree.fromstring(unquote(source.partition(",")[2]))
        blocked = [lines_and_answers(image) for image in (by_script, by_python)]
        assert len(blocked[0][0]) == tutorial.SEQUENCES
        for ours, theirs in zip(*(lines for lines, _ in blocked), strict=True):
            assert ours == pytest.approx(theirs, abs=0.01)
        assert blocked[0][1] == blocked[1][1]


def lines_and_answers(image: ElementTree.Element) -> tuple[list[list[float]], list[str]]:
    """The coordinates of the lines, and what is written behind them."""
    svg = "{http://www.w3.org/2000/svg}"
    lines = [[float(number) for number in re.split("[, ]", line.attrib["points"])] for line in image.iter(f"{svg}polyline")]
    return lines, [text.text or "" for text in image.iter(f"{svg}text")][:-1]
