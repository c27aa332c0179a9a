/** What the address says about the curves of the Graphs tab: how they are drawn, which of them, and in which colours. */

import { escaped, unescaped } from "../address/name_list";

/** How many colours there are for curves and trials. */
export const COLOR_COUNT = 12;

/** A smoothed line has a mean for each of so many parts of the time. */
export const SMOOTHING_PARTS = { none: 0, light: 100, medium: 30, strong: 10 } as const;
export type Smoothing = keyof typeof SMOOTHING_PARTS;
export const SMOOTHINGS = Object.keys(SMOOTHING_PARTS) as Smoothing[];

interface NameLists {
  /** Groups whose axis of values is logarithmic, and those whose axis reaches to outliers too. */
  logarithmic: readonly string[];
  full: readonly string[];
  /** Curves that are not drawn, and kinds of curves that are drawn one by one. */
  hidden: readonly string[];
  opened: readonly string[];
  /** Trials that are drawn; none: the first ones. */
  trials: readonly string[];
}

export interface CurveOptions extends NameLists {
  smoothing: Smoothing;
  /** The colours that were chosen for trials. */
  colors: ReadonlyMap<string, number>;
}

const PREFIXES: Readonly<Record<keyof NameLists, string>> = {
  logarithmic: "log.",
  full: "full.",
  hidden: "hide.",
  opened: "open.",
  trials: "trial.",
};
const LISTS = Object.keys(PREFIXES) as (keyof NameLists)[];
const COLOR = /^color(\d{1,2})\.(.+)$/s;

/** Parts of the address that are read. */
const MOST_PARTS = 500;

/** Reads `light,log.loss,hide.loss/train/x,color3.first`, of which any part may be missing. What is not understood is as usual. */
export function readCurveOptions(text: string | undefined): CurveOptions {
  const parts = (text ?? "").split(",", MOST_PARTS);
  const named = (prefix: string): string[] => [
    ...new Set(parts.filter((part) => part.startsWith(prefix)).map((part) => unescaped(part.slice(prefix.length)))),
  ];
  const colors = parts.flatMap((part): [string, number][] => {
    const [, color, trial] = COLOR.exec(part) ?? [];
    return trial !== undefined && Number(color) < COLOR_COUNT ? [[unescaped(trial), Number(color)]] : [];
  });
  return {
    ...(Object.fromEntries(LISTS.map((list) => [list, named(PREFIXES[list])])) as unknown as NameLists),
    smoothing: SMOOTHINGS.find((smoothing) => parts.includes(smoothing)) ?? "none",
    colors: new Map(colors),
  };
}

/** Null where all is as at the beginning. */
export function writeCurveOptions(options: CurveOptions): string | null {
  const parts = [
    ...(options.smoothing === "none" ? [] : [options.smoothing]),
    ...LISTS.flatMap((list) => options[list].map((name) => PREFIXES[list] + escaped(name))),
    ...[...options.colors].map(([trial, color]) => `color${color}.${escaped(trial)}`),
  ];
  return parts.length === 0 ? null : parts.join(",");
}

/** The list without a name that it has, or with one that it lacks. */
export function toggled(names: readonly string[], name: string): string[] {
  return names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
}

/** The colour of each trial, the same in every chart: the chosen one, or that of its place among all trials. */
export function trialColors(trials: readonly { name: string }[], chosen: CurveOptions["colors"]): ReadonlyMap<string, number> {
  const names = [...new Set(trials.map(({ name }) => name))];
  return new Map(names.map((name, place) => [name, chosen.get(name) ?? place % COLOR_COUNT]));
}

/** Names a curve; that of another trial than the shown one by its trial too. */
export function curveKey(...names: readonly string[]): string {
  return names.map((name) => name.replace(/[%/]/g, encodeURIComponent)).join("/");
}
