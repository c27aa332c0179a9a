/** On which axes the curves of a tensor stand, so that none of them lies flat along zero. */

import type { TimeCurve } from "./over_time_curves";

/** Curves whose largest values differ by more than this factor are not legible on one linear axis. */
const LARGEST_RATIO = 1000;

interface CurvesOnAxis {
  curves: readonly TimeCurve[];
  logarithmic: boolean;
  /** The recording type that they are of, where the others stand apart. */
  group: string | null;
}

/**
 * One axis where that does: a logarithmic one where it is wanted, or where magnitudes differ much and all values are positive. Otherwise
 * curves whose magnitudes differ much stand apart by their recording types, as values and gradients. `wanted` is null where nothing was
 * chosen.
 */
export function onAxes(curves: readonly TimeCurve[], wanted: boolean | null): CurvesOnAxis[] {
  const together = axisOf(curves, null);
  const groups = [...new Set(curves.map((curve) => curve.group))];
  if (wanted !== null) {
    return [{ ...together, logarithmic: wanted }];
  }
  if (together.logarithmic || !differ(curves) || groups.length === 1) {
    return [together];
  }
  return groups.map((group) =>
    axisOf(
      curves.filter((curve) => curve.group === group),
      group,
    ),
  );
}

function axisOf(curves: readonly TimeCurve[], group: string | null): CurvesOnAxis {
  return { curves, group, logarithmic: differ(curves) && curves.every(isPositive) };
}

function differ(curves: readonly TimeCurve[]): boolean {
  const sizes = curves.map(sizeOf).filter((size) => size > 0);
  return sizes.some((size) => size > LARGEST_RATIO * Math.min(...sizes));
}

/** The largest magnitude of a curve, among numbers that are finite and there. */
function sizeOf({ v, absent }: TimeCurve): number {
  let most = 0;
  for (let k = 0; k < v.length; k++) {
    const size = Math.abs(v[k]!);
    if (size > most && Number.isFinite(size) && absent?.[k] !== 1) {
      most = size;
    }
  }
  return most;
}

function isPositive({ v, absent }: TimeCurve): boolean {
  for (let k = 0; k < v.length; k++) {
    if (v[k]! <= 0 && absent?.[k] !== 1) {
      return false;
    }
  }
  return true;
}
