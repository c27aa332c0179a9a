/** A figure for a paper or an issue: a drawing on white, and below it what it shows. */

import { element, type SvgElement, textElement } from "./svg";
import { wrapped } from "./text";

export interface Drawing {
  width: number;
  height: number;
  content: readonly SvgElement[];
}

export type Fact = readonly [name: string, value: string];

export interface Figure {
  title: string;
  drawing: Drawing;
  /** What is shown, as names and values. */
  facts: readonly Fact[];
  /** Sentences about what is not as one might expect. */
  remarks: readonly string[];
  /** What wrote it, small. */
  source: string;
  /** What the file's name says. */
  nameParts: readonly string[];
}

/** Generic, since the figure is opened elsewhere. */
export const FONT = "Helvetica, Arial, sans-serif";

const MARGIN = 16;
const NARROWEST = 520;
/** A figure that is wider than this is shown smaller, so that its caption is written larger. */
const USUAL_WIDTH = 1200;
const LONGEST_VALUE = 200;

/** The whole figure with its caption. */
export function figureElement({ title, drawing, facts, remarks, source }: Figure): SvgElement {
  const width = Math.max(NARROWEST, drawing.width) + 2 * MARGIN;
  const scale = Math.max(1, width / USUAL_WIDTH);
  const lines = [
    ...wrapped(shortened(title), width - 2 * MARGIN, 15 * scale).map((text) => ({ text, size: 14, weight: 700, color: "#1b1f24" })),
    ...wrapped([...facts.map(([name, value]) => `${name}: ${shortened(value)}`)].join("\u00a0\u00b7 "), width - 2 * MARGIN, 12 * scale).map(
      (text) => ({ text, size: 12, weight: 400, color: "#1b1f24" }),
    ),
    ...remarks
      .flatMap((remark) => wrapped(remark, width - 2 * MARGIN, 12 * scale))
      .map((text) => ({ text, size: 12, weight: 400, color: "#1b1f24" })),
    ...wrapped(source, width - 2 * MARGIN, 9 * scale).map((text) => ({ text, size: 9, weight: 400, color: "#58606b" })),
  ];
  let y = MARGIN + drawing.height + 10 * scale;
  const caption = lines.map(({ text, size, weight, color }) => {
    y += size * 1.4 * scale;
    return textElement(text, MARGIN, y, size * scale, { "font-weight": weight, fill: color });
  });
  const height = Math.ceil(y + MARGIN);
  return element(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT },
    element("title", {}, title),
    element("desc", {}, [...facts.map(([name, value]) => `${name}: ${value}`), ...remarks].join("; ")),
    element("rect", { width, height, fill: "#ffffff" }),
    element("g", { class: "drawing", transform: `translate(${(width - drawing.width) / 2} ${MARGIN})` }, ...drawing.content),
    element("g", { class: "caption" }, ...caption),
  );
}

function shortened(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}\u2026`;
}
