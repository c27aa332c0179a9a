"""A gallery in a browser: it is searched without a server, by mouse and keyboard, and everyone can read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from playwright.sync_api import Page, expect

import comgra_export
from comgra_export.gallery import write_gallery
from support.browser.axe import in_all_colors, violations
from support.exporter.recordings import write_trial


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gallery of two pages, one with a picture."""
    folder = tmp_path_factory.mktemp("gallery")
    write_trial(folder / "runs")
    (folder / "reports").mkdir()
    for title in ("Residual network", "Transformer with a very-" + "long" * 30 + " name"):
        comgra_export.export(folder / "runs", folder / "reports" / f"{title[:8]}.html", title=title, description=f"About the {title[:8]}.")
    plt.imsave(folder / "reports" / "Residual.png", np.zeros((90, 160)))
    return write_gallery(folder / "reports", folder / "site", title="Runs", description="All of them.").page


def test_words_choose_the_cards(site: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(site, wait=False)
    cards = page.get_by_role("listitem")
    expect(cards).to_have_count(2)
    page.get_by_label("Search").fill("RESIDUAL about")
    expect(cards).to_have_count(1)
    expect(page.get_by_role("status")).to_have_text("1 of 2")
    page.get_by_label("Search").fill("<b>")
    expect(cards).to_have_count(0)
    page.get_by_label("Search").fill("")
    expect(cards).to_have_count(2)
    assert page.evaluate("document.querySelector('img').naturalWidth") == 160


def test_a_card_opens_its_page(site: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(site, wait=False)
    page.get_by_role("link", name="Residual network").press("Enter")
    expect(page).to_have_title("Residual network")


def test_everyone_can_read_it(site: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(site, wait=False)
    assert not violations(page)
    for _ in in_all_colors(page):
        assert not violations(page)


def test_it_fits_a_phone(site: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(site, wait=False)
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
