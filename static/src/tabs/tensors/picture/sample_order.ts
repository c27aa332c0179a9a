/** In which order samples stand beside one another. */

export const SCALARS = ["mean", "abs_mean", "std", "abs_max"] as const;

interface SampleOrder {
  item: (typeof SCALARS)[number];
  descending: boolean;
}

/** Reads an order as it stands in an address: `mean`, or `-mean` for the largest first. Null: as recorded. */
export function readSampleOrder(text: string | undefined): SampleOrder | null {
  const item = SCALARS.find((scalar) => scalar === text?.replace(/^-/, ""));
  return item === undefined ? null : { item, descending: text?.startsWith("-") ?? false };
}

/** Places of samples in an order; those whose number is NaN or not loaded come last. */
export function orderedSamples(
  count: number,
  order: SampleOrder | null,
  scalarOf: (sample: number, item: string) => number | undefined,
): number[] {
  const samples = Array.from({ length: count }, (_, sample) => sample);
  if (order === null) {
    return samples;
  }
  const numbers = samples.map((sample) => scalarOf(sample, order.item) ?? NaN);
  const sign = order.descending ? -1 : 1;
  return samples.sort(
    (a, b) =>
      Number(Number.isNaN(numbers[a])) - Number(Number.isNaN(numbers[b])) || sign * Math.sign(numbers[a]! - numbers[b]! || 0) || a - b,
  );
}
