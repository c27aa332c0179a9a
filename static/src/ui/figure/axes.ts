/** The frame of a plot: grid, ticks and what is written beside them. */

import type { Scale } from "./scale";
import { ticksOf, tickTexts } from "./scale";
import { element, type SvgElement, textElement } from "./svg";

/** Where the plot lies in its drawing. */
export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

export const INK = "#1b1f24";
const GRID = "#e3e6eb";
const FRAME = "#58606b";
export const SIZE = 12;
const TICK = 5;

interface Labels {
  x: string;
  y: string;
}

export interface Tick {
  value: number;
  text: string;
}

export function xOn(area: Area, scale: Scale, value: number): number {
  return area.left + scale.place(value) * area.width;
}

export function yOn(area: Area, scale: Scale, value: number): number {
  return area.top + (1 - scale.place(value)) * area.height;
}

/** Grid and axes with ticks; `labels` say what the axes are. */
export function frame(area: Area, x: Scale, y: Scale, labels: Labels, onX: readonly Tick[]): SvgElement[] {
  const bottom = area.top + area.height;
  const ticksX = onX.map(({ value, text }) => ({ text, at: xOn(area, x, value) }));
  const ticksY = withTexts(ticksOf(y, 6)).map(({ value, text }) => ({ text, at: yOn(area, y, value) }));
  return [
    element(
      "g",
      { class: "grid", stroke: GRID, "stroke-width": 1 },
      ...ticksX.map(({ at }) => line(at, area.top, at, bottom)),
      ...ticksY.map(({ at }) => line(area.left, at, area.left + area.width, at)),
    ),
    element(
      "g",
      { class: "axis-x", fill: INK, stroke: "none", "text-anchor": "middle" },
      ...ticksX.flatMap(({ text, at }) => [line(at, bottom, at, bottom + TICK, FRAME), textElement(text, at, bottom + TICK + SIZE, SIZE)]),
    ),
    element(
      "g",
      { class: "axis-y", fill: INK, stroke: "none", "text-anchor": "end" },
      ...ticksY.flatMap(({ text, at }) => [
        line(area.left - TICK, at, area.left, at, FRAME),
        textElement(text, area.left - TICK - 3, at + SIZE / 3, SIZE),
      ]),
    ),
    element("path", { d: `M${area.left},${area.top}V${bottom}H${area.left + area.width}`, fill: "none", stroke: FRAME, "stroke-width": 1 }),
    textElement(labels.x, area.left + area.width / 2, bottom + TICK + 2.4 * SIZE, SIZE, { fill: INK, "text-anchor": "middle" }),
    textElement(labels.y, 0, 0, SIZE, {
      fill: INK,
      "text-anchor": "middle",
      transform: `translate(${SIZE} ${area.top + area.height / 2}) rotate(-90)`,
    }),
  ];
}

function withTexts(ticks: readonly number[]): Tick[] {
  const texts = tickTexts(ticks);
  return ticks.map((value, k) => ({ value, text: texts[k]! }));
}

/** Room below a plot for its ticks and what the axis is. */
export const BELOW = TICK + 3 * SIZE;

function line(x1: number, y1: number, x2: number, y2: number, stroke?: string): SvgElement {
  return element("line", { x1, y1, x2, y2, ...(stroke !== undefined && { stroke }) });
}
