"""What there is to see in an open page, and whether it is again what it was when the page was opened."""

from __future__ import annotations

from playwright.sync_api import JSHandle, Page

__all__ = ["Looks"]

# The elements with their attributes and texts, what is typed, chosen and scrolled, what is stored, and where Cytoscape has drawn what.
_READ = """() => {
  const parts = [];
  const read = (node) => {
    if (!(node instanceof Element)) {
      parts.push(node.nodeValue);
      return;
    }
    if (node instanceof HTMLScriptElement || node instanceof HTMLTemplateElement) {
      return;
    }
    // Preact gives every new component a new id, and writes attributes in any order.
    const attributes = [...node.attributes].map(({ name, value }) => `${name}=${value.replaceAll(/P[0-9]+-[0-9]+/g, "P")}`).sort();
    parts.push(node.tagName, ...attributes);
    if (node.scrollLeft !== 0 || node.scrollTop !== 0) {
      parts.push(node.scrollLeft, node.scrollTop);
    }
    if ("value" in node || "checked" in node) {
      parts.push(node.value, node.checked);
    }
    if (node._cyreg?.cy) {
      const { cy } = node._cyreg;
      parts.push(JSON.stringify([cy.pan(), cy.zoom(), cy.elements().map((one) => [one.id(), one.position(), one.classes()])]));
    }
    node.childNodes.forEach(read);
    parts.push("/");
  };
  parts.push(...[...document.documentElement.attributes].map(({ name, value }) => `${name}=${value}`).sort());
  read(document.body);
  parts.push(...[localStorage, sessionStorage].map((store) => JSON.stringify(Object.entries(store).sort())));
  return parts.join("\\n");
}"""
_FRAME = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
# What there is to see once it has been the same for some frames, and the address of it.
_AT_REST = f"""async () => {{
  const [read, frame] = [{_READ}, {_FRAME}];
  let [text, same] = [read(), 0];
  for (let k = 0; k < 120 && (same < 5 || !location.hash.includes("tab=")); k += 1) {{
    await frame();
    const now = read();
    same = now === text ? same + 1 : 0;
    text = now;
  }}
  return {{ text, hash: location.hash, stores: [{{ ...localStorage }}, {{ ...sessionStorage }}] }};
}}"""
# Goes back to what was to be seen at first, and says whether that succeeds within some frames. Most tabs begin anew after another tab.
_GO_BACK = f"""async (first) => {{
  const [read, frame] = [{_READ}, {_FRAME}];
  document.activeElement?.blur();
  [localStorage, sessionStorage].forEach((store, k) => {{ store.clear(); Object.assign(store, first.stores[k]); }});
  location.hash = first.hash.replace(/(?<=tab=)[a-z]+/, (tab) => (tab === "about" ? "notes" : "about"));
  await frame();
  await frame();
  location.hash = first.hash;
  let [text, same] = ["", 0];
  for (let k = 0; k < 60 && text !== first.text && same < 5; k += 1) {{
    await frame();
    for (const element of document.querySelectorAll("*")) {{
      if (element.scrollTop !== 0 || element.scrollLeft !== 0) {{
        element.scrollTo(0, 0);
      }}
    }}
    const now = read();
    same = now === text ? same + 1 : 0;
    text = now;
  }}
  return text === first.text;
}}"""


class Looks:
    """What there is to see in a page that has just been opened, once it is at rest."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._first: JSHandle = page.evaluate_handle(_AT_REST)

    def come_back(self) -> bool:
        """Follows the link with which the page was opened, and returns whether all that there is to see is as it was then.

        Raises:
            Error: The page has been closed, or has been left for another one.
        """
        is_as_first: bool = self._page.evaluate(_GO_BACK, self._first)
        return is_as_first
