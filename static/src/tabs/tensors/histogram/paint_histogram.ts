/** Painting a histogram. */

import type { Census } from "../../../kits/heatmap/value_census";
import { brief, grouped } from "../../../ui/text/format";
import { themeColor } from "../../../ui/theme";
import type { Room } from "../../../ui/use_size";
import { type Histogram, placeAmong } from "./bins";

export const MARGIN = { left: 64, right: 12, top: 18, bottom: 24 };

export function drawHistogram(
  canvas: HTMLCanvasElement,
  size: Room,
  { edges, counts, whole }: Histogram,
  census: Census,
  chosen: number,
  b: Histogram | null,
): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  const context = canvas.getContext("2d");
  if (context === null) {
    return;
  }
  context.scale(ratio, ratio);
  const [width, height] = [size.width - MARGIN.left - MARGIN.right, size.height - MARGIN.top - MARGIN.bottom];
  const bottom = MARGIN.top + height;
  const most = Math.max(1, ...counts, ...(b?.counts ?? []));
  const step = width / counts.length;
  counts.forEach((count, bin) => {
    // A bin with few values must not look like one with none.
    const bar = count === 0 ? 0 : Math.max(1.5, (count / most) * height);
    context.fillStyle = themeColor(bin === chosen ? "curve-1" : "curve-0");
    context.fillRect(MARGIN.left + bin * step + 0.5, bottom - bar, Math.max(1, step - 1), bar);
  });
  if (b !== null) {
    drawOutline(
      context,
      b.counts,
      (bin) => MARGIN.left + bin * step,
      (count) => bottom - (count / most) * height,
    );
  }
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = themeColor("text-soft");
  context.strokeStyle = themeColor("control-line");
  context.beginPath();
  context.moveTo(MARGIN.left, bottom + 0.5);
  context.lineTo(MARGIN.left + width, bottom + 0.5);
  context.stroke();
  context.textAlign = "right";
  context.fillText(grouped(most), MARGIN.left - 6, MARGIN.top + 9);
  context.fillText("0", MARGIN.left - 6, bottom);
  context.textAlign = "center";
  const labels = Math.max(2, Math.min(6, Math.floor(width / 90)));
  for (let label = 0; label < labels; label++) {
    const edge = Math.round((label / (labels - 1)) * (whole ? counts.length - 1 : counts.length));
    const x = MARGIN.left + (edge + (whole ? 0.5 : 0)) * step;
    context.textAlign = label === 0 && !whole ? "left" : label === labels - 1 && !whole ? "right" : "center";
    context.fillText(brief(edges[edge]!), x, bottom + 16);
  }
  if (census.finite > 0) {
    const at = (value: number): number => MARGIN.left + placeAmong(edges, value + (whole ? 0.5 : 0)) * width;
    drawSpread(context, at, census);
  }
}

/** The bars of B as a line over those of A. */
function drawOutline(
  context: CanvasRenderingContext2D,
  counts: Float64Array,
  x: (bin: number) => number,
  y: (count: number) => number,
): void {
  context.strokeStyle = themeColor("text");
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x(0), y(0));
  counts.forEach((count, bin) => {
    context.lineTo(x(bin), y(count));
    context.lineTo(x(bin + 1), y(count));
  });
  context.lineTo(x(counts.length), y(0));
  context.stroke();
}

/** The mean as a line, and one deviation to either side of it. */
function drawSpread(context: CanvasRenderingContext2D, at: (value: number) => number, { mean, std }: Census): void {
  const y = MARGIN.top / 2;
  context.strokeStyle = context.fillStyle = themeColor("text");
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(at(mean - std), y);
  context.lineTo(at(mean + std), y);
  for (const end of [mean - std, mean + std]) {
    context.moveTo(at(end), y - 4);
    context.lineTo(at(end), y + 4);
  }
  context.stroke();
  context.beginPath();
  context.arc(at(mean), y, 3.5, 0, 2 * Math.PI);
  context.fill();
}
