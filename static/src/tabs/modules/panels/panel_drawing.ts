/** The panel of a module as a figure: its histograms over time as pixels, everything around and over them as vectors. */

import type { StepHistogram } from "../../../data/records/histograms";
import type { ToPng } from "../../../kits/heatmap/heatmap_figure";
import { limitsInWords } from "../../../kits/history/histogram_text";
import {
  type Colors,
  type Column,
  type Picture as Histories,
  pixelOf,
  quantileLines,
  STRONGEST_SHARE,
} from "../../../kits/history/history_layout";
import { paint } from "../../../kits/history/paint_history";
import { placeInWords, type TimeScale } from "../../../kits/history/time_axis";
import { valueRows } from "../../../kits/history/value_axis";
import { INK, SIZE } from "../../../ui/figure/axes";
import type { Drawing } from "../../../ui/figure/figure";
import { element, linePath, type SvgElement, textElement } from "../../../ui/figure/svg";
import { textWidth } from "../../../ui/figure/text";
import { elided } from "../../../ui/text/format";

/** One plot: the histograms of a tensor at the steps of one type. */
interface PanelPlot {
  steps: readonly number[];
  /** Undefined where they are not loaded. */
  histograms: readonly StepHistogram[] | undefined;
}

interface PanelRow {
  label: string;
  /** One per column; null where nothing was recorded. None where another row has them. */
  plots: readonly (PanelPlot | null)[];
}

export interface PanelShown {
  /** What the columns show. */
  columns: readonly string[];
  rows: readonly PanelRow[];
  scale: TimeScale;
  /** The step that a line marks. */
  step: number;
  quantiles: boolean;
  colors: Colors;
}

/** How many plots stand side by side in a usual width. */
const USUAL_COLUMNS = 2;
const USUAL_WIDTH = 660;
const NARROWEST = 180;
const HEIGHT = 96;
const GAP = 14;
const ROW_GAP = 10;
const LINE = 17;
const FINENESS = 2;
const SMALL = 10;
const BORDER = "#858d9a";
const SOFT = "#58606b";
const MARKED = "#d9001b";
const RAMP = { width: 120, height: 10 };
const STOPS = 16;

export function panelDrawing(shown: PanelShown, toPng: ToPng): Drawing {
  const { columns, rows } = shown;
  const width = Math.max(NARROWEST, (USUAL_WIDTH - GAP) / Math.max(USUAL_COLUMNS, columns.length));
  const left = (column: number): number => column * (width + GAP);
  const right = left(Math.max(1, columns.length) - 1) + width;
  const content: SvgElement[] = columns.map((column, k) => textElement(shortened(column, width), left(k), SIZE, SIZE, { fill: SOFT }));
  let top = LINE;
  for (const { label, plots } of rows) {
    content.push(textElement(shortened(label, right), 0, top + SIZE, SIZE, { fill: INK, "font-weight": 700 }));
    top += LINE;
    plots.forEach(
      (plot, k) =>
        plot !== null &&
        content.push(
          element("g", { class: "history", transform: `translate(${left(k)} ${top})` }, ...plotElements(plot, shown, width, toPng)),
        ),
    );
    top += (plots.length === 0 ? 0 : HEIGHT) + ROW_GAP;
  }
  columns.forEach((_, k) => content.push(...axis(shown.scale, left(k), width, top + 2)));
  content.push(...ramp(shown.colors, top + 2 * LINE));
  return { width: right, height: top + 3 * LINE, content };
}

function plotElements(
  { steps, histograms }: PanelPlot,
  { scale, step, quantiles, colors }: PanelShown,
  width: number,
  toPng: ToPng,
): SvgElement[] {
  const border = element("rect", { width, height: HEIGHT, fill: "none", stroke: BORDER });
  if (histograms === undefined) {
    return [border, textElement("not loaded", width / 2, HEIGHT / 2, SIZE, { "text-anchor": "middle", fill: SOFT })];
  }
  const columns = steps
    .flatMap((number, k): Column[] => {
      const place = scale.places.get(number);
      return place === undefined ? [] : [{ step: number, place, histogram: histograms[k]! }];
    })
    .sort((a, b) => a.place - b.place);
  const rows = valueRows(histograms);
  const picture: Histories = { columns, rows, low: scale.low, high: scale.high, width, height: HEIGHT };
  const [across, down] = [Math.round(width * FINENESS), HEIGHT * FINENESS];
  const href = toPng(across, down, (data) => columns.length > 0 && paint({ width: across, height: down, data }, picture, colors, FINENESS));
  const limits = limitsInWords(rows, histograms);
  const marked = scale.places.get(step);
  const x = marked === undefined ? 0 : pixelOf(marked, picture);
  return [
    element("image", {
      class: "cells",
      width,
      height: HEIGHT,
      preserveAspectRatio: "none",
      "image-rendering": "pixelated",
      href,
      "data-columns": columns.length,
      "data-rows": rows.count,
    }),
    ...(quantiles
      ? quantileLines(picture).map(({ thickness, pieces }) =>
          element("path", {
            class: "quantile",
            d: pieces.map(linePath).join(""),
            fill: "none",
            stroke: colors.line,
            "stroke-width": thickness,
          }),
        )
      : []),
    ...(marked === undefined ? [] : [element("line", { class: "marked", x1: x, x2: x, y1: 0, y2: HEIGHT, stroke: MARKED })]),
    border,
    ...limit(limits.high, SMALL + 1),
    ...limit(limits.low, HEIGHT - 3),
  ];
}

/** The value at a rim, legible over the picture. */
function limit(text: string, y: number): SvgElement[] {
  return text === ""
    ? []
    : [
        element("rect", {
          x: 1,
          y: y - SMALL + 1,
          width: textWidth(text, SMALL) + 4,
          height: SMALL + 1,
          fill: "#ffffff",
          "fill-opacity": 0.8,
        }),
        textElement(text, 3, y, SMALL, { fill: INK }),
      ];
}

/** The start and the end of the time axis, and what it measures. */
function axis({ axis: kind, low, high }: TimeScale, left: number, width: number, top: number): SvgElement[] {
  const text = (content: string, x: number, anchor: string): SvgElement =>
    textElement(content, x, top + SMALL, SMALL, { fill: SOFT, "text-anchor": anchor });
  return [
    text(placeInWords(low, kind), left, "start"),
    text(kind === "time" ? "since the beginning" : kind, left + width / 2, "middle"),
    text(placeInWords(high, kind), left + width, "end"),
  ];
}

function ramp(colors: Colors, top: number): SvgElement[] {
  const stops = Array.from({ length: STOPS + 1 }, (_, k) => {
    const pixel = colors.ramp[Math.round((k / STOPS) * (colors.ramp.length - 1))]!;
    return element("stop", {
      offset: `${(100 * k) / STOPS}%`,
      "stop-color": `rgb(${pixel & 255}, ${(pixel >> 8) & 255}, ${(pixel >> 16) & 255})`,
    });
  });
  const words = "share of the values in a bin: 0";
  const x = textWidth(words, SMALL) + 6;
  return [
    element("defs", {}, element("linearGradient", { id: "shares-of-values" }, ...stops)),
    textElement(words, 0, top + RAMP.height - 1, SMALL, { fill: SOFT }),
    element("rect", { x, y: top, ...RAMP, fill: "url(#shares-of-values)", stroke: BORDER }),
    textElement(`${STRONGEST_SHARE * 100} % or more`, x + RAMP.width + 6, top + RAMP.height - 1, SMALL, { fill: SOFT }),
  ];
}

/** Text that is no wider than `width`. */
function shortened(text: string, width: number): string {
  return elided(text, Math.max(8, Math.floor(width / (SIZE * 0.6))));
}
