/** Where nothing differs at a step of two trials: at which step something does, or that nobody knows. */

import { useLayoutEffect, useMemo } from "preact/hooks";
import { stepInWords } from "../../../data/format/steps";
import type { Place } from "../../../state/comparison/kinds/difference";
import { followDifference, linkToStepOfBoth } from "../../../state/comparison/links";
import type { Second } from "../../../state/comparison/second_view";
import type { OpenStep } from "../../../state/selection/open_step";
import type { Store } from "../../../state/store";
import { useSliced } from "../../../ui/scheduling/time_slices";
import { grouped } from "../../../ui/text/format";
import { Name } from "../../../ui/text/name";
import { firstDifference, type PairedCurve, pairedCurves } from "./first_difference";
import type { Criterion, Match, Pair } from "./tensor_differences";

/** So many numbers of each trial are read at once; more would take long to load. */
const MOST_NUMBERS = 2 ** 18;

interface Props {
  store: Store;
  open: OpenStep;
  other: OpenStep;
  second: Second;
  recording: string;
  matched: Match;
  criterion: Criterion;
}

export function OtherSteps({ store, open, other, second, recording, matched, criterion }: Props) {
  const { statistic, aggregation, tolerance } = criterion;
  const [a, b] = [store.bundle.series(open.trial), store.bundle.series(other.trial)];
  const isKnown = a.state === "ready" && b.state === "ready";
  const [ofA, ofB] = [isKnown ? a.value : null, isKnown ? b.value : null];
  const recordingOfB = second.selection.recording;
  const curves = useMemo(
    () =>
      ofA === null || ofB === null
        ? null
        : pairedCurves(matched.pairs, { series: ofA, recording }, { series: ofB, recording: recordingOfB }, criterion),
    [matched, ofA, ofB, recording, recordingOfB, statistic, aggregation],
  );
  if (a.state === "loading" || b.state === "loading") {
    return null;
  }
  return curves === null || curves.reduce((sum, curve) => sum + curve.a.numbers.length, 0) > MOST_NUMBERS ? (
    <NotCompared store={store} open={open} other={other} />
  ) : (
    <Compared store={store} curves={curves} tolerance={tolerance} />
  );
}

function Compared({ store, curves, tolerance }: { store: Store; curves: readonly PairedCurve[]; tolerance: number }) {
  const { chunks } = store.bundle;
  const needed = useMemo(
    () => [...new Set(curves.flatMap(({ a, b }) => [a, b].flatMap(({ numbers }) => numbers.chunks(0, numbers.length))))],
    [curves],
  );
  chunks.request(needed);
  // Read so that this is rendered again when something has arrived.
  void store.version.value;
  const isLoaded = needed.every((id) => chunks.peek(id) !== undefined);
  const result = useSliced(isLoaded ? () => firstDifference(curves, tolerance) : null, [isLoaded, curves, tolerance]);
  const first = result?.first ?? null;
  const link = first && linkToStepOfBoth(store, first.step, placeOf(first.pair));
  useLayoutEffect(() => {
    if (result !== null) {
      followDifference(store, link);
    }
  }, [result]);
  return result === null ? null : (
    <span data-testid="first-difference">
      {first === null || link === null ? (
        "So they do at all steps that both have."
      ) : (
        <>
          They first differ at{" "}
          <a href={link}>
            {stepInWords(first.step, grouped)}: <Name text={first.pair.name} />
          </a>
          .
        </>
      )}
    </span>
  );
}

/** The next step that both have is at hand. */
function NotCompared({ store, open, other }: { store: Store; open: OpenStep; other: OpenStep }) {
  const [{ step: steps }, { step: stepsOfB }] = [open.trial.steps, other.trial.steps];
  const step = steps[open.step]!;
  useLayoutEffect(() => followDifference(store, null), []);
  const next = steps.find((later) => later > step && stepsOfB.includes(later));
  return (
    <span data-testid="first-difference">
      This is at {stepInWords(step, grouped)}. Other steps may differ
      {next === undefined ? (
        "."
      ) : (
        <>
          : <a href={linkToStepOfBoth(store, next, null)}>{stepInWords(next, grouped)}</a>.
        </>
      )}
    </span>
  );
}

function placeOf({ iteration, node, role }: Pair): Place {
  return { iteration: iteration < 0 ? null : iteration, node, role };
}
