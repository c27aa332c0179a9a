"""A second view beside the shown one: what both have, and by how much it differs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from comgra_export import export, watch
from support.analysis.runs import Given, RunByHand
from support.browser.viewer import Link, Viewer, fragment

SECOND: Link = {"tab": "tensors", "trial": "second", "rec": "forward", "type": "any_value", "step": 5, "it": 1, "agg": "batch_mean"}


def table_of(viewer: Viewer) -> dict[tuple[str, str], float]:
    """The rows of the table by item and index."""
    return {(row.item, row.place): float(row.exact) for row in viewer.rows()}


def compared(viewer: Viewer) -> dict[tuple[str, str], list[str]]:
    """The rows of the comparison: A, B and their difference."""
    rows = viewer.element("compare-row")
    expect(rows.filter(has_text="\u2026")).to_have_count(0)
    shown = {}
    for cells in rows.evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('[role=cell]')].map((cell) => cell.title || cell.textContent))"
    ):
        shown[cells[0], cells[1]] = cells[2:]
    return shown


def pin(viewer: Viewer) -> None:
    viewer.element("pane-compare").click()
    viewer.element("pin").click()


def other_step(viewer: Viewer) -> None:
    viewer.press_button("step", "previous")
    viewer.rows()


@pytest.fixture
def viewer(bundle: Path, visit: Callable[..., Viewer]) -> Viewer:
    return visit(bundle, SECOND)


def test_b_stays_at_its_step_and_every_value_stands_beside_its_own(viewer: Viewer) -> None:
    of_b = table_of(viewer)
    step_of_b = viewer.link()["step"]
    other_step(viewer)
    of_a = table_of(viewer)
    viewer.press_button("step", "next")
    viewer.rows()
    pin(viewer)
    assert {row[2] for row in compared(viewer).values()} == {"="}
    expect(viewer.element("difference")).to_contain_text("are equal")
    viewer.press_button("step", "previous")
    expect(viewer.element("difference")).to_contain_text("differ by at most")
    shown = compared(viewer)
    assert shown.keys() == of_a.keys() == of_b.keys()
    for key, (a, b, difference) in shown.items():
        assert float(a) == pytest.approx(of_a[key], abs=1e-6)
        assert float(b) == pytest.approx(of_b[key], abs=1e-6)
        assert (0 if difference == "=" else float(difference)) == pytest.approx(of_a[key] - of_b[key], rel=5.1e-4, abs=1e-6)
    assert f"step={step_of_b}" in viewer.link(until="pin=")["pin"]


def test_table_picture_and_histogram_show_b_beside_a(viewer: Viewer) -> None:
    of_b = table_of(viewer)
    pin(viewer)
    other_step(viewer)
    shown = compared(viewer)
    viewer.element("pane-table").click()
    cells = viewer.element("value-row").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('[role=cell]')].map((cell) => cell.title || cell.textContent))"
    )
    assert {(item.split("?")[0], place): [a, b, difference] for item, place, _, a, b, difference in cells} == shown
    assert [float(row[1]) for row in shown.values()] == pytest.approx([of_b[key] for key in shown], abs=1e-6)

    # The cursor is at the same value of both pictures.
    viewer.element("pane-picture").click()
    viewer.element("picture").press("Home")
    values_of_a, values_of_b = ([float(row[side]) for (item, _), row in shown.items() if item == "neuron"] for side in (0, 1))
    readout = viewer.element("picture-readout")
    expect(readout).to_contain_text("A \u2212 B")
    _, a, b = (part.split(",")[0] for part in re.split(" = |, B ", readout.inner_text()))
    assert [float(a), float(b)] == pytest.approx([values_of_a[0], values_of_b[0]], rel=5.1e-4)
    expect(viewer.element("picture-canvas-b")).to_be_visible()

    # Over the same bins: a value is in the bin that holds it, of its own side.
    viewer.element("pane-histogram").click()
    expect(viewer.element("histogram-sides")).to_be_visible()
    bins = (
        viewer.element("histogram-bins")
        .locator("tbody tr")
        .evaluate_all("rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))")
    )
    together = [*values_of_a, *values_of_b]
    edges = np.linspace(min(together), max(together), len(bins) + 1)
    counts = [np.histogram(side, edges)[0] for side in (values_of_a, values_of_b)]
    assert [[int(count) for count in row[1:]] for row in bins] == np.stack(counts, 1).tolist()


def test_sorting_brings_the_largest_difference_to_the_top(viewer: Viewer) -> None:
    pin(viewer)
    other_step(viewer)
    viewer.element("sort-differences").click()
    sizes = [
        0.0 if difference == "=" else abs(float(difference)) for (item, _), (*_, difference) in compared(viewer).items() if item == "neuron"
    ]
    assert len(sizes) > 2
    assert sizes == sorted(sizes, reverse=True)


def test_a_link_opens_the_comparison_and_stopping_it_leaves_nothing(viewer: Viewer, open_viewer: Callable[..., Viewer]) -> None:
    pin(viewer)
    other_step(viewer)
    shown = compared(viewer)
    viewer.link(until="pin=")
    other = open_viewer(viewer.address(), wait=False)
    assert compared(other) == shown
    other.element("unpin").click()
    expect(other.element("compare-empty")).to_be_visible()
    assert "pin" not in other.link(gone="pin=")


def test_swapping_shows_b_and_compares_it_with_what_was_shown(viewer: Viewer) -> None:
    pin(viewer)
    other_step(viewer)
    before = compared(viewer)
    viewer.element("swap").click()
    expect(viewer.element("value-step")).to_have_value(str(SECOND["step"]))
    after = compared(viewer)
    assert {key: row[:2] for key, row in after.items()} == {key: row[1::-1] for key, row in before.items()}


def test_what_b_lacks_is_said(viewer: Viewer) -> None:
    pin(viewer)
    viewer.choose("trial", "first")
    viewer.rows()
    # Fixed at an iteration that B has, and then at one that it lacks.
    viewer.go({**SECOND, "pane": "compare", "pin": "trial=second&step=5&it=99"})
    expect(viewer.element("compare-missing")).to_have_text("B has no iteration \u201c99\u201d.")
    viewer.go({**SECOND, "pane": "compare", "pin": "trial=nobody"})
    expect(viewer.element("compare-missing")).to_have_text("B has no trial \u201cnobody\u201d.")


def test_the_tensors_that_differ_are_listed_in_the_order_of_computation(
    viewer: Viewer, bundle: Path, open_viewer: Callable[..., Viewer]
) -> None:
    pin(viewer)
    expect(viewer.element("same-step")).to_be_visible()
    other_step(viewer)
    expect(viewer.element("differing-count")).to_contain_text("differ")
    expect(viewer.element("same-step")).to_have_count(0)
    rows = viewer.element("differing-tensor")
    in_order = rows.all_text_contents()
    assert len(in_order) > 3
    viewer.element("differing-statistic").select_option("std")
    viewer.element("tolerance").select_option("0.1")
    # The link keeps how the lists are.
    viewer.link(until="t0.1")
    again = open_viewer(bundle, viewer.page.evaluate("() => location.hash"), wait=False)
    expect(again.element("differing-statistic")).to_have_value("std")
    expect(again.element("tolerance")).to_have_value("0.1")
    expect(again.element("differing-count")).to_have_text(viewer.element("differing-count").inner_text())
    viewer.element("differing-statistic").select_option("")
    viewer.element("tolerance").select_option("0.00001")
    # By another order the same rows, and by one statistic that one alone.
    viewer.element("differing-order").select_option("largest")
    expect(rows.first).not_to_have_text(in_order[0])
    viewer.element("differing-order").select_option("")
    expect(rows.first).to_have_text(in_order[0])
    viewer.element("differing-statistic").select_option("std")
    expect(viewer.element("differing-table").get_by_text("abs_mean")).to_have_count(0)
    viewer.element("differing-statistic").select_option("")
    name = rows.first.locator("bdi").first.inner_text()
    rows.first.get_by_role("link").click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", name)
    expect(viewer.element("difference")).not_to_contain_text("are equal")


def test_the_link_keeps_how_trials_are_listed(viewer: Viewer, bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer.element("pane-compare").click()
    viewer.element("trial-statistic").select_option("abs_mean")
    viewer.element("sort-trials-value").click()
    viewer.element("sort-trials-value").click()
    viewer.link(until="down")
    again = open_viewer(bundle, viewer.page.evaluate("() => location.hash"), wait=False)
    expect(again.element("trial-statistic")).to_have_value("abs_mean")
    expect(again.page.locator("th[aria-sort=descending]")).to_contain_text("abs_mean")
    rows = "rows => rows.map((row) => row.textContent)"
    assert again.element("trial-value").evaluate_all(rows) == viewer.element("trial-value").evaluate_all(rows)


def test_a_number_has_the_same_digits_in_every_list(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    for trial, value in (("one", 0.517), ("two", 0.5)):
        written = RunByHand(tmp_path / "runs", [Given("x", "input")], trial=trial)
        written.step(0, {"x": np.full((2, 2), value)})
        written.read()
    page = export(tmp_path / "runs", tmp_path / "page.html").path
    viewer = open_viewer(page, fragment({"tab": "tensors", "trial": "one", "step": 0, "node": "x", "pane": "values"}))
    assert [row.value for row in viewer.rows() if row.item == "mean"] == ["0.5170"]
    viewer.element("pane-compare").click()
    expect(viewer.element("trial-value").locator(".number:nth-child(3)")).to_have_text(["0.5170", "0.5000"])
    viewer.element("trial-value").nth(1).get_by_test_id("compare-trial").click()
    cells = viewer.element("differing-tensor").first.locator(".number")
    expect(cells).to_have_text(["0.5170", "0.5000", "0.01700"])


def _two_trained(folder: Path) -> Path:
    """Two trials that first differ in a parameter, after the first update."""
    for trial, rate in (("slow", 0.01), ("fast", 0.1)):
        torch.manual_seed(0)
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        with watch(model, folder / "runs", trial_id=trial):
            for _ in range(3):
                loss = model(torch.ones(4, 2)).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    return export(folder / "runs", folder / "page.html").path


def test_a_link_to_a_parameter_that_differs_names_nothing_that_it_lacks(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(_two_trained(tmp_path), fragment({"tab": "overview", "trial": "slow"}), wait=False)
    viewer.page.get_by_role("link", name="Compare with fast").click()
    expect(viewer.element("compare-a")).to_contain_text("slow, step 1")
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", re.compile(r"\.(weight|bias)$"))
    expect(viewer.element("differing-count")).to_be_visible()
    # A parameter is no mean over a batch, which was selected before.
    expect(viewer.element("message")).to_have_count(0)


def _two_runs(folder: Path, *, apart: bool) -> Path:
    """Two trials. `apart`: `h` of the second differs from step 10 on, and so does `out`, which is computed from it."""
    x = np.random.default_rng(0).normal(size=(8, 6))
    for trial in ("first", "second"):
        run = RunByHand(folder / "runs", [Given("x", "input"), Given("h", parents=("x",)), Given("out", parents=("h",))], trial=trial)
        for step in range(0, 30, 5):
            h = x + (1 if apart and trial == "second" and step >= 10 else 0)
            out = h + (1 if apart and trial == "second" and step >= 15 else 0)
            run.step(step, {"x": x, "h": h, "out": out})
        run.read()
    return export(folder / "runs", folder / "page.html").path


def test_where_nothing_differs_at_a_step_it_says_at_which_step_something_does(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    link: Link = {"tab": "tensors", "trial": "first", "step": 0, "node": "x", "pane": "compare", "pin": "trial=second&step=0"}
    viewer = open_viewer(_two_runs(tmp_path, apart=True), fragment(link), wait=False)
    expect(viewer.element("differing-count")).to_have_text("The statistics of all 3 tensors agree.")
    first = viewer.element("first-difference")
    expect(first).to_have_text("They first differ at step 10: h.")
    first.get_by_role("link").click()
    # Both go there.
    expect(viewer.element("differing-count")).to_have_text("2 of 3 tensors differ.")
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", "h")
    expect(viewer.element("value-step")).to_have_value("10")
    expect(first).to_have_count(0)


def test_where_nothing_ever_differs_it_says_so(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    link: Link = {"tab": "tensors", "trial": "first", "step": 5, "node": "x", "pane": "compare", "pin": "trial=second"}
    viewer = open_viewer(_two_runs(tmp_path, apart=False), fragment(link), wait=False)
    expect(viewer.element("first-difference")).to_have_text("So they do at all steps that both have.")


def test_a_link_of_the_overview_leads_to_where_two_trials_first_differ(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(_two_runs(tmp_path, apart=True), fragment({"tab": "overview", "trial": "first", "step": 20}), wait=False)
    row = viewer.element("run-trials").locator("tbody tr")
    expect(row.nth(0).get_by_role("link")).to_have_text(["first"])
    row.nth(1).get_by_role("link", name="Compare with second").click()
    expect(viewer.element("compare-a")).to_contain_text("first, step 10")
    expect(viewer.element("compare-b")).to_contain_text("second, step 10")
    expect(viewer.element("differing-count")).to_have_text("2 of 3 tensors differ.")
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", "h")
    # From there, one goes where one wants.
    viewer.press_button("step", "previous")
    expect(viewer.element("value-step")).to_have_value("5")
    expect(viewer.element("first-difference")).to_have_text("They first differ at step 10: h.")
    viewer.page.wait_for_timeout(300)
    expect(viewer.element("value-step")).to_have_value("5")


def test_a_link_of_the_overview_leads_to_the_comparison_where_nothing_differs(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(_two_runs(tmp_path, apart=False), fragment({"tab": "overview", "trial": "second", "step": 20}), wait=False)
    viewer.page.get_by_role("link", name="Compare with first").click()
    expect(viewer.element("first-difference")).to_have_text("So they do at all steps that both have.")
    expect(viewer.element("compare-a")).to_contain_text("second, step 0")
