/** From the numbers of nodes to their colours: a scale over all of them, and signs for what has no place on it. */

import { divergingColor, type Swatch, swatchOf } from "../../../../ui/color_scale";
import type { Items } from "../layout/items";
import { type NodeNumber, STATISTICS, type Statistic, strongestMember } from "./node_numbers";

export const SCALES = ["log", "linear"] as const;
export type Scale = (typeof SCALES)[number];

/** What the address says about colours: `abs_mean`, `abs_mean,linear` where the person has chosen the scale, or `abs_mean,difference`. */
export interface ColorChoice {
  statistic: Statistic;
  scale: Scale | null;
  /** Whether colours say by how much A differs from B. */
  isDifference: boolean;
}

const DIFFERENCE = "difference";

export function readColorChoice(text: string | undefined): ColorChoice | null {
  const [name, how] = (text ?? "").split(",");
  const statistic = STATISTICS.find((known) => known === name);
  return statistic === undefined
    ? null
    : { statistic, scale: SCALES.find((known) => known === how) ?? null, isDifference: how === DIFFERENCE };
}

export function writeColorChoice({ statistic, scale, isDifference }: ColorChoice): string {
  const how = isDifference ? DIFFERENCE : scale;
  return how === null ? statistic : `${statistic},${how}`;
}

/** How a node is drawn: its colour where it has a place on the scale, the colour of its text, and a sign where it has none. */
export interface NodeColor {
  fill: string | null;
  ink: string;
  sign: "" | "NaN" | "\u221e" | "\u2212\u221e" | "0" | "=" | "<" | ">";
}

export interface Coloring {
  scale: Scale;
  /** The numbers at the ends of the scale; on a logarithmic one of magnitudes. NaN where nothing has a place on it. */
  low: number;
  high: number;
  /** Whether the logarithmic scale hides signs. */
  ofMagnitudes: boolean;
  /** Per node; undefined where it has no number. */
  nodes: readonly (NodeColor | undefined)[];
  notFinite: number;
  /** Exact zeros, where the scale is logarithmic. */
  zeros: number;
  /** Numbers so far from the others that the scale leaves them out: they have the colours of its ends. */
  below: number;
  above: number;
  without: number;
  /** Numbers that are the same in A and B, where colours show differences. */
  equal: number;
}

/** From this ratio of the largest to the smallest magnitude on, a linear scale would show most of them as one colour. */
const LOG_FROM = 100;

/** Among fewer numbers than these none is an outlier. */
const FEWEST_WITH_OUTLIERS = 8;

/**
 * Colours nodes by their numbers. Unless a scale is chosen, it is logarithmic where no number is negative and they differ widely. The
 * scale leaves outliers out: one tiny number would make all others look alike.
 */
export function colorNodes(numbers: readonly (NodeNumber | undefined)[], chosen: Scale | null): Coloring {
  const finite = numbers.flatMap((number) => (number !== undefined && Number.isFinite(number.value) ? [number.value] : []));
  const magnitudes = finiteExtent(finite.map(Math.abs).filter((magnitude) => magnitude > 0));
  const hasNegative = finite.some((value) => value < 0);
  const scale = chosen ?? (!hasNegative && magnitudes.high >= magnitudes.low * LOG_FROM ? "log" : "linear");
  const scaled = (value: number): number => (scale === "log" ? Math.log(Math.abs(value)) : value);
  const { low, high } = extentWithoutOutliers(
    finite.filter((value) => scale === "linear" || value !== 0).map((value) => (scale === "log" ? Math.abs(value) : value)),
    scaled,
  );
  const place = (value: number): number => {
    const [at, from, to] = [scaled(value), scaled(low), scaled(high)];
    // Halves, since the difference of two finite numbers may be infinite.
    return to > from ? (at / 2 - from / 2) / (to / 2 - from / 2) : 0.5;
  };
  const nodes = numbers.map((number) => (number === undefined ? undefined : colorOf(number.value, scale, place)));
  const count = (sign: NodeColor["sign"]): number => nodes.filter((node) => node?.sign === sign).length;
  return {
    scale,
    low,
    high,
    ofMagnitudes: scale === "log" && hasNegative,
    nodes,
    notFinite: numbers.filter((number) => number !== undefined && !Number.isFinite(number.value)).length,
    zeros: count("0"),
    below: count("<"),
    above: count(">"),
    without: numbers.filter((number) => number === undefined).length,
    equal: 0,
  };
}

/** Colours nodes by differences: the scale reaches as far to one side as to the other, and nothing is in its middle. */
export function colorDifferences(numbers: readonly (NodeNumber | undefined)[]): Coloring {
  const known = numbers.filter((number) => number !== undefined);
  const largest = finiteExtent(known.flatMap(({ value }) => (Number.isFinite(value) ? [Math.abs(value)] : []))).high;
  const nodes = numbers.map((number) => {
    if (number === undefined || !Number.isFinite(number.value)) {
      return number && colorOf(number.value, "linear", () => 0);
    }
    return {
      ...colored(divergingColor(largest === 0 ? 0 : number.value / largest)),
      sign: number.value === 0 ? ("=" as const) : ("" as const),
    };
  });
  return {
    scale: "linear",
    low: -largest,
    high: largest,
    ofMagnitudes: false,
    nodes,
    notFinite: known.filter(({ value }) => !Number.isFinite(value)).length,
    zeros: 0,
    below: 0,
    above: 0,
    without: numbers.length - known.length,
    equal: known.filter(({ value }) => value === 0).length,
  };
}

function colored(fill: string): { fill: string; ink: string } {
  return { fill, ink: isLight(fill) ? "#000000" : "#ffffff" };
}

/** The colours of nodes and groups: a group has that of its number of the largest magnitude. */
export function itemColors(
  { nodes }: Coloring,
  numbers: readonly (NodeNumber | undefined)[],
  items: Items,
): readonly (NodeColor | undefined)[] {
  const colors = nodes.slice();
  for (const [item, { members }] of items.groups) {
    const strongest = strongestMember(members, numbers);
    colors[item] = strongest === undefined ? undefined : nodes[strongest];
  }
  return colors;
}

/**
 * The smallest and the largest number, where numbers are compared after `scaled`, without those behind a gap that is wider than the
 * distance of the quartiles; NaN without any.
 */
function extentWithoutOutliers(values: readonly number[], scaled: (value: number) => number): { low: number; high: number } {
  const sorted = [...values].sort((a, b) => a - b);
  // Halves, since the difference of two finite numbers may be infinite.
  const at = (k: number): number => scaled(sorted[k]!) / 2;
  let [low, high] = [0.25, 0.75].map((part) => Math.round((sorted.length - 1) * part)) as [number, number];
  const widest = sorted.length < FEWEST_WITH_OUTLIERS || at(low) === at(high) ? Infinity : at(high) - at(low);
  while (low > 0 && at(low) - at(low - 1) <= widest) {
    low -= 1;
  }
  while (high < sorted.length - 1 && at(high + 1) - at(high) <= widest) {
    high += 1;
  }
  return { low: sorted[low] ?? NaN, high: sorted[high] ?? NaN };
}

function finiteExtent(values: readonly number[]): { low: number; high: number } {
  if (values.length === 0) {
    return { low: NaN, high: NaN };
  }
  return { low: values.reduce((a, b) => Math.min(a, b)), high: values.reduce((a, b) => Math.max(a, b)) };
}

function colorOf(value: number, scale: Scale, place: (value: number) => number): NodeColor {
  const placeless = signWithoutPlace(value, scale);
  if (placeless !== null) {
    return { fill: null, ink: "", sign: placeless };
  }
  const { color, mark } = swatchOf(2 * place(value) - 1);
  return color === null ? { fill: color, ink: "", sign: "" } : { ...colored(color), sign: SIGN_OF_MARK[mark] };
}

const SIGN_OF_MARK: Readonly<Record<Swatch["mark"], NodeColor["sign"]>> = { none: "", nan: "", below: "<", above: ">" };

/** What is written where a value has no place on the scale; null where it has one. */
function signWithoutPlace(value: number, scale: Scale): NodeColor["sign"] | null {
  if (Number.isNaN(value)) {
    return "NaN";
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? "\u221e" : "\u2212\u221e";
  }
  return scale === "log" && value === 0 ? "0" : null;
}

/** Whether black is easier to read on a colour than white, by the contrast that WCAG 2 defines. */
function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map((channel) => {
    const part = Number(channel) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}
