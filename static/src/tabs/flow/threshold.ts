/** Places of a slider for thresholds: the first is zero, the others are spread over some powers of ten up to the largest flow. */

export const THRESHOLD_PLACES = 120;
const PER_POWER = 20;

/** The threshold at a place, with three digits, so that the address stays short; the last one is not above the largest flow. */
export function thresholdAt(place: number, largest: number): number {
  if (place <= 0 || !(largest > 0)) {
    return 0;
  }
  return place >= THRESHOLD_PLACES ? largest : Number((largest * 10 ** ((place - THRESHOLD_PLACES) / PER_POWER)).toPrecision(3));
}

/** The place that is nearest to a threshold. */
export function placeOfThreshold(threshold: number, largest: number): number {
  if (!(threshold > 0) || !(largest > 0)) {
    return 0;
  }
  return Math.max(1, Math.min(THRESHOLD_PLACES, Math.round(THRESHOLD_PLACES + PER_POWER * Math.log10(threshold / largest))));
}

/** What is wrong with a typed threshold; empty where nothing is. */
export function wrongThreshold(text: string): string {
  const isNumber = /^\s*\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text);
  return isNumber && Number.isFinite(Number(text)) ? "" : "Type a number of 0 or more, such as 0.25 or 1e-3.";
}
