/** A part of the page as a drawing: its texts, boxes, charts and pictures where they stand. For views that have no figure of their own. */

import type { Drawing } from "./figure";
import { element, type SvgElement, textElement } from "./svg";

/** The colours are those of paper while an element has this class. */
const PAPER = "paper";

/** A list may be as long as it likes: what comes after so many texts and boxes is left out. */
const MOST_ELEMENTS = 20_000;

/** The place of the baseline of a line of text, as a part of its height. */
const BASELINE = 0.79;

/** What is copied of an element of a chart as it is written, and what the style sheet says of it. */
const GEOMETRY =
  "x y x1 x2 y1 y2 cx cy r rx ry width height d points transform viewBox preserveAspectRatio text-anchor dominant-baseline offset".split(
    " ",
  );
const INK = "fill fill-opacity stroke stroke-width stroke-dasharray stroke-opacity opacity font-size font-weight text-anchor".split(" ");
const CHART_PARTS: ReadonlySet<string> = new Set("svg g path line polyline polygon circle ellipse rect text tspan".split(" "));

/** Words whose tops differ by less are on one line. */
const SAME_LINE = 2;

/** A line of text as high as the browser wants it, of its letters. */
const LINE = 1.2;

/** Below the last line. */
const MARGIN = 12;

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What is drawn, from where its places are counted, and how far down something is. */
interface Canvas {
  content: SvgElement[];
  x: number;
  y: number;
  bottom: number;
}

/** What is shown of `part` now, all of it that can be scrolled to. Controls that are no text are left out. */
export function drawingOf(part: HTMLElement): Drawing {
  const frame = part.getBoundingClientRect();
  const canvas: Canvas = { content: [], x: frame.left - part.scrollLeft, y: frame.top - part.scrollTop, bottom: 0 };
  const hadPaper = part.classList.contains(PAPER);
  part.classList.add(PAPER);
  try {
    const all: Box = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
    for (const child of part.childNodes) {
      drawNode(child, canvas, all);
    }
  } finally {
    part.classList.toggle(PAPER, hadPaper);
  }
  return { width: part.scrollWidth, height: Math.min(part.scrollHeight, canvas.bottom + MARGIN), content: canvas.content };
}

function drawNode(node: Node, canvas: Canvas, clip: Box): void {
  if (canvas.content.length >= MOST_ELEMENTS) {
    return;
  }
  if (node instanceof Text) {
    drawText(node, canvas, clip);
  } else if (node instanceof SVGSVGElement) {
    const { left, top, width, height } = node.getBoundingClientRect();
    if (isSeen(node) && width > 0) {
      canvas.bottom = Math.max(canvas.bottom, top + height - canvas.y);
      const chart = chartElement(node);
      const place = { x: left - canvas.x, y: top - canvas.y, width, height };
      canvas.content.push(...boxOf(getComputedStyle(node), place), { ...chart, attributes: { ...chart.attributes, ...place } });
    }
  } else if (node instanceof HTMLElement && isSeen(node)) {
    drawElement(node, canvas, clip);
  }
}

function drawElement(node: HTMLElement, canvas: Canvas, clip: Box): void {
  const { left, top, right, bottom, width, height } = node.getBoundingClientRect();
  const style = getComputedStyle(node);
  const place = { x: left - canvas.x, y: top - canvas.y, width, height };
  if (node instanceof HTMLCanvasElement) {
    canvas.bottom = Math.max(canvas.bottom, place.y + height);
    canvas.content.push(...(width > 0 && node.width > 0 ? [element("image", { ...place, href: node.toDataURL() })] : []));
    return;
  }
  canvas.content.push(...boxOf(style, place), ...markerOf(node, style, place), ...signBefore(node, style, place));
  const isCut = style.overflowX !== "visible" || style.overflowY !== "visible";
  const within = isCut
    ? {
        left: Math.max(clip.left, left),
        top: Math.max(clip.top, top),
        right: Math.min(clip.right, right),
        bottom: Math.min(clip.bottom, bottom),
      }
    : clip;
  const isClosed = node instanceof HTMLDetailsElement && !node.open;
  for (const child of isClosed ? node.querySelectorAll(":scope > summary") : node.childNodes) {
    drawNode(child, canvas, within);
  }
}

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What stands before an item of a list, or before what opens and closes: a disc, a number or a triangle. It is no text of the page. */
function markerOf(node: HTMLElement, style: CSSStyleDeclaration, { x, y }: Place): SvgElement[] {
  const kind = style.display === "list-item" ? style.listStyleType : "none";
  const size = Number.parseFloat(style.fontSize);
  const line = Number.parseFloat(style.lineHeight) || LINE * size;
  const middle = y + (Number.parseFloat(style.paddingTop) || 0) + line / 2;
  if (kind === "decimal") {
    const number = [...(node.parentElement?.children ?? [])].indexOf(node) + 1;
    return [textElement(`${number}.`, x - size / 3, middle + size / 3, size, { fill: style.color, "text-anchor": "end" })];
  }
  if (kind === "disc") {
    return [element("circle", { class: "marker", cx: x - 0.8 * size, cy: middle, r: size / 6, fill: style.color })];
  }
  if (kind.startsWith("disclosure")) {
    const [left, half] = [x + (Number.parseFloat(style.paddingLeft) || 0) + 1, size / 4];
    const d =
      kind === "disclosure-open"
        ? `M${left},${middle - half / 2}h${2 * half}l${-half},${1.5 * half}Z`
        : `M${left},${middle - half}l${1.5 * half},${half}l${-1.5 * half},${half}Z`;
    return [element("path", { class: "marker", d, fill: style.color })];
  }
  return [];
}

/** A sign that the style sheet puts before a text. */
function signBefore(node: HTMLElement, style: CSSStyleDeclaration, { x, y, height }: Place): SvgElement[] {
  const { content, position, fontWeight } = getComputedStyle(node, "::before");
  const [, sign = ""] = /^"([^"]*)"$/.exec(content) ?? [];
  const size = Number.parseFloat(style.fontSize);
  return sign.trim() === "" || position === "absolute"
    ? []
    : [
        textElement(sign.trim(), x + (Number.parseFloat(style.paddingLeft) || 0), y + height / 2 + size / 3, size, {
          fill: style.color,
          "font-weight": fontWeight,
        }),
      ];
}

/** The background and the border, as far as they are seen. */
function boxOf(style: CSSStyleDeclaration, place: Place): SvgElement[] {
  const { x, y, width, height } = place;
  const [above, below] = [Number.parseFloat(style.borderTopWidth), Number.parseFloat(style.borderBottomWidth)];
  const [before, after] = [Number.parseFloat(style.borderLeftWidth), Number.parseFloat(style.borderRightWidth)];
  const isFilled = !/^(transparent|rgba\(0, 0, 0, 0\))$/.test(style.backgroundColor);
  const isFramed = above > 0 && below > 0 && before > 0 && after > 0;
  const line = (at: number, thickness: number, stroke: string): SvgElement[] =>
    thickness > 0 && !isFramed ? [element("line", { x1: x, x2: x + width, y1: at, y2: at, stroke, "stroke-width": thickness })] : [];
  const upright = (at: number, thickness: number, stroke: string): SvgElement[] =>
    thickness > 0 && !isFramed ? [element("line", { x1: at, x2: at, y1: y, y2: y + height, stroke, "stroke-width": thickness })] : [];
  return [
    ...(isFilled || isFramed
      ? [
          element("rect", {
            ...place,
            rx: Number.parseFloat(style.borderTopLeftRadius) || 0,
            fill: isFilled ? style.backgroundColor : "none",
            ...(isFramed && { stroke: style.borderTopColor, "stroke-width": above }),
          }),
        ]
      : []),
    ...line(y + above / 2, above, style.borderTopColor),
    ...line(y + height - below / 2, below, style.borderBottomColor),
    ...upright(x + before / 2, before, style.borderLeftColor),
    ...upright(x + width - after / 2, after, style.borderRightColor),
  ];
}

interface TextLine extends Box {
  text: string;
}

/** Draws the lines of a text. Each is as long as it is on the page, whatever the font is elsewhere. */
function drawText(text: Text, canvas: Canvas, clip: Box): void {
  const style = getComputedStyle(text.parentElement!);
  for (const { text: line, left, right, top, bottom } of linesOf(text, clip)) {
    const baseline = top - canvas.y + BASELINE * (bottom - top);
    canvas.bottom = Math.max(canvas.bottom, bottom - canvas.y);
    canvas.content.push(
      textElement(line, left - canvas.x, baseline, Number.parseFloat(style.fontSize), {
        fill: style.color,
        "font-weight": style.fontWeight,
        textLength: right - left,
        lengthAdjust: "spacingAndGlyphs",
        ...(isUnderlined(text) && { "text-decoration": "underline" }),
        ...(style.fontFamily.includes("mono") && { "font-family": "monospace" }),
      }),
    );
  }
}

/** What is in a link does not know by itself that the link is underlined. */
function isUnderlined(text: Text): boolean {
  const link = text.parentElement!.closest("a");
  return link !== null && getComputedStyle(link).textDecorationLine.includes("underline");
}

/** What of a text is in sight, line by line. */
function linesOf(text: Text, clip: Box): TextLine[] {
  const lines: TextLine[] = [];
  const range = document.createRange();
  const add = (from: number, to: number, gap: string): void => {
    range.setStart(text, from);
    range.setEnd(text, to);
    const places = range.getClientRects();
    if (places.length > 1 && to - from > 1) {
      // A word that is broken.
      for (let at = from; at < to; at++) {
        add(at, at + 1, at === from ? gap : "");
      }
      return;
    }
    const { left, top, right, bottom } = range.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (right <= left || x < clip.left || x > clip.right || y < clip.top || y > clip.bottom) {
      return;
    }
    const line = lines.at(-1);
    if (line !== undefined && Math.abs(line.top - top) < SAME_LINE) {
      line.text += gap + text.data.slice(from, to);
      line.right = right;
    } else {
      lines.push({ text: text.data.slice(from, to), left, right, top, bottom });
    }
  };
  for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
    add(index, index + word.length, " ");
  }
  return lines;
}

/** A chart with the colours that the style sheet gives it. */
function chartElement(node: SVGElement): SvgElement {
  const style = getComputedStyle(node);
  const attributes: Record<string, string> = {};
  for (const name of GEOMETRY) {
    const value = node.getAttribute(name);
    if (value !== null) {
      attributes[name] = value;
    }
  }
  for (const name of INK) {
    const value = style.getPropertyValue(name);
    if (value !== "" && node instanceof SVGElement && !(node instanceof SVGSVGElement)) {
      attributes[name] = value;
    }
  }
  const children = [...node.childNodes].flatMap((child): SvgElement["children"] =>
    child instanceof Text ? [child.data] : child instanceof SVGElement && CHART_PARTS.has(child.localName) ? [chartElement(child)] : [],
  );
  return element(node.localName, attributes, ...children);
}

/** What is only said to a screen reader has no place on paper. */
function isSeen(node: Element): boolean {
  const { display, visibility } = getComputedStyle(node);
  return (
    display !== "none" && visibility !== "hidden" && !node.classList.contains("visually-hidden") && !node.matches("select, input, dialog")
  );
}
