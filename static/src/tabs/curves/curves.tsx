/** One chart per group of curves. */

import { useMemo, useState } from "preact/hooks";
import type { Loaded } from "../../data/bundle";
import type { Curve, Trial } from "../../data/format/types";
import { type Caption, ChartFigure } from "../../kits/charts/chart_figure";
import type { TimeRange } from "../../kits/charts/curve_chart";
import { type CurveGroup, curveGroups, type StyledCurve, sidesOf } from "../../kits/charts/curve_data";
import { SidesNote } from "../../kits/charts/curve_legend";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { pageFacts, trialFacts } from "../../ui/figure/caption";
import { DocumentView } from "../../ui/notices/document_loading";
import { counted, keyOf } from "../../ui/text/format";

const HEIGHT = 280;

export function CurvesView({ store }: { store: Store }) {
  const second = store.secondTrial.value;
  return (
    <DocumentView
      store={store}
      read={(bundle, trial) => both(bundle.curves(trial), second === null ? null : bundle.curves(second))}
      what="the curves"
    >
      {([curves, others], trial) => (
        <Groups key={keyOf(trial)} store={store} curves={curves} others={others} trial={trial} second={second} />
      )}
    </DocumentView>
  );
}

/** The curves of A, and those of B where there is another trial. */
function both(first: Loaded<Curve[]>, second: Loaded<Curve[]> | null): Loaded<[Curve[], Curve[]]> {
  if (first.state !== "ready") {
    return first;
  }
  return second === null
    ? { state: "ready", value: [first.value, NO_CURVES] }
    : second.state === "ready"
      ? { state: "ready", value: [first.value, second.value] }
      : second;
}

const NO_CURVES: Curve[] = [];

interface GroupsProps {
  store: Store;
  curves: readonly Curve[];
  /** Those of B, which are drawn over those of A. */
  others: readonly Curve[];
  trial: Trial;
  second: Trial | null;
}

function Groups({ store, curves, others, trial, second }: GroupsProps) {
  const groups = useMemo(() => groupsOfTrials(trial, curves, second && { trial: second, curves: others }), [curves, others, trial, second]);
  if (groups.length === 0) {
    return (
      <p class="empty" data-testid="curves-empty">
        {second === null ? "There are no curves in this trial" : "There are no curves in these trials"}:{" "}
        <code class="mono">recorder.record_kpi_in_graph(group, name, value)</code> adds a point to one.
      </p>
    );
  }
  return (
    <section class="page" aria-label="Graphs">
      {second !== null && (
        <p class="soft" data-testid="curves-note">
          <SidesNote trial={trial} second={second} />
        </p>
      )}
      {groups.map((group) => (
        <Chart
          key={group.group}
          group={group}
          marked={pointedStep(store, group)}
          caption={() => curvesCaption(store, trial.name, group.group)}
        />
      ))}
    </section>
  );
}

/** The groups of a trial, with the curves of another one over those of it. */
export function groupsOfTrials(
  trial: Trial,
  curves: readonly Curve[],
  second: { trial: Trial; curves: readonly Curve[] } | null,
): CurveGroup[] {
  if (second === null) {
    return curveGroups({ curves });
  }
  const [a, b] = sidesOf(trial, second.trial);
  return curveGroups({ curves, of: a }, { curves: second.curves, of: b });
}

/** What a figure of a group says of it. */
export function curvesCaption(store: Store, trial: string, group: string): Caption {
  const { page, source } = pageFacts(store);
  return { title: `Curves: ${group}`, facts: [...trialFacts(store, trial), ...page], source, nameParts: ["curves", group, trial] };
}

/** The step that the note that is read points at in one of the curves. */
function pointedStep(store: Store, { curves }: CurveGroup): number | null {
  const point = store.story.point.value;
  return point !== null && "curve" in point && curves.some(({ name }) => name === point.curve) ? point.step : null;
}

function Chart({ group, marked, caption }: { group: CurveGroup; marked: number | null; caption: () => Caption }) {
  const { curves } = group;
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const visible = useMemo(() => curves.map((curve) => !hidden.has(idOf(curve))), [curves, hidden]);
  const [logarithmic, setLogarithmic] = useState(false);
  const [range, setRange] = useState<TimeRange>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const toggle = (k: number): void => {
    const id = idOf(curves[k]!);
    setHidden(new Set(hidden.has(id) ? [...hidden].filter((other) => other !== id) : [...hidden, id]));
  };
  return (
    <ChartFigure
      name={group.group}
      label={`Curves of ${group.group}`}
      description={`Chart with ${counted(curves.length, "curve")}; its values are in the legend`}
      curves={curves}
      visible={visible}
      logarithmic={logarithmic}
      height={HEIGHT}
      range={range}
      marked={marked}
      hovered={hovered}
      onToggle={toggle}
      onRange={setRange}
      onHover={setHovered}
      caption={caption}
      place="curves"
    >
      <h2>
        <bdi>{group.group}</bdi>
      </h2>
      <Button pressed={logarithmic} testid="log-y" onClick={() => setLogarithmic(!logarithmic)}>
        Logarithmic
      </Button>
      <Button inactive={range === null} testid="reset-zoom" onClick={() => setRange(null)}>
        Reset zoom
      </Button>
    </ChartFigure>
  );
}

/** Tells the curves of a chart apart. */
function idOf({ name, type, side }: StyledCurve): string {
  return JSON.stringify([name, type, side]);
}
