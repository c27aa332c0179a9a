/** SVG as plain data: written as text for a file, or as elements of the page for paper. */

export interface SvgElement {
  name: string;
  attributes: Readonly<Record<string, string | number>>;
  children: readonly (SvgElement | string)[];
}

const NAMESPACE = "http://www.w3.org/2000/svg";

/** What XML does not allow even escaped: most control characters, and halves of characters. */
const NOT_XML =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML forbids.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Marks of directions, which a line break would separate from their ends. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

export function element(name: string, attributes: SvgElement["attributes"], ...children: SvgElement["children"]): SvgElement {
  return { name, attributes, children };
}

/** Text at a place, `size` pixels high. Marks that turn the writing direction are replaced: they would turn the rest of a caption. */
export function textElement(content: string, x: number, y: number, size: number, attributes: SvgElement["attributes"] = {}): SvgElement {
  return element("text", { x, y, "font-size": size, ...attributes }, content.replace(TURNS, "\ufffd"));
}

/** The element as XML. Whatever the names in it hold, the result is well-formed. */
export function markup({ name, attributes, children }: SvgElement): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(valueText(value))}"`)
    .join("");
  const inner = children.map((child) => (typeof child === "string" ? escaped(child) : markup(child))).join("");
  return inner === "" ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`;
}

/** The element as a file of its own. */
export function svgFile(root: SvgElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${markup({ ...root, attributes: { xmlns: NAMESPACE, ...root.attributes } })}\n`;
}

/** The element for the page. */
export function pageElement({ name, attributes, children }: SvgElement): SVGElement {
  const created = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    created.setAttribute(key, valueText(value));
  }
  created.append(...children.map((child) => (typeof child === "string" ? child : pageElement(child))));
  return created;
}

function escaped(text: string): string {
  return text.replace(NOT_XML, "\ufffd").replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character]!);
}

/** Hundredths of a pixel are not seen. */
function valueText(value: string | number): string {
  return typeof value === "string" ? value : rounded(value);
}

export function rounded(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** `M0,1L2,3`: a line through points. */
export function linePath(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], k) => `${k === 0 ? "M" : "L"}${rounded(x)},${rounded(y)}`).join("");
}
