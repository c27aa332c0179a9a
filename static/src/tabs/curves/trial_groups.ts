/** The curves of the trials that are drawn, in groups. */

import type { Bundle } from "../../data/bundle";
import type { Curve, Trial } from "../../data/format/types";
import { joinedGroups, patternOf, withBands } from "../../kits/charts/bands";
import { type BandedCurve, type CurveGroup, curveGroups, inOrder, type Side } from "../../kits/charts/curve_data";
import { smoothedHonestly } from "../../kits/charts/robust_range";
import { trialLabel } from "../../state/comparison/second_view";
import { trialNamed } from "../../state/selection/options";
import { recordedTypes } from "../../state/selection/type_order";
import { type CurveOptions, curveKey, SMOOTHING_PARTS, type Smoothing, trialColors } from "../../state/tab_options/curve_options";

/** A trial and its curves. */
export interface Drawn {
  trial: Trial;
  curves: readonly Curve[];
}

/** So many trials are drawn where nobody has chosen any. */
const MOST_AT_FIRST = 8;

/** The shown trial, B, and those that were chosen, or else the first ones. */
export function drawnTrials(bundle: Bundle, shown: Trial, second: Trial | null, { trials: chosen }: CurveOptions): Trial[] {
  const names = chosen.length > 0 ? chosen : bundle.index.trials.map(({ name }) => name);
  const others = names.flatMap((name) => trialNamed(bundle, name, shown) ?? []);
  const drawn = [...new Set([shown, ...(second === null ? [] : [second]), ...others])];
  return chosen.length > 0 ? drawn : drawn.slice(0, MOST_AT_FIRST);
}

/** How a trial is called beside the shown one. */
export function drawnLabel(trial: Trial, [shown, other]: readonly Trial[]): string {
  return trialLabel(trial, trial === shown ? (other ?? trial) : shown!);
}

/** The groups of all that is drawn, the shown trial first. A band stands for many curves of a kind, unless the kind is opened. */
export function groupsOfTrials(bundle: Bundle, drawn: readonly Drawn[], second: Trial | null, options: CurveOptions): CurveGroup[] {
  const colors = trialColors(bundle.index.trials, options.colors);
  const trials = drawn.map(({ trial }) => trial);
  const isOpened = (group: string, pattern: string): boolean => options.opened.includes(curveKey(group, pattern));
  const all = drawn.map(({ trial, curves }, place) => {
    const side = sideOf(trial, place, second);
    const banded = withBands(smoothedCurves(joinedGroups(curves), options.smoothing), isOpened);
    return {
      curves: banded,
      types: recordedTypes(bundle, trial).filter(({ name }) => !isInBand(name, banded)),
      ...(drawn.length > 1 && { of: { trial: drawnLabel(trial, trials), color: colors.get(trial.name) ?? 0, ...(side && { side }) } }),
    };
  });
  return curveGroups(...all);
}

/** Whether a band stands for the curves of a type: the type has no colour of its own then. */
function isInBand(type: string, curves: readonly BandedCurve[]): boolean {
  return curves.some((curve) => curve.band !== undefined && curve.type !== type && curve.type === patternOf(type));
}

/** Only what is compared has a side: the shown trial, which is the first, and B. */
function sideOf(trial: Trial, place: number, second: Trial | null): Side | undefined {
  if (second === null) {
    return undefined;
  }
  if (place === 0) {
    return "A";
  }
  return trial === second ? "B" : undefined;
}

/** Curves with no more points than a smoothed one has stay as they are. */
function smoothedCurves(curves: readonly Curve[], smoothing: Smoothing): readonly Curve[] {
  const parts = SMOOTHING_PARTS[smoothing];
  return parts === 0
    ? curves
    : curves.map((curve) => {
        const { t, v } = inOrder(curve.t, curve.v);
        return { ...curve, ...(t.length > parts ? smoothedHonestly(t, v, parts) : { t, v }) };
      });
}
