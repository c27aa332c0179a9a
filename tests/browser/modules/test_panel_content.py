"""What a panel of a module shows: its tensors, their charts, and what it says of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from playwright.sync_api import expect

import comgra_export
from support.browser.axe import violations
from support.browser.panels import EVAL, INK, SVG, TRAIN, VIEW, history, open_at
from support.browser.viewer import Link, Viewer, fragment


def test_a_panel_has_values_and_gradients_of_all_that_the_module_has(viewer: Viewer) -> None:
    panel = viewer.element("panel").first
    expect(panel.locator("h3")).to_have_text("model.0")
    # The loss uses the input of the network as well.
    alone = "input, through this call alone is model: gradient of input"
    expect(panel.locator("h4")).to_have_text(["input is model: input", alone, "output", "weight", "bias"])
    recorded = [plot.get_attribute("data-record") for plot in panel.get_by_test_id("history").all()]
    names = ["0/model: input", "0/model.0: output", "-1/model.0.weight", "-1/model.0.bias"]
    expected = [f"{group}/{name}" for name in names for group in ("forward", "gradients")]
    assert recorded == [*expected[:2], "gradients/0/model: gradient of input", *expected[2:]]
    for plot in panel.get_by_test_id("history").all():
        expect(plot).to_have_attribute("data-columns", str(TRAIN))


def test_nan_and_infinities_are_said_and_marked(viewer: Viewer) -> None:
    plot = history(viewer, "forward/0/model: input")
    plot.focus()
    steps = {}
    plot.press("Home")
    for _ in range(TRAIN):
        text = plot.get_attribute("aria-valuetext") or ""
        special = re.findall(r"(NaN|\+∞|−∞): (\d+)", text)
        if special:
            steps[re.match(r"Step (\d+)", text)[1]] = special  # type: ignore[index]
        plot.press("ArrowRight")
    # The 11th and the 13th step of training.
    assert steps == {"10": [("NaN", "1")], "12": [("+∞", "2"), ("−∞", "1")]}


def test_tiny_gradients_are_spread_over_many_rows(viewer: Viewer) -> None:
    plot = history(viewer, "gradients/-1/model.0.weight")
    assert int(plot.get_attribute("data-rows") or 0) > 20
    plot.focus()
    assert re.search(r"From -\d\.\d+e-\d+ to \d\.\d+e-\d+", plot.get_attribute("aria-valuetext") or "")


def test_without_quantiles_there_are_no_lines(viewer: Viewer) -> None:
    before = viewer.page.evaluate(INK, "forward/0/model.0: output")
    viewer.element("panel-quantiles").click()
    expect(viewer.element("panel-quantiles")).to_have_attribute("aria-pressed", "false")
    assert viewer.page.evaluate(INK, "forward/0/model.0: output") != before
    expect(viewer.page).to_have_url(re.compile("history=plain"))


def test_long_names_of_rows_and_columns_are_whole(page_with_panels: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_at(open_viewer, page_with_panels, {**VIEW, "history": "types"}, viewport={"width": 400, "height": 900})
    rows = viewer.element("panel").first.locator("h4")
    alone = rows.nth(1)
    expect(alone).to_have_text("input, through this call alone is model: gradient of input")
    for text in (*rows.all(), *viewer.page.locator(".panel-column-head").all()):
        assert text.evaluate("e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight")
    # It takes more than one line, and nothing covers the second.
    lines = "e => new Set([...e.querySelectorAll('bdi')].flatMap((part) => [...part.getClientRects()].map(({ top }) => top))).size"
    assert alone.evaluate(lines) > 1
    below = alone.evaluate("e => e.nextElementSibling.getBoundingClientRect().top - e.getBoundingClientRect().bottom")
    assert below >= 0


def test_without_histograms_the_panels_say_so(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    import torch

    net = torch.nn.Linear(2, 1)
    with comgra_export.watch(net, tmp_path / "r", histograms=False):
        net.eval()(torch.ones(1, 2))
    page = comgra_export.export(tmp_path / "r", tmp_path / "page.html").path
    viewer = open_viewer(page, fragment({"tab": "modules", "panels": "model"}), wait=False)
    expect(viewer.element("panels-empty")).to_contain_text("holds no histograms")
    viewer.element("panel-unpin").click()
    expect(viewer.element("panel")).to_have_count(0)


def test_what_a_dropout_hands_on_is_one_row_for_training_and_evaluation(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    import torch

    net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Dropout(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    every_step = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(net, tmp_path / "r", decision_maker_for_recordings=every_step):
        for _ in range(3):
            net.train()
            optimizer.zero_grad()
            net(torch.rand(4, 3)).mean().backward()
            optimizer.step()
            with torch.no_grad():
                net.eval()(torch.rand(4, 3))
    page = comgra_export.export(tmp_path / "r", tmp_path / "page.html").path
    viewer = open_at(open_viewer, page, {"tab": "modules", "panels": "model.2", "history": "types"})
    expect(viewer.element("panel").locator("h4")).to_have_text(
        ["input is model.1: output (train), is model.0: output (eval)", "output", "weight", "bias"]
    )
    shown = [(plot.get_attribute("data-type"), plot.get_attribute("data-record")) for plot in viewer.element("history").all()]
    assert shown[:3] == [
        ("train", "forward/0/model.1: output"),
        ("train", "gradients/0/model.1: output"),
        # In evaluation, dropout returns what it is given; in training, this tensor is not what the module got.
        ("eval", "forward/0/model.0: output"),
    ]
    viewer.element("panel-types").click()
    expect(viewer.element("panel").locator("h4").first).to_have_text("input is model.1: output")


def test_parameters_of_a_part_that_is_never_called_are_with_the_module_that_uses_them(
    tmp_path: Path, open_viewer: Callable[..., Viewer]
) -> None:
    import torch

    # It uses the weight and the bias of its `out_proj` without calling that.
    attention = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    every_step = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(attention, tmp_path / "r", decision_maker_for_recordings=every_step):
        optimizer = torch.optim.SGD(attention.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            x = torch.rand(2, 3, 4)
            attention(x, x, x)[0].mean().backward()
            optimizer.step()
    page = comgra_export.export(tmp_path / "r", tmp_path / "page.html").path
    viewer = open_at(open_viewer, page, {"tab": "modules", "panels": "model"})
    wanted = ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"]
    headings = viewer.element("panel").locator("h4")
    expect(headings.last).to_have_text("out_proj.bias")
    assert [text for text in headings.all_inner_texts() if "proj" in text] == wanted
    records = [plot.get_attribute("data-record") for plot in viewer.element("history").all()]
    assert records[-2:] == ["forward/-1/model.out_proj.bias", "gradients/-1/model.out_proj.bias"]
    items = viewer.element("module-details").locator(".module-tensors li").all_inner_texts()
    assert [item.split()[0] for item in items if "proj" in item] == wanted


def test_gradients_that_are_tiny_beside_the_values_have_a_chart_of_their_own(viewer: Viewer) -> None:
    viewer.go({**VIEW, "tab": "tensors", "node": "model.0: output", "role": "model.0: output", "pane": "time"})
    charts = viewer.element("chart")
    expect(charts).to_have_count(2)
    name = "model.0: output, iteration 0"
    assert [chart.get_attribute("data-group") for chart in charts.all()] == [f"{name}, values", f"{name}, gradients"]
    expect(viewer.element("time-log")).to_have_attribute("aria-pressed", "false")
    viewer.element("time-log").click()
    expect(charts).to_have_count(1)
    expect(viewer.page).to_have_url(re.compile("log"))
    viewer.element("time-log").click()
    expect(charts).to_have_count(2)
    # Largest magnitudes alone are all positive.
    viewer.element("time-mean").click()
    expect(charts).to_have_count(1)
    expect(viewer.element("time-log")).to_have_attribute("aria-pressed", "true")
    viewer.element("time-log").click()
    expect(viewer.element("time-log")).to_have_attribute("aria-pressed", "false")
    expect(viewer.page).to_have_url(re.compile("linear"))


def test_histograms_lie_beneath_the_curves_of_their_tensor_at_the_same_steps(
    page_with_panels: Path, open_viewer: Callable[..., Viewer]
) -> None:
    view: Link = {**VIEW, "tab": "tensors", "node": "model.0: output", "role": "model.0: output", "pane": "time", "panels": ""}
    viewer = open_at(open_viewer, page_with_panels, view)
    lanes = viewer.element("histogram-lanes")
    records = ["forward/0/model.0: output", "gradients/0/model.0: output"]
    assert [lane.get_attribute("data-record") for lane in lanes.get_by_test_id("history").all()] == records
    lane = lanes.get_by_test_id("history").first
    lane.scroll_into_view_if_needed()
    expect(lane.locator("canvas")).to_have_count(1)
    plot = viewer.element("chart").first.locator(".u-over")
    above, below = plot.bounding_box(), lane.locator("canvas").bounding_box()
    assert above is not None
    assert below is not None
    assert abs(above["x"] - below["x"]) <= 1
    assert abs(above["width"] - below["width"]) <= 1
    assert violations(viewer.page) == []
    # The keyboard asks and goes, as in a panel.
    lane.focus()
    lane.press("ArrowRight")
    expect(lane).to_have_attribute("aria-valuetext", re.compile("^Step 6 "))
    lane.press("Enter")
    viewer.wait_until_shown({"step": "6"})
    # What is zoomed is the same: about a third of the steps, from the left.
    plot.scroll_into_view_if_needed()
    above = plot.bounding_box()
    assert above is not None
    viewer.page.mouse.move(above["x"] + 1, above["y"] + 40)
    viewer.page.mouse.down()
    viewer.page.mouse.move(above["x"] + above["width"] / 3, above["y"] + 40, steps=4)
    viewer.page.mouse.up()
    expect(lane).to_have_attribute("data-columns", re.compile("^[789]$"))
    viewer.element("time-reset-zoom").click()
    expect(lane).to_have_attribute("data-columns", str(TRAIN))
    viewer.choose("step-type", "eval")
    expect(lanes.get_by_test_id("history")).to_have_count(1)
    expect(lane).to_have_attribute("data-columns", str(EVAL))
    viewer.choose("step-type", "any_value")
    expect(lanes.locator("h4").first).to_have_text("train: values histograms")


def test_a_module_without_parameters_says_where_those_of_its_parts_are(page_with_panels: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_at(open_viewer, page_with_panels, {"tab": "modules", "panels": "model,model.0,model.1"})
    # 16 * 64 + 64, 64 * 64 + 64 and 64 * 10 + 10.
    said = "No parameters of its own. Its parts have 5,898 parameter values, shown in the {} of 0, 2, 4."
    lines = viewer.element("panel").get_by_test_id("parts-line")
    expect(lines).to_have_text([said.format("panels")])
    own = viewer.element("module-details").get_by_test_id("parts-line")
    expect(own).to_have_text(said.format("details"))
    lines.get_by_role("button", name="2", exact=True).click()
    expect(viewer.element("module-graph")).to_have_attribute("data-selected", "0.model.2")
    expect(viewer.element("module-details").get_by_role("button", name="weight")).to_be_visible()
    expect(own).to_have_count(0)


def test_inputs_that_are_one_tensor_are_said_to_be_and_drawn_once(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    import torch

    class Residual(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = torch.nn.MultiheadAttention(4, 2, batch_first=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.attention(x, x, x)[0]  # type: ignore[no-any-return]

    net = Residual()
    every_step = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(net, tmp_path / "r", decision_maker_for_recordings=every_step):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.rand(2, 3, 4)).mean().backward()
            optimizer.step()
    page = comgra_export.export(tmp_path / "r", tmp_path / "page.html").path
    viewer = open_at(open_viewer, page, {"tab": "modules", "panels": "model.attention", "module": "0.model", "at": "0.model.attention"})
    headings = viewer.element("panel").locator("h4")
    expect(headings.nth(5)).to_have_text("output[1]")
    assert [" ".join(text.split()) for text in headings.all_inner_texts()[:5]] == [
        "input query is model: input x",
        # The residual connection reads it as well.
        "input query, through this call alone",
        "input key is the same tensor as input query",
        "input value is the same tensor as input query",
        "output[0]",
    ]
    records = [plot.get_attribute("data-record") for plot in viewer.element("history").all()]
    assert [record for record in records if "input" in str(record)] == [
        "forward/0/model: input x",
        "gradients/0/model: input x",
        "gradients/0/model.attention: gradient of input query",
    ]
    listed = viewer.element("module-details").locator(".module-tensors").first.get_by_role("listitem")
    expect(listed).to_have_count(3)
    query, *others = (" ".join(text.split()) for text in listed.all_inner_texts())
    assert query.startswith("query 2 × 3 × 4 F32 values: mean ")
    assert "gradient through this call alone" in query
    assert others == ["key the same tensor as query", "value the same tensor as query"]
    with viewer.page.expect_download() as download:
        viewer.element("panel").get_by_test_id("figure-svg").evaluate("button => button.click()")
    root = ElementTree.parse(download.value.path()).getroot()
    assert "input key is the same tensor as input query" in [text.text for text in root.iter(f"{SVG}text")]
    assert len(list(root.iter(f"{SVG}image"))) == len(records)
    # Each of the three leads to the tensor.
    listed.last.get_by_role("button").click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", "model: input x")
