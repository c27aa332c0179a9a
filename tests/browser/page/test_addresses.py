"""The address always names exactly what is shown, and an address never breaks the page."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.browser.oracle import Oracle
from support.browser.viewer import SELECTORS, SLIDERS, Link, Viewer, fragment

WALKS = 5
ACTIONS = 14
TABS = ("overview", "tensors", "network", "notes", "graphs", "about")
ANY_VIEW: Link = {"tab": "tensors", "trial": "second", "rec": "forward", "type": "any_value", "step": 5, "it": 1, "agg": "sample_1"}


def _act(viewer: Viewer, generator: random.Random) -> None:
    """Does something that a person could do now."""
    actions = ["option", "button", "button", "key", "node", "neighbour"]
    action = generator.choice(actions)
    # What has one choice is not there.
    selector = generator.choice([name for name in SELECTORS if viewer.control(name).count() > 0])
    if action == "option" and selector not in SLIDERS:
        viewer.choose(selector, generator.choice(viewer.enabled_options(selector)))
    elif action in ("option", "button"):
        buttons = viewer.element(f"selector-{selector}").locator("button:not([aria-disabled=true])").all()
        if buttons:
            generator.choice(buttons).click()
    elif action == "key":
        # Buttons leave the arrow keys to the graph; lists and sliders do not.
        viewer.element(f"previous-{selector}").focus()
        viewer.page.keyboard.press(generator.choice(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]))
    elif action == "node":
        viewer.click_node(generator.choice(viewer.nodes())["number"])
    else:
        chips = viewer.element("neighbours").locator("button.chip").all()
        if chips:
            generator.choice(chips).click()


@pytest.mark.parametrize("seed", range(WALKS))
def test_a_link_shows_the_same_after_any_walk(seed: int, bundle: Path, open_viewer: Callable[..., Viewer], oracle: Oracle) -> None:
    generator = random.Random(seed)
    viewer = open_viewer(bundle)
    for _ in range(ACTIONS):
        _act(viewer, generator)
        # The steps' descriptions come after a moment; a person cannot choose from lists that are not there yet.
        viewer.rows()
    link = oracle.check(viewer)
    other = open_viewer(viewer.address())
    assert other.link() == link
    assert other.summary() == viewer.summary()
    assert other.rows() == viewer.rows()
    assert other.edges() == viewer.edges()
    expect(other.element("message")).to_have_count(0)


def test_a_link_opens_its_tab_and_keeps_the_selection(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(ANY_VIEW))
    selection = viewer.link()
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        assert viewer.link() == {**selection, "tab": tab}
    other = open_viewer(viewer.address(), wait=False)
    expect(other.element("tab-about")).to_have_attribute("aria-selected", "true")
    other.element("tab-tensors").click()
    assert other.link() == selection


def test_a_link_pasted_into_an_open_page_is_followed(bundle: Path, open_viewer: Callable[..., Viewer], oracle: Oracle) -> None:
    """Even the one that the page was opened with."""
    viewer = open_viewer(bundle, fragment(ANY_VIEW))
    before = viewer.link()
    viewer.press_button("step", "next")
    assert viewer.link() != before
    viewer.go({key: value for key, value in before.items() if key != "v"})
    viewer.wait_until_shown({key: value for key, value in before.items() if key != "v"})
    assert oracle.check(viewer) == before


def test_a_link_that_comes_while_the_address_is_about_to_be_written(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    """The address is written with a delay, when the page finds the time; that must not overwrite a link that is yet to be followed."""
    viewer = open_viewer(bundle, fragment(ANY_VIEW))
    viewer.link()
    for iteration in (0, 2):
        viewer.press_button("iteration", "previous" if iteration == 0 else "next")
        viewer.wait_until_shown({"it": iteration})
        wanted = {**ANY_VIEW, "agg": "batch_std"}
        viewer.page.evaluate(
            """hash => {
              setTimeout(() => { location.hash = hash; }, 0);
              const end = Date.now() + 500;
              while (Date.now() < end);
            }""",
            fragment(wanted),
        )
        viewer.wait_until_shown(wanted)


def test_the_back_button_undoes_changes_and_the_forward_button_makes_them_again(
    bundle: Path, open_viewer: Callable[..., Viewer], oracle: Oracle
) -> None:
    viewer = open_viewer(bundle, fragment(ANY_VIEW))
    links = [viewer.link()]
    for change in ("previous-iteration", "tab-notes"):
        # What follows more quickly than this belongs to the same change.
        viewer.page.wait_for_timeout(1100)
        viewer.element(change).click()
        links.append(viewer.link())
    assert len({str(link) for link in links}) == 3
    for link in (links[1], links[0]):
        viewer.page.go_back()
        viewer.wait_until_shown({key: value for key, value in link.items() if key != "v"})
    assert oracle.check(viewer) == links[0]
    viewer.page.go_forward()
    viewer.wait_until_shown({key: value for key, value in links[1].items() if key != "v"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"trial": "third"}, ("third", "trial")),
        ({"step": 7}, ("7", "step")),
        ({"it": 99}, ("99", "iteration")),
        ({"node": "nowhere", "role": "nowhere"}, ("nowhere", "node")),
        ({"node": "output", "role": "nobody"}, ("nobody", "role")),
        ({"rec": "no such loss"}, ("no such loss", "recording")),
        ({"agg": "sample_5"}, ("sample_5", "sample")),
        ({"type": "test"}, ("test", "type")),
    ],
)
def test_a_link_to_something_missing_says_so(
    change: dict[str, str], said: tuple[str, str], bundle: Path, visit: Callable[..., Viewer], oracle: Oracle
) -> None:
    viewer = visit(bundle, {**ANY_VIEW, **change}, wait=False)
    message = viewer.element("message")
    for part in said:
        expect(message).to_contain_text(part)
    oracle.check(viewer)
    message.get_by_role("button").click()
    expect(message).to_have_count(0)


def _garbage(generator: random.Random) -> str:
    """Something like an address, but broken somewhere."""
    alphabet = "abv1=&%#?/\\+.,;:'\"<>{}[]() \t0123456789-_~\u00e9\u202e\U0001f994\u0000"
    noise = "".join(generator.choice(alphabet) for _ in range(generator.randrange(60)))
    values = [noise, "", "-1", "1e9", "NaN", "__proto__", "constructor", "9" * 30, "%", "%ff%fe", "%ed%a0%80", "null"]
    keys = ["v", "tab", *SELECTORS.values(), "node", "__proto__", noise]
    pairs = [f"{generator.choice(keys)}={generator.choice(values)}" for _ in range(generator.randrange(8))]
    return generator.choice([noise, "v=1&" + "&".join(pairs), "&".join(pairs) + noise, "v=1" + noise * 20])


def test_garbage_never_breaks_an_open_page(bundle: Path, open_viewer: Callable[..., Viewer], oracle: Oracle) -> None:
    viewer = open_viewer(bundle)
    generator = random.Random(0)
    for _ in range(50):
        viewer.page.evaluate("hash => { location.hash = hash; }", _garbage(generator))
        viewer.page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 0))")
        viewer.page.wait_for_function("() => document.querySelector('[data-testid=value-row] [data-testid=value]') !== null")
    viewer.element("tab-tensors").click()
    messages = viewer.element("message")
    while messages.count():
        messages.first.get_by_role("button").click()
    viewer.go(ANY_VIEW)
    viewer.wait_until_shown(ANY_VIEW)
    oracle.check(viewer)


def test_garbage_never_breaks_opening(bundle: Path, open_viewer: Callable[..., Viewer], oracle: Oracle) -> None:
    generator = random.Random(1)
    for _ in range(4):
        viewer = open_viewer(bundle, "#" + _garbage(generator), wait=False)
        viewer.element("tab-tensors").click()
        viewer.rows()
        oracle.check(viewer)
