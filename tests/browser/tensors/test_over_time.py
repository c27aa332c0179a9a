"""Curves of a tensor over all recorded steps, and of pinned tensors beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, expect

import comgra_export
from comgra_export.storage import (
    Blob,
    Group,
    Header,
    Layout,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
    Structure,
)
from support.browser.by_hand import shown
from support.browser.described import BATCH, x_of_rank
from support.browser.recorded import HOSTILE_NAME
from support.browser.viewer import Link, Viewer, fragment, soon
from support.exporter.unpacker import without_checksum
from support.storage.entries import tensor_entry

# The described run: steps 0 to 40, every second one of the type eval, and 43, which was triggered.
REGULAR = (0, 10, 20, 30, 40)
TRIGGERED = 43
VIEW: Link = {"tab": "tensors", "trial": "run", "rec": "forward", "type": "any_value", "step": 20, "it": 0, "node": "x", "pane": "time"}

# The places, in pixels of the page from the left of the plot, that hold the colour of the line at the current step, from top to bottom.
FIND_LINE = """(figure) => {
  const canvas = figure.querySelector(".chart-frame canvas"), plot = figure.querySelector(".u-over");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--selected").trim();
  probe.fillRect(0, 0, 1, 1);
  const wanted = probe.getImageData(0, 0, 1, 1).data;
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const heights = new Map();
  for (let k = 0; k < data.length; k += 4) {
    if ([0, 1, 2].every((channel) => Math.abs(data[k + channel] - wanted[channel]) < 12) && data[k + 3] > 200) {
      heights.set((k / 4) % canvas.width, (heights.get((k / 4) % canvas.width) ?? 0) + 1);
    }
  }
  const left = plot.getBoundingClientRect().left - canvas.getBoundingClientRect().left;
  return [...heights].filter(([, height]) => height > canvas.height / 3).map(([x]) => x / devicePixelRatio - left);
}"""
SCREEN = {"width": 1400, "height": 1600}


@pytest.fixture
def viewer(described_bundle: Path, visit: Callable[..., Viewer]) -> Viewer:
    """The described run, with room for several charts."""
    viewer = visit(described_bundle, VIEW, viewport=SCREEN)
    viewer.element("over-time").wait_for()
    return viewer


def _open(open_viewer: Callable[..., Viewer], page: Path, view: Link) -> Viewer:
    viewer = open_viewer(page, fragment(view), wait=False, viewport=SCREEN)
    viewer.element("over-time").wait_for()
    return viewer


def _tensor(viewer: Viewer, name: str) -> Locator:
    return viewer.page.locator(f"[data-testid=tensor-over-time][data-tensor='{name}']")


def _legend(part: Viewer | Locator) -> dict[str, str]:
    """What the legend says of each curve, once it is there."""
    place = part.page.locator("body") if isinstance(part, Viewer) else part
    entries = place.get_by_test_id("legend-entry")
    entries.first.wait_for()
    return {entry.locator(".chip-text").inner_text(): entry.locator(".chip-value").inner_text() for entry in entries.all()}


def _plot(viewer: Viewer, number: int = 0) -> tuple[Locator, float]:
    """A chart where the curves are, and its width."""
    plot = viewer.page.locator(".u-over").nth(number)
    box = plot.bounding_box()
    assert box is not None
    return plot, box["width"]


def _line(viewer: Viewer) -> list[float]:
    """Where the line of the marked step is in a chart."""
    places: list[float] = viewer.element("chart").evaluate(FIND_LINE)
    return places


def _line_at(viewer: Viewer, place: float, tolerance: float) -> list[float]:
    """The same once it is where it should be, or at last."""
    return soon(lambda: _line(viewer), lambda places: bool(places) and np.allclose(places, place, atol=tolerance))


def _click_step(viewer: Viewer, step: int) -> None:
    plot, width = _plot(viewer)
    plot.click(position={"x": min(width - 1, max(1, width * step / TRIGGERED)), "y": 60})


def test_the_legend_of_a_few_curves_is_in_sight_with_the_chart(viewer: Viewer) -> None:
    _legend(viewer)
    chart = viewer.element("chart").first
    legend, frame = chart.locator(".chart-legend").bounding_box(), chart.locator(".chart-frame").bounding_box()
    assert legend is not None
    assert frame is not None
    assert legend["y"] + legend["height"] <= frame["y"]
    # With many curves, it would push the chart out of sight.
    for statistic in ("std", "min", "max", "nan", "zeros"):
        viewer.element(f"time-{statistic}").click()
    expect(chart.get_by_test_id("legend-entry").nth(6)).to_be_visible()
    legend, frame = chart.locator(".chart-legend").bounding_box(), chart.locator(".chart-frame").bounding_box()
    assert legend is not None
    assert frame is not None
    assert legend["y"] >= frame["y"] + frame["height"]


def test_the_legend_says_what_the_curves_are_at_the_step(viewer: Viewer) -> None:
    for step in REGULAR:
        viewer.go({**VIEW, "step": step})
        viewer.wait_until_shown({"step": step})
        legend = _legend(viewer)
        assert list(legend) == [
            "mean values", "mean values, triggered steps", "abs_max values", "abs_max values, triggered steps",
        ]  # fmt: skip
        x = x_of_rank(0, step)
        np.testing.assert_allclose(float(legend["mean values"]), x.mean(), atol=1e-4)
        np.testing.assert_allclose(float(legend["abs_max values"]), np.abs(x).max(axis=1).mean(), atol=1e-4)
        description = viewer.page.locator(".chart-frame").get_attribute("aria-label") or ""
        assert f"At step {step}: mean of values {legend['mean values']}, abs_max of values" in description


def test_recording_types_are_together(viewer: Viewer) -> None:
    viewer.go({**VIEW, "node": "h"})
    viewer.wait_until_shown({"node": "h"})
    legend = _legend(viewer)
    assert {name.removesuffix(", triggered steps") for name in legend} == {
        "mean values", "abs_max values", "mean gradients", "abs_max gradients",
    }  # fmt: skip
    assert legend["mean gradients"] == "0.25"


def test_what_steps_did_to_a_parameter(viewer: Viewer) -> None:
    offered = [viewer.element(f"time-{name}") for name in ("norm", "update_norm", "update_ratio", "accumulated_gradient")]
    for button in offered:
        expect(button).to_have_count(0)
    viewer.go({**VIEW, "node": "net.encoder.weight", "step": 40, "time": "norm,update_norm,update_ratio,accumulated_gradient"})
    viewer.wait_until_shown({"node": "net.encoder.weight"})
    for button in offered:
        expect(button).to_have_attribute("aria-pressed", "true")
    legend = _legend(viewer)
    regular = {name: value for name, value in legend.items() if "triggered" not in name}
    assert regular == {
        "norm parameter": "4",
        "update norm parameter": "0.5",
        "update / norm parameter": "0.125",
        "accumulated gradient parameter": "0.125",
    }
    # At step 0 nothing was left, at the others an eighth.
    viewer.go({**VIEW, "node": "net.encoder.weight", "step": 0, "time": "accumulated_gradient"})
    viewer.wait_until_shown({"step": 0})
    assert _legend(viewer)["accumulated gradient parameter"] == "0"


def test_every_step_can_be_gone_to_and_is_marked(viewer: Viewer) -> None:
    for step in (40, 0, 10):
        _click_step(viewer, step)
        viewer.wait_until_shown({"step": step, "type": "any_value"})
        place = _plot(viewer)[1] * step / TRIGGERED
        places = _line_at(viewer, place, 2.5)
        assert places, step
        np.testing.assert_allclose(places, place, atol=2.5)
    _click_step(viewer, TRIGGERED)
    viewer.wait_until_shown({"step": TRIGGERED, "type": "any_value"})
    # The regular steps stay in sight.
    assert "mean values" in _legend(viewer)


def test_a_drag_zooms_and_does_not_go_anywhere(described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, described_bundle, VIEW)
    plot, width = _plot(viewer)
    box = plot.bounding_box()
    assert box is not None
    reset = viewer.element("time-reset-zoom")
    expect(reset).to_have_attribute("aria-disabled", "true")
    mouse = viewer.page.mouse
    mouse.move(box["x"] + width * 0.2, box["y"] + 50)
    mouse.down()
    mouse.move(box["x"] + width * 0.7, box["y"] + 60)
    mouse.up()
    expect(reset).to_have_attribute("aria-disabled", "false")
    viewer.wait_until_shown({"step": 20})
    # Step 20 lies at 20/43 of all, which is now where (20/43 - 0.2) / 0.5 of the width is.
    place = width * (20 / TRIGGERED - 0.2) / 0.5
    places = _line_at(viewer, place, 4)
    np.testing.assert_allclose(places, place, atol=4)
    reset.click()
    expect(reset).to_have_attribute("aria-disabled", "true")


def test_the_type_of_step_decides(viewer: Viewer) -> None:
    chart = viewer.element("chart")
    expect(chart).to_contain_text("5 steps")
    viewer.choose("step-type", "eval")
    expect(chart).to_contain_text("2 steps")
    expect(viewer.element("over-time-note")).to_contain_text("Steps of the type eval.")
    # The triggered one is of the other type.
    assert list(_legend(viewer)) == ["mean values", "abs_max values"]


def test_every_statistic_is_there(viewer: Viewer) -> None:
    for name in ("abs_mean", "std", "min", "max", "nan", "posinf", "neginf", "zeros"):
        viewer.element(f"time-{name}").click()
    expect(viewer.element("chart")).to_have_count(2)
    x = x_of_rank(0, 20)
    of_samples = {
        "mean": x.mean(axis=1),
        "abs_mean": np.abs(x).mean(axis=1),
        "std": x.std(axis=1, ddof=1),
        "abs_max": np.abs(x).max(axis=1),
    }
    expected = {f"{name} values": numbers.mean() for name, numbers in of_samples.items()}
    expected |= {"smallest values": x.min(), "largest values": x.max()}
    values = _legend(viewer.element("chart").first)
    assert {name for name in values if "triggered" not in name} == set(expected)
    for name, number in expected.items():
        np.testing.assert_allclose(float(values[name]), number, atol=1e-4, err_msg=name)
    counts = _legend(viewer.element("chart").nth(1))
    assert {name: int(number) for name, number in counts.items() if "triggered" not in name} == {
        "NaN values": 0, "+inf values": 0, "-inf values": 0, "zeros values": (x == 0).sum(),
    }  # fmt: skip


def test_a_logarithmic_axis_leaves_out_what_it_cannot_show(viewer: Viewer) -> None:
    # The means of x are negative at the steps 0 to 20 and positive at 30 and 40; the mean of x is its sum / 12.
    not_positive = sum(x_of_rank(0, step).mean() <= 0 for step in (*REGULAR, TRIGGERED))
    viewer.element("time-log").click()
    expect(viewer.element("chart")).to_contain_text(f"{not_positive} values of zero or less not shown" if not_positive else "Drag to zoom")
    viewer.go({**VIEW, "node": "h", "time": "min,log"})
    smallest = [_h(step).min() for step in (*REGULAR, TRIGGERED)]
    expect(viewer.element("chart")).to_contain_text(f"{sum(value <= 0 for value in smallest)} values of zero or less not shown")


def _h(step: int) -> NDArray[np.float32]:
    """What the described run computes from the input."""
    weight = np.array([[1, -1, 0.5], [0.25, 2, -0.5]], np.float32) + step / 1000
    h: NDArray[np.float32] = x_of_rank(0, step) @ weight + np.array([0.5, -0.25, 0.125], np.float32)
    return h


def test_shift_and_a_drag_move_what_is_zoomed(described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, described_bundle, VIEW)
    plot, width = _plot(viewer)
    box = plot.bounding_box()
    assert box is not None
    mouse = viewer.page.mouse

    def drag(start: float, end: float) -> None:
        mouse.move(box["x"] + width * start, box["y"] + 50)
        mouse.down()
        mouse.move(box["x"] + width * end, box["y"] + 50)
        mouse.up()

    drag(0.25, 0.75)
    (before, *_) = _line_at(viewer, width * (20 / TRIGGERED - 0.25) / 0.5, 4)
    viewer.page.keyboard.down("Shift")
    drag(0.5, 0.6)
    (after, *_) = _line_at(viewer, before + width * 0.1, 3)
    np.testing.assert_allclose(after - before, width * 0.1, atol=3)
    # No further than there are points: the step is where 20/43 of the first half are.
    drag(0.1, 0.95)
    viewer.page.keyboard.up("Shift")
    (first, *_) = _line_at(viewer, width * 20 / TRIGGERED * 2, 5)
    np.testing.assert_allclose(first, width * 20 / TRIGGERED * 2, atol=5)
    viewer.wait_until_shown({"step": 20})


def test_an_absent_gradient_is_no_zero(viewer: Viewer) -> None:
    viewer.go({**VIEW, "node": "net.critic.frozen"})
    viewer.wait_until_shown({"node": "net.critic.frozen"})
    legend = _legend(viewer)
    assert {legend[name] for name in legend if "gradients" in name} == {"no gradient"}
    assert legend["mean values"] == "1"
    expect(viewer.element("chart")).to_contain_text("gaps: no gradient")
    assert "mean of gradients no gradient" in (viewer.page.locator(".chart-frame").get_attribute("aria-label") or "")
    # A gradient that arrived and is zero.
    viewer.go({**VIEW, "node": "net.encoder.bias"})
    viewer.wait_until_shown({"node": "net.encoder.bias"})
    assert _legend(viewer)["mean gradients"] == "0"
    expect(viewer.element("chart")).not_to_contain_text("no gradient")


def test_pins_stay_where_nothing_was_recorded(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    """The second step has a graph and no numbers."""
    entry = tensor_entry("x", type="input", kind="kpis", shape=(2, 3), batch_dimension=0)
    writer = RecordingWriter(tmp_path / "group" / "trial" / "rank-0", Header("group", "trial"))
    graph = writer.write_structure(Structure((shown(entry),), ()))
    for step, tensors in enumerate([(entry,), ()]):
        layout = writer.write_layout(Layout(tensors, (Group("forward", tuple(range(len(tensors)))),)))
        blobs = [
            ("counts", Blob("I32", np.zeros((1, 5), np.int32))),
            ("extrema.F32", Blob("F32", np.zeros((1, 2), np.float32))),
            ("statistics.F32", Blob("F32", np.full(12, 2.5, np.float32))),
        ]
        writer.write_step(StepDescription(step, "main", 2, layout, (graph,), RecordedSamples(())), blobs if tensors else [])
    writer.close()
    page = comgra_export.export(tmp_path / "group", tmp_path / "report.html").path
    viewer = _open(open_viewer, page, {"trial": "trial", "node": "x", "step": 0, "pane": "time", "pins": "0.x"})
    expect(viewer.element("values-empty")).to_have_count(0)
    viewer.press_button("step", "next")
    expect(viewer.element("values-empty")).to_have_text("Nothing was recorded for this tensor here.")
    assert _legend(viewer.element("pinned"))["mean values"] == "2.5"


def test_pinned_charts_are_side_by_side(viewer: Viewer) -> None:
    viewer.go({**VIEW, "pins": "0.x,0.h,0.loss"})
    charts = viewer.element("pinned").get_by_test_id("chart")
    expect(charts).to_have_count(3)
    boxes = [chart.bounding_box() for chart in charts.all()]
    first, second = (box for box in boxes[:2] if box is not None)
    assert second["x"] >= first["x"] + first["width"] - 1
    assert abs(second["y"] - first["y"]) < 2


def test_b_is_drawn_over_a(described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    view: Link = {**VIEW, "pin": "trial=wide&rank=1", "pins": "0.h,-1.net.critic.frozen", "time": "mean"}
    viewer = _open(open_viewer, described_bundle, view)
    legend = _legend(_tensor(viewer, "x, iteration 0"))
    np.testing.assert_allclose(float(legend["A mean values, run"]), x_of_rank(0, 20).mean(), atol=1e-4)
    np.testing.assert_allclose(float(legend["B mean values, wide"]), x_of_rank(1, 20).mean(), atol=1e-4)
    expect(viewer.element("over-time-note")).to_contain_text(
        "Thick lines with filled markers: A, run; thin, finely dashed lines with hollow markers: B, wide."
    )
    pinned = _legend(_tensor(viewer, "h, iteration 0"))
    assert {"A mean values, run", "B mean values, wide", "A mean gradients, run", "B mean gradients, wide"} <= set(pinned)
    _click_step(viewer, 40)
    viewer.wait_until_shown({"trial": "run", "step": 40})
    # A step of B alone has none that is the same in A: the nearest one is shown.
    viewer.go({**view, "trial": "wide", "rank": 2, "step": 0, "pin": "trial=run"})
    assert list(_legend(_tensor(viewer, "x, iteration 0"))) == [
        "A mean values, wide",
        "B mean values, run",
        "B mean values, triggered steps, run",
    ]
    _click_step(viewer, 40)
    viewer.wait_until_shown({"trial": "wide", "step": 20})


def test_ranks_of_a_trial_are_told_apart(described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, described_bundle, {**VIEW, "trial": "wide", "rank": 0, "pin": "rank=2", "time": "mean"})
    assert list(_legend(viewer)) == ["A mean values, wide, rank 0", "B mean values, wide, rank 2"]
    # Of the same trial and rank there is nothing to be drawn twice.
    viewer.go({**VIEW, "trial": "wide", "rank": 0, "pin": "rank=0&step=0", "time": "mean"})
    expect(viewer.element("legend-entry")).to_have_count(1)


def test_a_single_sample_is_not_kept(viewer: Viewer) -> None:
    viewer.choose("aggregation", "batch_std")
    viewer.wait_until_shown({"agg": "batch_std"})
    spread = x_of_rank(0, 20).mean(axis=1).std(ddof=1)
    np.testing.assert_allclose(float(_legend(viewer)["mean values"]), spread, atol=1e-4)
    expect(viewer.element("over-time-note")).to_contain_text("STD over the batch.")
    viewer.choose("aggregation", "sample_0")
    expect(viewer.element("over-time-note")).to_contain_text("Samples are not kept over time: this is the mean over the batch.")
    np.testing.assert_allclose(float(_legend(viewer)["mean values"]), x_of_rank(0, 20).mean(), atol=1e-4)


def test_what_is_shown_is_in_the_address(viewer: Viewer, described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer.element("time-std").click()
    viewer.element("time-zeros").click()
    viewer.element("time-log").click()
    viewer.element("legend-entry").first.click()
    expect(viewer.element("legend-entry").first).to_have_attribute("aria-pressed", "false")
    expect(viewer.element("chart")).to_have_count(2)
    link = viewer.link(until="mean%3Aforward")
    assert link["time"] == "mean,std,abs_max,zeros,log,-mean:forward"
    again = _open(open_viewer, described_bundle, link)
    for test_id in ("time-mean", "time-std", "time-abs_max", "time-zeros", "time-log"):
        expect(again.element(test_id)).to_have_attribute("aria-pressed", "true")
    expect(again.element("legend-entry").first).to_have_attribute("aria-pressed", "false")
    zeros = _legend(again.element("chart").nth(1))["zeros values"]
    assert int(zeros) == (x_of_rank(0, 20) == 0).sum()
    for test_id in ("time-mean", "time-std", "time-abs_max", "time-zeros"):
        again.element(test_id).click()
    expect(again.element("over-time-empty")).to_have_text("Choose at least one statistic.")


def test_pinned_tensors_stay(viewer: Viewer, described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer.element("pin").click()
    expect(viewer.element("pin")).to_have_attribute("aria-pressed", "true")
    viewer.select_node("net.encoder.weight")
    viewer.element("pin").click()
    viewer.select_node("loss")
    expect(viewer.element("pinned").get_by_test_id("tensor-over-time")).to_have_count(2)
    link = viewer.link(until="net.encoder.weight")
    assert link["pins"] == "0.x,-1.net.encoder.weight"
    again = _open(open_viewer, described_bundle, link)
    np.testing.assert_allclose(float(_legend(_tensor(again, "x, iteration 0"))["mean values"]), x_of_rank(0, 20).mean(), atol=1e-4)
    assert list(_legend(_tensor(again, "loss, iteration 0"))) == ["value values", "value values, triggered steps"]
    expect(_tensor(again, "net.encoder.weight")).to_be_visible()
    # On one axis: the step is marked at the same place of charts of the same width.
    charts = again.element("pinned").get_by_test_id("chart")
    first, second = soon(
        lambda: [figure.evaluate(FIND_LINE) for figure in charts.all()], lambda lines: len(lines) == 2 and lines[0] and lines[0] == lines[1]
    )
    assert first
    assert first == second
    again.page.get_by_role("button", name="Unpin x, iteration 0").click()
    expect(again.element("pinned").get_by_test_id("tensor-over-time")).to_have_count(1)


def test_all_ranks_together(described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, described_bundle, {**VIEW, "trial": "wide", "rank": "all"})
    every = np.concatenate([x_of_rank(rank, 20) for rank in range(3)])
    assert len(every) == 3 * BATCH
    np.testing.assert_allclose(float(_legend(viewer)["mean values"]), every.mean(), atol=1e-4)


def test_what_is_not_finite_is_marked(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    view: Link = {"tab": "tensors", "trial": "first", "type": "any_value", "step": 5, "it": 2, "node": HOSTILE_NAME, "pane": "time"}
    viewer = _open(open_viewer, bundle, view)
    expect(viewer.element("chart").first).to_contain_text("NaN and infinities are marked at the edges")
    assert _legend(viewer)["mean values"] == "NaN"


def test_one_step(large_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, large_bundle, {"trial": "wide", "node": "node_3_4", "pane": "time"})
    expect(viewer.element("chart")).to_contain_text("1 step")
    # What the node's statistics hold: its number, 3 * 50 + 4.
    assert _legend(viewer)["mean values"] == "154"
    expect(viewer.page.locator(".u-over")).to_be_visible()


def test_a_page_of_an_earlier_version_says_so(described_bundle: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = tmp_path / "old.html"
    page.write_text(re.sub(r',"series":\d+', "", without_checksum(described_bundle.read_text())))
    viewer = open_viewer(page, fragment(VIEW), wait=False)
    expect(viewer.element("over-time-empty")).to_contain_text("This page is from an earlier version")


def test_chunks_in_files(group: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = comgra_export.export(group, tmp_path / "report").path / "index.html"
    viewer = _open(open_viewer, page, {"trial": "first", "step": 5, "type": "any_value", "node": "output", "pane": "time"})
    assert "mean values" in _legend(viewer)
