/** From which value to which the colours reach. */

import { BATCH_AGGREGATIONS } from "../../../data/records/record_offsets";
import type { Facts } from "../../../data/records/step_numbers";
import type { Extent } from "../../../kits/heatmap/value_colors";

const EXTENTS = ["tensor", "steps", "view"] as const;
export type ExtentKind = (typeof EXTENTS)[number];

export function readExtent(text: string | undefined): ExtentKind {
  return EXTENTS.find((kind) => kind === text) ?? "tensor";
}

/**
 * The extent that all samples share, from the recorded extremes of the whole batch; null for what they do not bound (a deviation over
 * the batch) and where there are none.
 */
export function sharedExtent({ smallest, largest }: Facts, hasBatch: boolean, aggregation: number): Extent | null {
  const [low, high] = [Number(smallest), Number(largest)];
  const name = hasBatch ? BATCH_AGGREGATIONS[aggregation] : undefined;
  if (Number.isNaN(low) || Number.isNaN(high) || name === "batch_std") {
    return null;
  }
  return name === "batch_abs_max" ? { low: 0, high: Math.max(Math.abs(low), Math.abs(high)) } : { low, high };
}

/** The smallest extent with both in it. */
export function joined(extent: Extent | null, other: Extent | null): Extent | null {
  return extent === null || other === null
    ? (extent ?? other)
    : { low: Math.min(extent.low, other.low), high: Math.max(extent.high, other.high) };
}
