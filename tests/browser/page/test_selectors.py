"""Every selector, by mouse and by keyboard, and what gives way to what."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect
from torch import nn

import comgra_export
from support.browser.oracle import Oracle
from support.browser.recorded import LENGTHS, WITHOUT_GRADIENTS
from support.browser.viewer import SELECTORS, SLIDERS, Link, Viewer, fragment
from support.once import Once

ANY = "any_value"
LONG_NAMES = ("leaky_relu_after_every_layer", "no_activation_on_the_outputs")
# The names that are cut off.
CUT = "elements => elements.filter((one) => one.scrollWidth > one.clientWidth + 1).map(({ textContent }) => textContent)"
# By how many pixels a list of choices is narrower than what is chosen in it needs.
MISSING = """(select) => {
  const copy = select.cloneNode(true);
  copy.replaceChildren(...copy.selectedOptions);
  copy.style.cssText = "flex: none; width: max-content";
  select.parentElement.append(copy);
  const { width } = copy.getBoundingClientRect();
  copy.remove();
  return width - select.getBoundingClientRect().width;
}"""
# Here every selector has something before and after what is selected.
MIDDLE: Link = {
    "tab": "tensors", "trial": "first", "rec": "forward", "type": "02_iterations", "step": 0, "it": 1,
    "node": "helper", "role": "up_to_0", "agg": "sample_0",
}  # fmt: skip


# The first choice of a selector, then the next one and the previous one.
OUTPUT: Link = {"node": "output", "role": "output"}
STEPS: dict[str, tuple[Link, str, str]] = {
    "trial": (OUTPUT, "second", "first"),
    "recording": (OUTPUT, "gradients", "forward"),
    "step-type": (OUTPUT, "03_iterations", "02_iterations"),
    "step": (OUTPUT, "10", "0"),
    "iteration": ({**OUTPUT, "it": 0}, "1", "0"),
    "aggregation": ({}, "sample_1", "sample_0"),
    "role": ({}, "final", "up_to_0"),
}


@pytest.fixture
def viewer(bundle: Path, visit: Callable[..., Viewer]) -> Viewer:
    return visit(bundle, MIDDLE)


def _start(viewer: Viewer, selector: str) -> tuple[str, str, str]:
    change, after, before = STEPS[selector]
    start = {**MIDDLE, **change}
    viewer.go(start)
    viewer.wait_until_shown(start)
    return SELECTORS[selector], after, before


@pytest.mark.parametrize("selector", SELECTORS)
def test_a_selector_by_its_buttons_and_by_keyboard(selector: str, viewer: Viewer, oracle: Oracle) -> None:
    key, after, before = _start(viewer, selector)
    first_rows = viewer.rows()
    viewer.press_button(selector, "next")
    assert oracle.check(viewer)[key] == after
    assert viewer.rows() != first_rows
    viewer.press_button(selector, "previous")
    viewer.wait_until_shown({key: before})
    assert viewer.rows() == first_rows
    viewer.control(selector).focus()
    viewer.page.keyboard.press("ArrowRight" if selector in SLIDERS else "ArrowDown")
    assert oracle.check(viewer)[key] == after
    expect(viewer.control(selector)).to_be_focused()
    viewer.page.keyboard.press("ArrowLeft" if selector in SLIDERS else "ArrowUp")
    viewer.wait_until_shown({key: before})
    assert viewer.selected_node == {**MIDDLE, **STEPS[selector][0]}["node"], "the arrow keys must not walk over the graph here"


def test_every_choice_of_every_list(viewer: Viewer, oracle: Oracle) -> None:
    for selector in [name for name in SELECTORS if name not in SLIDERS]:
        key, *_ = _start(viewer, selector)
        offered = viewer.enabled_options(selector)
        assert len(offered) > 1
        for value in offered:
            viewer.choose(selector, value)
            viewer.wait_until_shown({key: value})
            oracle.check_rows(viewer, viewer.controls())
        assert oracle.check(viewer)[key] == offered[-1]


def test_sliders_by_mouse(viewer: Viewer, oracle: Oracle) -> None:
    viewer.choose("step-type", ANY)
    viewer.select_node("output")
    for selector, last in (("step", "15"), ("iteration", str(LENGTHS[0] - 1))):
        slider = viewer.control(selector)
        box = slider.bounding_box()
        assert box is not None
        slider.click(position={"x": box["width"] - 4, "y": box["height"] / 2})
        assert oracle.check(viewer)[SELECTORS[selector]] == last
        slider.click(position={"x": 4, "y": box["height"] / 2})
        assert oracle.check(viewer)[SELECTORS[selector]] == "0"


def test_buttons_stop_at_the_ends(viewer: Viewer) -> None:
    viewer.go({**MIDDLE, "type": ANY})
    viewer.wait_until_shown({"type": ANY})
    for selector in SELECTORS:
        for direction in ("previous", "next"):
            button = viewer.element(f"{direction}-{selector}")
            for _ in range(10):
                if button.get_attribute("aria-disabled") == "true":
                    break
                button.click()
            expect(button).to_have_attribute("aria-disabled", "true")
            before = viewer.controls()
            button.click(force=True)
            assert viewer.controls() == before


def test_the_type_of_step_limits_the_steps(viewer: Viewer) -> None:
    assert viewer.enabled_options("step-type") == [ANY, "02_iterations", "03_iterations"]
    viewer.choose("step-type", "03_iterations")
    viewer.wait_until_shown({"step": "5"})
    viewer.press_button("step", "next")
    viewer.wait_until_shown({"step": "15", "type": "03_iterations"})
    expect(viewer.element("next-step")).to_have_attribute("aria-disabled", "true")
    assert viewer.summary()["step type"] == "03_iterations"
    viewer.choose("step-type", ANY)
    viewer.wait_until_shown({"step": "15"})


def test_selectors_offer_what_can_be_reached(viewer: Viewer) -> None:
    labels = viewer.control("aggregation").locator("option").all_inner_texts()
    assert labels == [
        "Mean over the batch",
        "Maximum absolute value over the batch",
        "STD over the batch",
        "Sample 0",
        "Sample 1",
        "Sample 2",
    ]
    assert viewer.enabled_options("role") == ["up_to_0", "final"]
    assert viewer.enabled_options("recording") == ["forward", "gradients"]


def test_role_and_sample_come_back_after_a_visit_to_the_loss(viewer: Viewer, oracle: Oracle) -> None:
    assert viewer.summary()["shown as"] == "up_to_0"
    viewer.choose("role", "final")
    viewer.wait_until_shown({"role": "final", "agg": "sample_0"})
    viewer.select_node("loss")
    viewer.wait_until_shown({"node": "loss", "role": "loss", "agg": "has_no_batch_dimension"})
    viewer.select_node("helper")
    viewer.wait_until_shown({"node": "helper", "role": "final", "agg": "sample_0"})
    oracle.check(viewer)


def test_a_sample_comes_back_after_a_visit_to_a_parameter(viewer: Viewer) -> None:
    viewer.choose("aggregation", "sample_2")
    viewer.select_node("net.out.bias")
    viewer.wait_until_shown({"agg": "has_no_batch_dimension"})
    viewer.select_node("net.pre")
    viewer.wait_until_shown({"agg": "has_no_batch_dimension"})
    viewer.select_node("input")
    viewer.wait_until_shown({"node": "input", "agg": "sample_2"})


def test_the_iteration_follows_the_loss_to_a_longer_step(viewer: Viewer, oracle: Oracle) -> None:
    viewer.choose("step-type", ANY)
    viewer.select_node("loss")
    viewer.wait_until_shown({"step": "0", "it": str(LENGTHS[0] - 1)})
    viewer.press_button("step", "next")
    viewer.wait_until_shown({"step": "5", "it": str(LENGTHS[5] - 1), "node": "loss"})
    oracle.check(viewer)
    viewer.press_button("step", "next")
    viewer.wait_until_shown({"step": "10", "it": str(LENGTHS[10] - 1), "node": "loss"})


def test_the_iteration_just_chosen_never_gives_way(viewer: Viewer, oracle: Oracle) -> None:
    """The loss exists on the last iteration only: going back an iteration gives up the node."""
    viewer.select_node("loss")
    viewer.press_button("iteration", "previous")
    viewer.wait_until_shown({"it": "0"})
    assert oracle.check(viewer)["node"] != "loss"


def test_the_step_keeps_the_node(viewer: Viewer, oracle: Oracle) -> None:
    viewer.choose("step-type", ANY)
    viewer.select_node("memory")
    viewer.choose("aggregation", "batch_std")
    for step in ("5", "10", "15"):
        viewer.press_button("step", "next")
        viewer.wait_until_shown({"step": step, "node": "memory", "role": "memory_out", "agg": "batch_std"})
        oracle.check(viewer)


def test_a_recording_type_that_a_step_lacks_is_said_and_comes_back(viewer: Viewer, oracle: Oracle) -> None:
    view = {**MIDDLE, "type": ANY, "step": 5, "it": 2, "rec": "gradients", "node": "output", "role": "output"}
    viewer.go(view)
    viewer.wait_until_shown(view)
    expect(viewer.element("remark-fallback")).to_have_count(0)
    viewer.press_button("step", "next")
    viewer.wait_until_shown({"step": str(WITHOUT_GRADIENTS), "rec": "forward", "node": "output"})
    expect(viewer.element("remark-fallback")).to_contain_text("gradients")
    # A choice of one is no choice.
    expect(viewer.element("selector-recording")).to_have_count(0)
    oracle.check(viewer)
    viewer.press_button("step", "next")
    viewer.wait_until_shown({"step": "15", "rec": "gradients", "node": "output"})
    expect(viewer.element("remark-fallback")).to_have_count(0)
    oracle.check(viewer)


@pytest.mark.parametrize(("tab", "shown"), [("tensors", 1), ("graphs", 0), ("network", 0), ("overview", 0)])
def test_the_iteration_is_offered_on_tabs_that_show_one(tab: str, shown: int, viewer: Viewer) -> None:
    viewer.element(f"tab-{tab}").click()
    expect(viewer.element(f"tab-{tab}")).to_have_attribute("aria-selected", "true")
    expect(viewer.element("select-iteration")).to_have_count(shown)


def test_the_trial_keeps_the_rest(viewer: Viewer, oracle: Oracle) -> None:
    before = viewer.link()
    viewer.press_button("trial", "next")
    assert oracle.check(viewer) == {**before, "trial": "second"}


def test_an_earlier_memory_says_where_its_numbers_are_from(viewer: Viewer, oracle: Oracle) -> None:
    viewer.select_node("memory*old")
    viewer.wait_until_shown({"it": "1", "role": "memory_out__from_iteration_0"})
    oracle.check(viewer)
    expect(viewer.element("remark-reference")).to_contain_text("of iteration 0")
    viewer.press_button("iteration", "previous")
    viewer.wait_until_shown({"it": "0", "node": "memory*old", "role": "initial_memory__from_initialization"})
    oracle.check(viewer)
    expect(viewer.element("selector-role")).to_have_count(0)


def test_the_hint_explains_the_order_of_aggregation(viewer: Viewer) -> None:
    hint, button = viewer.page.get_by_role("tooltip"), viewer.element("order-hint")
    expect(hint).to_be_hidden()
    button.focus()
    viewer.page.keyboard.press("Enter")
    expect(hint).to_be_visible()
    expect(hint).to_contain_text("First over the values of each sample, then over the batch")
    viewer.page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-expanded", "false")


@pytest.fixture(scope="session")
def page_with_long_names(once: Once) -> Path:
    """Two trials with long names, of a tensor without a batch dimension."""

    def export(folder: Path) -> str:
        for trial in LONG_NAMES:
            model = nn.Linear(2, 1)
            with comgra_export.watch(model, folder / "recordings", trial_id=trial, every=1):
                model(torch.ones(3, 2)).sum().backward()
        return str(comgra_export.export(folder / "recordings", folder / "report.html").path)

    return Path(once("long names", export))


@pytest.mark.parametrize("width", [1440, 390])
def test_names_are_shown_whole(width: int, page_with_long_names: Path, open_viewer: Callable[..., Viewer]) -> None:
    view: Link = {"tab": "tensors", "trial": LONG_NAMES[0], "node": "model.weight"}
    viewer = open_viewer(page_with_long_names, fragment(view), viewport={"width": width, "height": 900})
    expect(viewer.element("summary-trial")).to_have_text(LONG_NAMES[0])
    expect(viewer.element("summary-batch-sample")).to_have_text("Has no batch dimension")
    assert viewer.page.locator(".summary dd").evaluate_all(CUT) == []
    if width == 390:
        viewer.element("open-selection").click()
        boxes = [
            viewer.page.locator(place).bounding_box() for place in ("[data-testid=selection] .sheet-head", "[data-testid=selector-trial]")
        ]
        assert boxes[0] is not None
        assert boxes[1] is not None
        assert boxes[1]["x"] == boxes[0]["x"]
    select = viewer.element("select-trial")
    expect(select).to_have_attribute("title", re.compile(LONG_NAMES[0]))
    assert select.evaluate(MISSING) <= 0
