/** A bar for a number in a table, from zero on, and the scale that all bars of the table share. */

import type { Facts } from "../../../data/records/step_numbers";
import { swatchOf } from "../../../ui/color_scale";
import { brief } from "../../../ui/text/format";

/** To which magnitude the scale reaches, and whether also below zero. */
export interface BarScale {
  magnitude: number;
  isSigned: boolean;
}

/** A scale that fits the finite values of the whole batch; null where there are none. */
export function barScale({ smallest, largest }: Facts): BarScale | null {
  const [low, high] = [Number(smallest), Number(largest)];
  const magnitude = Math.max(Math.abs(low), Math.abs(high));
  return Number.isNaN(magnitude) ? null : { magnitude, isSigned: low < 0 };
}

/** The beginning and the end of a bar, as parts of its room; a value beyond the scale ends with it. */
function barEnds(value: number, { magnitude, isSigned }: BarScale): [number, number] {
  const zero = isSigned ? 0.5 : 0;
  const length = magnitude === 0 ? 0 : Math.max(-1, Math.min(1, value / magnitude)) * (1 - zero);
  const end = Math.max(0, zero + length);
  return [Math.min(zero, end), Math.max(zero, end)];
}

const MARKS = { above: "\u25b2", below: "\u25bc", nan: "\u00d7" } as const;

/** The place of a value on the colours, which go from -1 to 1. */
function onScale(value: number, { magnitude, isSigned }: BarScale): number {
  const part = magnitude === 0 || !Number.isFinite(value) ? value : value / magnitude;
  return isSigned ? part : 2 * part - 1;
}

export function ValueBar({ value, scale }: { value: number; scale: BarScale | null }) {
  const { color, mark } = swatchOf(scale === null ? value : onScale(value, scale));
  const [start, end] = scale === null || Number.isNaN(value) ? [0, 0] : barEnds(value, scale);
  return (
    <span
      class={`value-bar value-bar-${mark}`}
      aria-hidden="true"
      title={mark === "above" || mark === "below" ? "Outside the scale of the values" : ""}
    >
      <span hidden={end === start} style={{ left: `${100 * start}%`, width: `${100 * (end - start)}%`, backgroundColor: color ?? "" }} />
      {mark !== "none" && <b>{MARKS[mark]}</b>}
    </span>
  );
}

/** What lengths and colours of the bars mean. */
export function BarLegend({ scale: { magnitude, isSigned } }: { scale: BarScale }) {
  const [low, high] = [brief(isSigned ? -magnitude : 0), brief(magnitude)];
  const text = `Bars and their colors: from ${low} to ${high}, the largest magnitude of the whole tensor`;
  return (
    <span class="color-scale bar-legend" role="img" data-testid="bar-legend" title={text} aria-label={text}>
      <span>{low}</span>
      <span class="color-ramp" />
      <span>{high}</span>
    </span>
  );
}
