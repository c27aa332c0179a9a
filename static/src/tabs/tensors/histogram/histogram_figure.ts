/** A histogram as a figure. */

import type { Census } from "../../../kits/heatmap/value_census";
import { type Area, BELOW, INK, SIZE } from "../../../ui/figure/axes";
import type { Drawing } from "../../../ui/figure/figure";
import { scaleOf, ticksOf } from "../../../ui/figure/scale";
import { element, type SvgElement, textElement } from "../../../ui/figure/svg";
import { brief } from "../../../ui/text/format";
import { type Histogram, placeAmong } from "./bins";

const AREA: Area = { left: 88, top: 30, width: 600, height: 270 };
const GRID = "#e3e6eb";
const LINE = "#58606b";
const MOST_LABELS = 7;

/** Bars with the mean and one deviation to either side of it above them. `color` is that of the bars; those of B are an outline over them. */
export function histogramDrawing({ edges, counts, whole }: Histogram, census: Census, color: string, countsOfB?: Float64Array): Drawing {
  const { left, top, width, height } = AREA;
  const bottom = top + height;
  const step = width / counts.length;
  const y = scaleOf(0, [...counts, ...(countsOfB ?? [])].reduce((a, b) => Math.max(a, b), 1) * 1.05, false);
  const yOf = (count: number): number => bottom - y.place(count) * height;
  const ticks = ticksOf(y, 5).filter((tick) => Number.isInteger(tick));
  const bars = Array.from(counts, (count, bin) => {
    // A bin with few values must not look like one with none.
    const bar = count === 0 ? 0 : Math.max(1, bottom - yOf(count));
    return element("rect", { class: "bar", x: left + bin * step + 0.5, y: bottom - bar, width: Math.max(1, step - 1), height: bar });
  });
  return {
    width: left + width + 24,
    height: bottom + BELOW,
    content: [
      element("g", { stroke: GRID }, ...ticks.map((tick) => element("line", { x1: left, x2: left + width, y1: yOf(tick), y2: yOf(tick) }))),
      element(
        "g",
        { class: "axis-y", fill: INK, "text-anchor": "end" },
        ...ticks.map((tick) => textElement(brief(tick), left - 8, yOf(tick) + SIZE / 3, SIZE)),
      ),
      element("g", { class: "bars", fill: color }, ...bars),
      ...(countsOfB === undefined ? [] : [outlineOf(countsOfB, left, step, yOf)]),
      element("path", { d: `M${left},${top}V${bottom}H${left + width}`, fill: "none", stroke: LINE }),
      element("g", { class: "axis-x", fill: INK, "text-anchor": "middle" }, ...edgeLabels(edges, counts.length, whole)),
      textElement("value", left + width / 2, bottom + 5 + 2.4 * SIZE, SIZE, { fill: INK, "text-anchor": "middle" }),
      textElement("number of values", 0, 0, SIZE, {
        fill: INK,
        "text-anchor": "middle",
        transform: `translate(${SIZE} ${top + height / 2}) rotate(-90)`,
      }),
      ...(census.finite === 0 ? [] : [spread(edges, census, whole)]),
    ],
  };
}

function outlineOf(counts: Float64Array, left: number, step: number, yOf: (count: number) => number): SvgElement {
  const steps = Array.from(counts, (count, bin) => `V${yOf(count)}H${left + (bin + 1) * step}`);
  return element("path", {
    class: "outline",
    d: `M${left},${yOf(0)}${steps.join("")}V${yOf(0)}`,
    fill: "none",
    stroke: INK,
    "stroke-width": 1.5,
  });
}

function edgeLabels(edges: Float64Array, bins: number, whole: boolean): SvgElement[] {
  const last = whole ? bins - 1 : bins;
  const every = Math.max(1, Math.ceil(last / MOST_LABELS));
  const chosen = Array.from({ length: Math.floor(last / every) + 1 }, (_, k) => k * every);
  return chosen.flatMap((edge) => {
    const x = AREA.left + ((edge + (whole ? 0.5 : 0)) / bins) * AREA.width;
    const bottom = AREA.top + AREA.height;
    return [
      element("line", { x1: x, x2: x, y1: bottom, y2: bottom + 5, stroke: LINE }),
      textElement(brief(edges[edge]!), x, bottom + 5 + SIZE, SIZE),
    ];
  });
}

function spread(edges: Float64Array, { mean, std }: Census, whole: boolean): SvgElement {
  const at = (value: number): number => AREA.left + placeAmong(edges, value + (whole ? 0.5 : 0)) * AREA.width;
  const y = AREA.top / 2;
  const [low, high] = [at(mean - std), at(mean + std)];
  return element(
    "g",
    { class: "spread", stroke: INK, "stroke-width": 1.5, fill: INK },
    element("path", { d: `M${low},${y}H${high}M${low},${y - 4}v8M${high},${y - 4}v8`, fill: "none" }),
    element("circle", { cx: at(mean), cy: y, r: 3.5, stroke: "none" }),
  );
}
