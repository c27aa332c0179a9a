"""What is known of a step besides its tensors: what it did, why it was recorded, and who recorded it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser.described import REASON, STARTED_IN_WORDS
from support.browser.viewer import Link, Viewer, fragment

ANY, TRIGGERED = "any_value", "__triggered"
VIEW: Link = {"tab": "tensors", "trial": "run", "rec": "gradients", "type": ANY, "step": 40, "it": 0}
WEIGHT, BIAS, SHARED, FROZEN = "net.encoder.weight", "net.encoder.bias", "net.critic.weight", "net.critic.frozen"


@pytest.fixture
def open_run(described_bundle: Path, visit: Callable[..., Viewer]) -> Callable[..., Viewer]:
    """Opens the resumed run with a change of the view."""
    return lambda **change: visit(described_bundle, {**VIEW, **change})


def test_connections_without_gradient_are_dashed_and_named(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run(node="h", rec="forward")
    styles = {ends: style for ends, style in viewer.line_styles().items() if "encoder" not in ends[0]}
    assert styles == {("x", "h"): "solid", ("h", "loss"): "solid", ("h", "mask"): "dashed"}
    dependents = viewer.element("dependents")
    expect(dependents.get_by_role("button", name="mask no gradient")).to_have_attribute("title", "mask (no gradient flows)")
    expect(dependents.get_by_role("button", name="loss", exact=True)).to_have_attribute("title", "loss")
    expect(viewer.element("legend-without-gradient")).to_have_text("dashed: values, but no gradient")
    announced = viewer.page.locator(".graph > [role=status]")
    expect(announced).to_have_text("h, calculated; depends on 3, needed by 2 (1 without gradient)")
    dependents.get_by_role("button", name="mask").click()
    expect(announced).to_have_text("mask, calculated; depends on 1 (1 without gradient), needed by 1 (1 without gradient)")
    assert set(viewer.line_styles().values()) == {"dashed"}


def test_without_such_connections_the_legend_does_not_name_them(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment({"trial": "first"}))
    expect(viewer.element("legend-without-gradient")).to_have_count(0)
    assert set(viewer.line_styles().values()) == {"solid"}


def test_triggered_steps_are_among_any_and_apart(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run()
    options = viewer.control("step-type").locator("option").all_inner_texts()
    assert options == ["Any training step", "eval", "train", "Triggered steps (unusual, a biased sample)"]
    for kind, words in (
        (ANY, "40, train, 5 of 6, 10 steps since 30"),
        ("train", "40, train, 3 of 3, 20 steps since 20"),
        ("eval", "30, eval, 2 of 2, 20 steps since 10"),
        (TRIGGERED, "43, train, triggered, 1 of 1, the first one"),
    ):
        viewer.choose("step-type", kind)
        viewer.wait_until_shown({"type": kind})
        expect(viewer.control("step")).to_have_attribute("aria-valuetext", words)
    viewer.wait_until_shown({"step": "43"})
    expect(viewer.element("step-trigger")).to_contain_text(REASON)
    expect(viewer.element("step-trigger")).to_contain_text("biased sample")
    assert viewer.link()["type"] == TRIGGERED
    viewer.choose("step-type", ANY)
    viewer.wait_until_shown({"type": ANY, "step": "43"})
    expect(viewer.element("step-trigger")).to_be_visible()
    viewer.press_button("step", "previous")
    viewer.wait_until_shown({"type": ANY, "step": "40"})
    expect(viewer.element("step-trigger")).to_have_count(0)


@pytest.mark.parametrize("change", [{"type": TRIGGERED}, {"type": ANY}, {}])
def test_a_link_to_a_triggered_step(change: dict[str, str], described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(described_bundle, fragment({"trial": "run", "step": 43, **change}))
    viewer.wait_until_shown({"type": change.get("type", ANY), "step": "43"})
    expect(viewer.element("message")).to_have_count(0)
    expect(viewer.element("step-trigger")).to_be_visible()


def test_a_note_leads_to_a_triggered_step_and_back_to_a_regular_one(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run(type="train")
    for step in ("43", "20"):
        viewer.element("tab-notes").click()
        viewer.page.get_by_role("button", name=f"step {step}", exact=True).click()
        viewer.wait_until_shown({"tab": "tensors", "step": step, "type": ANY})


def test_what_is_known_of_the_step(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run(node="h", step=0)
    viewer.rows()
    summary = viewer.summary()
    known = {name: summary.get(name) for name in ("learning rate", "loss scale", "held memory", "session")}
    assert known == {"learning rate": None, "loss scale": "65536", "held memory": "12.3 MB", "session": None}
    # It is no fact about a tensor that no optimizer holds.
    viewer.select_node(WEIGHT)
    expect(viewer.element("summary-learning-rate")).to_have_text("generator 0.001, 0.01; critic 0.1")
    viewer.select_node("h")
    viewer.press_button("step", "next")
    viewer.press_button("step", "next")
    viewer.wait_until_shown({"step": "20"})
    assert viewer.summary()["session"] == "2"
    assert viewer.summary()["operation"] == "AddmmBackward0"
    assert viewer.summary()["module"] == "net.encoder"


def test_gradients_say_what_happened_to_them(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run(node="h")
    expect(viewer.element("remark-gradient-facts")).to_have_text(
        "Sum of 2 backward passes of this step. The loss scale of 65536 is divided out."
    )
    viewer.select_node(WEIGHT)
    expect(viewer.element("remark-gradient-facts")).to_contain_text(
        "Changed in place after the backward pass by: _foreach_mul_ (as clipping does)."
    )
    viewer.choose("recording", "forward")
    viewer.wait_until_shown({"rec": "forward"})
    expect(viewer.element("remark-gradient-facts")).to_have_count(0)


def test_what_the_step_did_to_a_parameter(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run(node=WEIGHT)
    viewer.rows()
    assert viewer.summary()["device"] == "cuda:0"
    for fact, value in (("norm", "4"), ("update-norm", "0.5"), ("update-ratio", "0.125")):
        expect(viewer.element(f"fact-{fact}")).to_have_text(value)
    expect(viewer.element("remark-gradient-left-over")).to_contain_text("Contains gradients of earlier steps: it differs by 0.125")
    parameter = viewer.element("remark-parameter")
    expect(parameter).to_contain_text("The same tensor as \u201cnet.critic.weight\u201d.")
    expect(parameter).to_contain_text("Held by generator, group 1 of 2: learning rate 2.439e-5 on this step, weight_decay 0.01.")
    viewer.go({**VIEW, "node": WEIGHT, "step": 0})
    viewer.wait_until_shown({"step": "0"})
    expect(viewer.element("remark-gradient-left-over")).to_have_count(0)
    viewer.go({**VIEW, "node": SHARED, "rec": "forward"})
    expect(parameter).to_contain_text("The same tensor as \u201cnet.encoder.weight\u201d. Held by generator")
    expect(viewer.element("fact-norm")).to_have_text("4")


def test_absent_and_zero_gradients_are_told_apart(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run(node=BIAS)
    assert {row.value for row in viewer.rows()} == {"0"}
    expect(viewer.element("remark-gradient-zero")).to_have_text("The gradient exists, and all of its values are zero.")
    expect(viewer.element("remark-gradient-absent")).to_have_count(0)
    viewer.select_node(FROZEN)
    assert {row.value for row in viewer.rows()} == {"0"}
    expect(viewer.element("remark-gradient-absent")).to_have_text("No gradient (counted as zeros).")
    expect(viewer.element("remark-gradient-zero")).to_have_count(0)
    expect(viewer.element("remark-parameter")).to_have_text("Frozen: it requires no gradient. No tracked optimizer holds it.")
    expect(viewer.element("fact-norm")).to_have_count(0)


def test_samples_have_their_ids_and_categories_in_the_recorded_order(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run(node="x", rec="forward", agg="sample_0")
    labels = viewer.control("aggregation").locator("option").all_inner_texts()[3:]
    assert labels == ["Sample 004 | picture 9 | cat", "Sample 000 | picture 1 | dog", "Sample 003 | picture <7> | dog"]
    assert viewer.summary()["batch/sample"] == "Sample 000 | picture 1 | dog"
    # Sample 0 of the batch, and not the first recorded one: (0 - 5) / 4 and (1 - 5) / 4, and step / 100.
    assert [row.value for row in viewer.rows()[4:]] == ["-0.8500", "-0.6000"]


def test_the_network_says_which_modules_ran(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run(tab="network", step=10, type="eval", rec="forward")
    runs = viewer.element("module-run")
    expect(runs).to_have_text(["eval", "eval \u00d72", "eval", "did not run"])
    expect(viewer.element("network-step")).to_have_text("3 of 4 modules ran on step 10 (eval)")
    viewer.element("tab-tensors").click()
    viewer.choose("step-type", "train")
    viewer.wait_until_shown({"type": "train"})
    viewer.element("tab-network").click()
    expect(runs).to_have_text(["train", "train \u00d72", "train", "did not run"])


def test_the_network_of_a_recording_that_does_not_know(large_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(large_bundle, fragment({"tab": "network"}), wait=False)
    expect(viewer.element("network-empty")).to_be_visible()
    expect(viewer.element("network-step")).to_have_count(0)


def test_about_says_how_the_recording_came_about(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run(tab="about")
    rows = viewer.element("recordings").locator("tbody tr")
    expect(rows).to_have_count(4)
    assert rows.first.locator("td").all_inner_texts() == [
        "run", "\u2013", "comgra_export 0.1.0", "2.9.0", STARTED_IN_WORDS, "killed, or it ended without finalize()",
    ]  # fmt: skip
    assert rows.nth(1).locator("td").all_inner_texts()[1:] == ["0 of 3", "comgra_export 0.1.0", "2.9.0", STARTED_IN_WORDS, "finished"]
    expect(viewer.page.get_by_text("run was resumed: 2 sessions, and 1 recorded step left behind")).to_be_visible()
    expect(viewer.element("sessions").locator("li")).to_have_text(
        [
            "steps 0 to 10 (2 recorded); its process ended early",
            "steps 20 to 43 (4 recorded); its process ended early, or was still recording",
        ]
    )
    expect(viewer.element("problems").locator("li")).to_have_text(
        [
            "Step 50 of run was finished, but is missing. Its process ended before it was written.",
            "Step 60 of run was finished, but is missing. No space left on device.",
        ]
    )
    settings = [row.locator("td").all_inner_texts() for row in viewer.element("optimizers").locator("tbody tr").all()]
    assert settings == [
        ["generator", "AdamW", "1 of 2", "1", "lr 0.001, weight_decay 0.01"],
        ["generator", "AdamW", "2 of 2", "1", "lr 0.01"],
        ["critic", "SGD", "1 of 1", "0", "lr 0.1, momentum 0.9, nesterov"],
    ]


def test_readers_without_javascript_are_told_too(described_bundle: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(described_bundle, wait=False, java_script_enabled=False)
    text = " ".join(page.locator("main").inner_text().split())
    assert "2 processes wrote it one after another, and 1 of their steps was left behind" in text
    assert "train (3), eval (2), triggered (1)" in text
    assert "Step 60 of run was finished, but is missing. No space left on device." in text
    assert "wide (all ranks together)" in text
