"""A trial of several ranks: one trial, all of them together, and each by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from support.browser.described import x_of_rank
from support.browser.viewer import Link, Viewer, fragment

VIEW: Link = {"tab": "tensors", "trial": "wide", "rank": "1", "rec": "forward", "type": "any_value", "step": 10, "it": 0,
              "node": "x", "role": "x", "agg": "sample_3"}  # fmt: skip


@pytest.fixture
def viewer(described_bundle: Path, visit: Callable[..., Viewer]) -> Viewer:
    return visit(described_bundle, VIEW)


def _mean(viewer: Viewer) -> float:
    return float(viewer.rows()[0].exact)


def test_ranks_are_no_trials(viewer: Viewer) -> None:
    assert viewer.control("trial").locator("option").all_inner_texts() == ["\u26a0 run (bug)", "wide"]
    assert viewer.control("rank").locator("option").all_inner_texts() == ["All ranks together", "rank 0", "rank 1", "rank 2"]
    assert viewer.link() == {"v": "1", **{key: str(value) for key, value in VIEW.items()}}
    assert viewer.summary()["rank"] == "rank 1"


@pytest.mark.parametrize(
    ("selector", "words"),
    [("trial", "One run of the script"), ("rank", "One of the processes that train together"), ("step-type", "something unusual happened")],
)
def test_what_a_selector_means_can_be_asked(selector: str, words: str, viewer: Viewer) -> None:
    viewer.element(f"hint-{selector}").click()
    expect(viewer.page.get_by_role("tooltip").filter(has_text=words)).to_be_visible()
    viewer.page.keyboard.press("Escape")


def test_the_selector_is_not_there_where_no_trial_has_several_ranks(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle)
    expect(viewer.element("selector-rank")).to_have_count(0)
    assert "rank" not in viewer.link()
    assert "rank" not in viewer.summary()


def test_together_they_are_shown_first_and_are_one_batch(described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(described_bundle, fragment({"trial": "wide", "node": "x"}))
    viewer.wait_until_shown({"rank": "all", "step": "0", "agg": "batch_mean"})
    everything = np.concatenate([x_of_rank(rank, 0) for rank in range(3)])
    rows = viewer.rows()
    assert float(rows[0].exact) == pytest.approx(everything.mean(), abs=1e-6)
    assert [float(row.exact) for row in rows[4:]] == pytest.approx(everything.mean(axis=0).tolist(), abs=1e-6)
    assert viewer.summary()["shape"] == "18 \u00d7 2"
    assert viewer.enabled_options("aggregation") == ["batch_mean", "batch_abs_max", "batch_std"]
    expect(viewer.element("remark-all-ranks")).to_contain_text("single samples are shown per rank")
    viewer.select_node("loss")
    expect(viewer.element("remark-ranks-differ")).to_contain_text("The ranks differ here")
    viewer.select_node("net.encoder.bias")
    expect(viewer.element("value-count")).to_have_text("Statistics only: recorded values are shown per rank")
    viewer.select_node("net.encoder.weight")
    expect(viewer.element("value-count")).to_have_text("6 values")
    expect(viewer.element("remark-ranks-differ")).to_have_count(0)


def test_changing_the_rank_keeps_the_rest(viewer: Viewer) -> None:
    assert _mean(viewer) == pytest.approx(x_of_rank(1, 10)[3].mean(), abs=1e-6)
    viewer.press_button("rank", "previous")
    viewer.wait_until_shown({**VIEW, "rank": "0"})
    assert _mean(viewer) == pytest.approx(x_of_rank(0, 10)[3].mean(), abs=1e-6)
    # All of them together have no samples; the last rank lacks the step; both come back.
    viewer.press_button("rank", "previous")
    viewer.wait_until_shown({"rank": "all", "step": "0", "agg": "batch_mean", "node": "x"})
    viewer.choose("rank", "2")
    viewer.wait_until_shown({"rank": "2", "step": "0", "agg": "sample_3"})
    viewer.choose("rank", "1")
    viewer.wait_until_shown(VIEW)
    viewer.choose("trial", "run")
    viewer.wait_until_shown({"trial": "run", "rank": ""})
    assert "rank" not in viewer.link()
    viewer.choose("trial", "wide")
    viewer.wait_until_shown({"trial": "wide", "rank": "1"})


def test_a_link_to_a_rank_that_is_not_there(described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(described_bundle, fragment({**VIEW, "rank": "9", "step": 0}))
    viewer.wait_until_shown({"rank": "all"})
    expect(viewer.element("message")).to_contain_text("rank \u201c9\u201d (now \u201call\u201d)")


def test_parts_and_averages(viewer: Viewer) -> None:
    for rank, averaged in (("1", "From this rank alone, not averaged over the ranks."), ("2", "Averaged over the ranks.")):
        viewer.go({**VIEW, "rank": rank, "step": 20, "node": "net.encoder.bias", "role": "net.encoder.bias", "rec": "gradients"})
        viewer.wait_until_shown({"rank": rank, "step": "20", "rec": "gradients"})
        assert viewer.summary()["shard"] == f"part {int(rank) + 1} of 3 of [3]"
        expect(viewer.element("remark-gradient-facts")).to_contain_text(averaged)
    viewer.choose("rank", "all")
    viewer.wait_until_shown({"rank": "all", "node": "net.encoder.bias"})
    assert "shard" not in viewer.summary()
    assert viewer.summary()["shape"] == "3"


def test_other_tabs_are_those_of_the_rank(viewer: Viewer) -> None:
    viewer.element("tab-notes").click()
    expect(viewer.element("note")).to_have_text("step 0from rank 1")
    viewer.choose("rank", "all")
    expect(viewer.element("note")).to_have_count(3)
    viewer.element("tab-graphs").click()
    # The other trial has a curve too.
    expect(viewer.page.locator(".chip-value").first).to_have_text("1")
    viewer.choose("rank", "2")
    expect(viewer.page.locator(".chip-value").first).to_have_text("2")
    viewer.element("tab-about").click()
    viewer.choose("rank", "all")
    expect(viewer.element("gaps")).to_contain_text("step 10 which rank 2 lacks")
    expect(viewer.page.get_by_role("heading", name="Gaps of wide, All ranks together")).to_be_visible()
