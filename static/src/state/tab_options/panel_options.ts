/** What the address says about the panels of pinned modules: their time axis, and what they show beside the histograms. */

export const TIME_AXES = ["step", "epoch", "time"] as const;
export type TimeAxis = (typeof TIME_AXES)[number];

export interface PanelOptions {
  axis: TimeAxis;
  /** Whether the types of steps stand side by side, and not only the one that is selected. */
  allTypes: boolean;
  /** Whether there are lines of the median and of where 90 % of the values are. */
  quantiles: boolean;
  /** Whether the norm of each sample on the shown step is given. */
  norms: boolean;
}

const ALL_TYPES = "types";
const NO_QUANTILES = "plain";
const NORMS = "norms";

export function readPanelOptions(text: string | undefined): PanelOptions {
  const parts = (text ?? "").split(",");
  return {
    axis: TIME_AXES.find((axis) => parts.includes(axis)) ?? "step",
    allTypes: parts.includes(ALL_TYPES),
    quantiles: !parts.includes(NO_QUANTILES),
    norms: parts.includes(NORMS),
  };
}

/** Null where all is as at the beginning. */
export function writePanelOptions({ axis, allTypes, quantiles, norms }: PanelOptions): string | null {
  const parts = [
    ...(axis === "step" ? [] : [axis]),
    ...(allTypes ? [ALL_TYPES] : []),
    ...(quantiles ? [] : [NO_QUANTILES]),
    ...(norms ? [NORMS] : []),
  ];
  return parts.length === 0 ? null : parts.join(",");
}
