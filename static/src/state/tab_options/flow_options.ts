/** What the address says about the flows that are shown: of which sample, which of them, and what the layers are coloured by. */

export const SIGNS = ["both", "positive", "negative"] as const;
export type Sign = (typeof SIGNS)[number];

/** The last is as many as can be drawn. */
export const STRONGEST = [20, 50, 100, 200, 1000] as const;

const COLORINGS = ["flow", "gradients", "values"] as const;
/** The flow from and into what is selected, gradients, or activations. */
export type FlowColoring = (typeof COLORINGS)[number];

export interface FlowOptions {
  /** Place among the samples of the flow. */
  sample: number;
  /** Flows whose magnitude is below it are not drawn. */
  threshold: number;
  sign: Sign;
  /** How many flows between two layers are drawn at most. */
  strongest: number;
  coloring: FlowColoring;
}

export const USUAL: FlowOptions = { sample: 0, threshold: 0, sign: "both", strongest: STRONGEST[0], coloring: "flow" };

/** Reads `s1,t0.25,positive,k50,values`, of which any part may be missing. What is not understood is as usual. */
export function readFlowOptions(text: string | undefined): FlowOptions {
  const parts = (text ?? "").split(",");
  const numberBehind = (letter: string, pattern: RegExp): number | undefined => {
    const option = parts.find((part) => part.startsWith(letter) && pattern.test(part.slice(1)));
    return option === undefined ? undefined : Number(option.slice(1));
  };
  const threshold = numberBehind("t", /^\d{1,21}(\.\d{0,20})?(e[+-]?\d{1,3})?$/);
  const strongest = numberBehind("k", /^\d{1,4}$/);
  return {
    sample: numberBehind("s", /^\d{1,9}$/) ?? USUAL.sample,
    threshold: threshold !== undefined && Number.isFinite(threshold) ? threshold : USUAL.threshold,
    sign: SIGNS.find((sign) => parts.includes(sign)) ?? USUAL.sign,
    strongest: STRONGEST.find((count) => count === strongest) ?? USUAL.strongest,
    coloring: COLORINGS.find((coloring) => parts.includes(coloring)) ?? USUAL.coloring,
  };
}

/** Null where all is as usual. */
export function writeFlowOptions({ sample, threshold, sign, strongest, coloring }: FlowOptions): string | null {
  const parts = [
    ...(sample === USUAL.sample ? [] : [`s${sample}`]),
    ...(threshold === USUAL.threshold ? [] : [`t${threshold}`]),
    ...(sign === USUAL.sign ? [] : [sign]),
    ...(strongest === USUAL.strongest ? [] : [`k${strongest}`]),
    ...(coloring === USUAL.coloring ? [] : [coloring]),
  ];
  return parts.length === 0 ? null : parts.join(",");
}
