"""A script of the author's runs in a frame of its own: it reaches neither the page nor any address, and what it sends is checked."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Frame, Page, Playwright, expect

from comgra_export import export
from support.browser.firefox import start_firefox
from support.browser.viewer import Link, Viewer, fragment
from support.exporter.recordings import write_trial

# What a script tries, and what comes of it; `elsewhere` is an address that notices every connection.
QUIET_WAYS = """async elsewhere => {
  const element = (name, attributes) => {
    const made = Object.assign(document.createElement(name), attributes);
    document.body.append(made);
    return made;
  };
  const ways = {
    top: () => { top.location.href = elsewhere; },
    linkIntoThePage: () => element("a", { target: "_top", href: elsewhere }).click(),
    linkToAWindow: () => element("a", { target: "_blank", href: elsewhere }).click(),
    window: () => open(elsewhere).name,
    fetch: () => fetch(elsewhere),
    image: () => new Promise((done, fail) => element("img", { onload: done, onerror: () => fail(new Error("no image")), src: elsewhere })),
    style: () => element("link", { rel: "stylesheet", href: elsewhere }).sheet.cssRules,
    script: () => void element("script", { src: elsewhere }),
    beacon: () => void navigator.sendBeacon(elsewhere),
    frame: () => void element("iframe", { src: elsewhere }),
    form: () => element("form", { action: elsewhere, target: "_blank" }).submit(),
    readThePage: () => parent.document.title,
    changeThePage: () => { parent.document.title = "changed"; },
    storage: () => localStorage.length,
    evaluate: () => eval("1 + 1"),
    webrtc: () => new RTCPeerConnection(),
    webrtcOfAFrame: () => new (element("iframe", {}).contentWindow.RTCPeerConnection)(),
  };
  const succeeded = [];
  for (const [name, way] of Object.entries(ways)) {
    try {
      const got = await way();
      got !== undefined && succeeded.push(`${name}: ${got}`);
    } catch {}
  }
  return succeeded;
}"""
# Each of these may end the frame.
LEAVING_WAYS = [
    "elsewhere => { location.href = elsewhere; }",
    "elsewhere => { const a = document.createElement('a'); a.href = elsewhere; document.body.append(a); a.click(); }",
    "elsewhere => { const a = document.createElement('a'); a.download = 'x'; a.href = elsewhere; document.body.append(a); a.click(); }",
    """elsewhere => {
      const meta = Object.assign(document.createElement("meta"), { httpEquiv: "refresh", content: `0;${elsewhere}` });
      document.head.append(meta);
    }""",
]
# It also puts itself into a frame, to which nobody has done anything yet.
SCRIPT = """
parent.postMessage({ webrtc: typeof RTCPeerConnection, inside: document.title !== "Drawings" }, "*");
if (document.title === "Drawings") {
  const again = document.createElement("iframe");
  again.srcdoc = "<script>" + document.currentScript.textContent + "<" + "/script>";
  document.body.append(again);
  addEventListener("message", ({ data }) => data.inside && parent.postMessage(data, "*"));
}
comgraVisualize("Drawn", async ({ element, data }) => {
  element.textContent = `${(await data.values(data.tensors()[0].name)).length} values`;
  element.dataset.testid = "drawn";
});
"""
# Heights, requests and pictures as nobody should send them, and a picture that wants to run something.
HOSTILE = """
const svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='document.title = 1'><script>document.title = 2<" + "/script></svg>";
for (const message of [null, 7, "x", [], { height: NaN }, { height: 1e9 }, { height: "3" }, { kind: "request" }, { kind: "view" },
  { kind: "request", id: 1, view: 1, call: "constructor", tensor: "", wanted: {} }, { kind: "answer", id: 1 },
  { kind: "request", id: 2, view: 1, call: "values", tensor: {}, wanted: null }, { kind: "pictures", pictures: [null, { svg: 3 }] },
  { kind: "pictures", pictures: [{ title: "<b>bold", width: 10, height: 10, svg }] }]) {
  parent.postMessage(message, "*");
}
"""
DRAW_THEME = """
comgraVisualize("Theme", ({ element, dark }) => {
  const color = getComputedStyle(document.documentElement).getPropertyValue("--text");
  const high = document.createElement("div");
  high.style.height = "900px";
  element.dataset.testid = "theme";
  element.replaceChildren(`${dark} ${color} ${element.clientWidth}`, high);
});
"""
VIEW: Link = {"tab": "visualization", "trial": "second", "rec": "forward", "type": "any_value", "step": 5, "it": 1, "agg": "batch_mean"}


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def any_browser(request: pytest.FixtureRequest, playwright: Playwright) -> Iterator[Browser]:
    if request.param == "chromium":
        yield request.getfixturevalue("browser")
        return
    browser, reason = start_firefox(playwright)
    if browser is None:
        pytest.skip(f"No Firefox: {reason}. `make browser-tests` installs one where it can")
    yield browser
    browser.close()


def with_script(recordings: Path, output: Path, script: str) -> Path:
    file = output.with_name("own.js")
    file.write_text(script, encoding="utf-8")
    written = export(recordings, output, visualization=file).path
    return written if written.suffix else written / "index.html"


def drawn_in(page: Page, address: str) -> Frame:
    page.goto("about:blank")
    page.goto(address)
    expect(page.frame_locator("iframe").get_by_test_id("drawn")).to_have_text("3 values")
    return page.frames[1]


def test_a_script_draws_and_reaches_nothing(any_browser: Browser, tmp_path: Path) -> None:
    write_trial(tmp_path / "runs")
    shape = "report" if any_browser.browser_type.name == "chromium" else "report.html"
    # It has a context of its own, since what is refused is reported in the console.
    page = any_browser.new_page()
    page.add_init_script("window.heard = []; addEventListener('message', ({ data }) => heard.push(data))")
    address = with_script(tmp_path / "runs", tmp_path / shape, SCRIPT).as_uri() + "#v=1&tab=visualization"
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        elsewhere = f"http://127.0.0.1:{server.getsockname()[1]}/"
        frame = drawn_in(page, address)
        title = page.title()
        assert frame.evaluate(QUIET_WAYS, elsewhere) == []
        heard = page.evaluate("heard.filter(({ webrtc }) => webrtc)")
        assert sorted(heard, key=lambda message: message["inside"]) == [
            {"webrtc": "undefined", "inside": False},
            {"webrtc": "undefined", "inside": True},
        ]
        for way in LEAVING_WAYS:
            drawn_in(page, address).evaluate(way, elsewhere)
            page.wait_for_timeout(200)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert (page.title(), len(page.context.pages)) == (title, 1)
    assert page.url.startswith(address)
    page.context.close()


def test_hostile_messages_change_nothing(group: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(with_script(group, tmp_path / "page.html", HOSTILE), fragment(VIEW), wait=False)
    expect(viewer.page.frame_locator("iframe").get_by_test_id("visualization-empty")).to_be_visible()
    title = viewer.page.title()
    viewer.page.wait_for_function("() => document.querySelector('iframe').clientHeight < 100")
    viewer.page.emulate_media(media="print")
    viewer.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert viewer.element("print-drawings").locator("h3").all_inner_texts() == ["<b>bold"]
    assert viewer.page.title() == title
    viewer.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    viewer.page.emulate_media(media="screen")
    viewer.element("tab-tensors").click()
    assert viewer.rows()


def test_a_drawing_follows_the_theme_and_has_the_room_that_it_needs(
    group: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(with_script(group, tmp_path / "page.html", DRAW_THEME), fragment(VIEW), wait=False, color_scheme="light")
    inside = viewer.page.frame_locator("iframe").get_by_test_id("theme")
    expect(inside).to_contain_text("false")
    viewer.page.wait_for_function("() => document.querySelector('iframe').clientHeight > 900")
    _, light, width = inside.inner_text().split(" ")
    viewer.page.emulate_media(color_scheme="dark")
    expect(inside).to_contain_text("true")
    assert light not in inside.inner_text()
    viewer.page.set_viewport_size({"width": 700, "height": 900})
    assert inside.evaluate("element => element.clientWidth") < 700 < int(width)
