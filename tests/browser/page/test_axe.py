"""What the checker of axe-core finds, on every tab and in every state of the page: nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from comgra_export import export
from support.browser.axe import CONTRASTS, in_all_colors, violations, violations_in_all_colors, violations_in_high_contrast
from support.browser.recorded import HOSTILE_NAME
from support.browser.viewer import Link, Viewer, fragment

TABS = ("overview", "tensors", "network", "notes", "graphs", "about")
VIEW: Link = {
    "tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": 5, "it": 2,
    "node": "helper", "role": "final", "agg": "sample_0",
}  # fmt: skip
DRAWN_IN_THE_PAGE = """
comgraVisualize("Step", ({ element, selection }) => { element.textContent = `step ${selection.step}`; });
comgraVisualize("Fails", () => { throw new Error("no luck"); });
"""
DRAWN_AT_EXPORT = """
from comgra_export.visualization import visualization

@visualization("SVG", per="step")
def svg(view):
    return '<svg width="40" height="20"><rect width="9" height="9" style="fill: red"/></svg>'

@visualization("HTML", per="step")
def html(view):
    return f'<p>step {view.step}</p>'

@visualization("Nothing", per="step")
def nothing(view):
    return None
"""


# The last one has 5.6 to 1 against its background.
@pytest.mark.parametrize(("contrast", "color"), [("no-preference", "#333"), ("more", "#333"), ("more", "#999")])
def test_a_color_that_is_weak_in_the_dark_alone_is_found_there(
    contrast: str, color: str, bundle: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(bundle, fragment({**VIEW, "tab": "about"}), wait=False)
    shown = f"[data-theme=dark][data-contrast={'more' if contrast == 'more' else 'usual'}]"
    viewer.page.evaluate(
        "css => { const sheet = new CSSStyleSheet(); sheet.replaceSync(css); document.adoptedStyleSheets = [sheet]; }",
        f"{shown} #panel-about * {{ color: {color} !important; background: #222 !important }}",
    )
    weak = violations_in_all_colors(viewer.page, CONTRASTS)
    assert {violation.partition(":")[0] for violation in weak} == {f"dark, contrast {contrast}"}


def test_no_violation_while_two_views_are_compared(bundle: Path, visit: Callable[..., Viewer]) -> None:
    link = {**VIEW, "pane": "compare", "pin": "trial=second&agg=batch_mean"}
    viewer = visit(bundle, link)
    expect(viewer.element("differing-count")).to_contain_text("differ")
    assert violations_in_all_colors(viewer.page) == []


def test_no_violation_on_any_tab(bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, VIEW)
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        assert violations_in_all_colors(viewer.page) == [], tab


def test_no_violation_in_unusual_states(bundle: Path, large_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    missing = {**VIEW, "node": HOSTILE_NAME, "role": HOSTILE_NAME, "step": 7}
    viewer = open_viewer(bundle, fragment(missing))
    expect(viewer.element("message")).to_be_visible()
    viewer.element("order-hint").click()
    assert violations_in_all_colors(viewer.page) == []
    large = open_viewer(large_bundle, fragment({"trial": "long", "agg": "sample_1"}))
    large.element("step-gaps").locator("summary").click()
    large.element("go-to-index").fill("wrong")
    assert violations_in_all_colors(large.page) == []


def test_no_violation_in_a_colored_and_traced_graph(bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, {**VIEW, "color": "abs_mean,log", "trace": "both"})
    expect(viewer.element("color-scale")).to_be_visible()
    assert violations_in_all_colors(viewer.page) == []


@pytest.mark.parametrize("width", [1400, 390])
def test_no_violation_where_all_is_known(width: int, described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    view: Link = {"trial": "run", "rec": "gradients", "type": "__triggered", "step": 43, "node": "net.encoder.weight"}
    viewer = open_viewer(described_bundle, fragment(view), viewport={"width": width, "height": 900})
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        assert violations_in_all_colors(viewer.page) == [], tab


def test_no_violation_in_any_pane_of_values(bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, {**VIEW, "node": "picture", "role": "picture"})
    for node in ("picture", HOSTILE_NAME, "loss"):
        viewer.go({**VIEW, "node": node, "role": node})
        for pane in ("picture", "histogram", "table"):
            viewer.element(f"pane-{pane}").click()
            expect(viewer.page.locator(".picture-pane, .histogram-pane, .numbers, .empty").first).to_be_visible()
            assert violations_in_all_colors(viewer.page) == [], (node, pane)


@pytest.mark.parametrize("width", [1400, 390])
def test_no_violation_over_time(width: int, described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    view: Link = {
        "trial": "run", "type": "any_value", "step": 20, "node": "h", "pane": "time",
        "time": "mean,std,zeros,log,-mean:forward", "pins": "0.x,-1.net.encoder.weight,0.nothing",
    }  # fmt: skip
    viewer = open_viewer(described_bundle, fragment(view), wait=False, viewport={"width": width, "height": 900})
    expect(viewer.element("pinned").get_by_test_id("chart")).to_have_count(4)
    assert violations_in_all_colors(viewer.page) == []


def test_high_contrast_is_seven_to_one_everywhere(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW))
    viewer.choose_in_menu("contrast")
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        for scheme, _ in in_all_colors(viewer.page, ["no-preference"]):
            assert violations_in_high_contrast(viewer.page) == [], (scheme, tab)
    viewer.element("tab-tensors").click()
    viewer.select_node("picture")
    for pane in ("picture", "histogram", "time", "compare"):
        viewer.element(f"pane-{pane}").click()
        expect(viewer.page.locator(".picture-pane, .histogram-pane, .over-time, .compare").first).to_be_visible()
        for scheme, _ in in_all_colors(viewer.page, ["no-preference"]):
            assert violations_in_high_contrast(viewer.page) == [], (scheme, pane)


def test_what_was_saved_is_said(bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, VIEW)
    graph = viewer.page.locator(".graph")
    with viewer.page.expect_download():
        graph.get_by_test_id("figure-svg").click()
    expect(graph.get_by_test_id("figure-outcome")).to_contain_text("Saved as graph-first")
    assert violations_in_all_colors(viewer.page) == []


def test_no_violation_beside_the_ranking(bundle: Path, visit: Callable[..., Viewer]) -> None:
    link = {**VIEW, "color": "abs_mean,log", "ranking": "smallest"}
    viewer = visit(bundle, link)
    expect(viewer.element("ranking").locator("li button").first).to_be_visible()
    assert violations_in_all_colors(viewer.page, CONTRASTS) == []


def test_no_violation_with_a_second_trial_pinned(described_bundle: Path, bundle: Path, visit: Callable[..., Viewer]) -> None:
    pinned = {**VIEW, "pin": "trial=second", "color": "abs_mean,difference", "ranking": "largest"}
    viewer = visit(bundle, pinned)
    expect(viewer.element("ranking")).to_be_visible()
    assert violations_in_all_colors(viewer.page, CONTRASTS) == []
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        assert violations_in_all_colors(viewer.page, CONTRASTS) == []
    viewer.element("tab-tensors").click()
    viewer.element("pane-time").click()
    expect(viewer.page.locator(".over-time").get_by_test_id("chart").first).to_be_visible()
    assert violations_in_all_colors(viewer.page, CONTRASTS) == []


def test_no_violation_in_visualizations(group: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    files = [tmp_path / "own.js", tmp_path / "own.py"]
    for file, text in zip(files, (DRAWN_IN_THE_PAGE, DRAWN_AT_EXPORT), strict=True):
        file.write_text(text, encoding="utf-8")
    page = export(group, tmp_path / "page.html", visualization=files).path
    link = {**VIEW, "tab": "visualization"}
    viewer = open_viewer(page, fragment(link), wait=False)
    expect(viewer.page.frame_locator("iframe[title=Drawings]").get_by_text("no luck")).to_be_visible()
    expect(viewer.page.get_by_role("figure", name="SVG")).to_be_visible()
    expect(viewer.page.frame_locator("iframe[title=HTML]").get_by_text("step 5")).to_be_visible()
    assert violations_in_all_colors(viewer.page, CONTRASTS) == []


def test_no_violation_in_the_list_of_keys(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW))
    viewer.page.keyboard.press("?")
    expect(viewer.element("key-list")).to_be_visible()
    assert violations_in_all_colors(viewer.page, CONTRASTS) == []


@pytest.mark.parametrize("contrast", CONTRASTS)
@pytest.mark.parametrize("tab", ["tensors", "network", "about"])
def test_no_violation_on_paper(tab: str, contrast: str, bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW), color_scheme="dark", contrast=contrast)
    viewer.element(f"tab-{tab}").click()
    viewer.page.emulate_media(media="print")
    viewer.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(viewer.page.locator(".print-document")).to_be_visible()
    assert (violations_in_high_contrast if contrast == "more" else violations)(viewer.page) == []
