/** What the address says about the curves over time: which statistics, on which scale, without which curves; and what is pinned. */

import { escaped, unescaped } from "../address/name_list";

/** What there is per step, in the order of the buttons. */
export const STATISTICS = [
  "mean",
  "abs_mean",
  "std",
  "abs_max",
  "svd",
  "single_value",
  "min",
  "max",
  "norm",
  "update_norm",
  "update_ratio",
  "accumulated_gradient",
  "nan",
  "posinf",
  "neginf",
  "zeros",
] as const;
export type Statistic = (typeof STATISTICS)[number];

export interface TimeOptions {
  statistics: readonly Statistic[];
  /** Null: as the curves ask for it. */
  logarithmic: boolean | null;
  /** Curves that are not drawn, by `curveId`. */
  hidden: readonly string[];
}

/** A tensor whose curves stay in sight. */
export interface Pin {
  name: string;
  iteration: number;
}

/** `single_value` stands for the only statistic of what has no others, so that it is never to be chosen. */
const DEFAULT: TimeOptions = { statistics: ["mean", "abs_max", "single_value"], logarithmic: null, hidden: [] };

const LOGARITHMIC = "log";
const LINEAR = "linear";
const HIDDEN = "-";
const LARGEST_ADDRESS = 2000;

/** More charts than this are no overview any more. */
export const MOST_PINS = 12;

export function readTimeOptions(text: string | undefined): TimeOptions {
  if (text === undefined) {
    return DEFAULT;
  }
  const parts = text.slice(0, LARGEST_ADDRESS).split(",");
  return {
    statistics: STATISTICS.filter((statistic) => statistic === "single_value" || parts.includes(statistic)),
    logarithmic: parts.includes(LOGARITHMIC) ? true : parts.includes(LINEAR) ? false : null,
    hidden: parts.filter((part) => part.startsWith(HIDDEN)).map((part) => unescaped(part.slice(HIDDEN.length))),
  };
}

/** Null where all is as at the beginning. */
export function writeTimeOptions({ statistics, logarithmic, hidden }: TimeOptions): string | null {
  const chosen = STATISTICS.filter((statistic) => statistic !== "single_value" && statistics.includes(statistic));
  const parts = [
    ...chosen,
    ...(logarithmic === null ? [] : [logarithmic ? LOGARITHMIC : LINEAR]),
    ...hidden.map((id) => HIDDEN + escaped(id)),
  ];
  const text = parts.join(",");
  return text === DEFAULT.statistics.filter((statistic) => statistic !== "single_value").join(",") ? null : text;
}

/** Names a curve of a tensor: a statistic of a recording type, on regular or on triggered steps, of A or of B. */
export function curveId(statistic: Statistic, group: string, triggered: boolean, ofB: boolean): string {
  return `${ofB ? "B." : ""}${triggered ? "!" : ""}${statistic}:${group}`;
}

export function readPins(text: string | undefined): Pin[] {
  const pins: Pin[] = [];
  for (const part of (text ?? "").split(",")) {
    const match = /^(-1|0|[1-9][0-9]{0,8})\.(.+)$/s.exec(part);
    const pin = match && { iteration: Number(match[1]), name: unescaped(match[2]!) };
    if (pin && pins.length < MOST_PINS && !pins.some((known) => isSamePin(known, pin))) {
      pins.push(pin);
    }
  }
  return pins;
}

export function writePins(pins: readonly Pin[]): string | null {
  return pins.length === 0 ? null : pins.map(({ iteration, name }) => `${iteration}.${escaped(name)}`).join(",");
}

export function isSamePin(a: Pin, b: Pin): boolean {
  return a.name === b.name && a.iteration === b.iteration;
}
