/** One chart per group of curves, for the trials that are drawn. */

import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Loaded } from "../../data/bundle";
import type { Curve, Trial } from "../../data/format/types";
import { joinedGroups, kindsOf, patternOf } from "../../kits/charts/bands";
import type { Caption } from "../../kits/charts/chart_figure";
import type { CurveGroup } from "../../kits/charts/curve_data";
import { SidesNote } from "../../kits/charts/curve_legend";
import { stepMarks } from "../../kits/charts/step_marks";
import { findingsByFirstStep } from "../../state/findings/first_steps";
import { findingsOf } from "../../state/findings/found";
import type { Store } from "../../state/store";
import { type CurveOptions, readCurveOptions, writeCurveOptions } from "../../state/tab_options/curve_options";
import { pageFacts, trialFacts } from "../../ui/figure/caption";
import { DocumentView } from "../../ui/notices/document_loading";
import { counted, keyOf } from "../../ui/text/format";
import { Chart } from "./chart";
import { CurveBar } from "./curve_bar";
import { type Drawn, drawnTrials, groupsOfTrials } from "./trial_groups";

export function CurvesView({ store }: { store: Store }) {
  const second = store.secondTrial.value;
  const options = useCurveOptions(store);
  return (
    <DocumentView
      store={store}
      read={(bundle, trial) => together(drawnTrials(bundle, trial, second, options).map((each) => [each, bundle.curves(each)]))}
      what="the curves"
    >
      {({ drawn, failed }, trial) => (
        <Groups key={keyOf(trial)} store={store} loaded={drawn} failed={failed} second={second} options={options} />
      )}
    </DocumentView>
  );
}

function useCurveOptions(store: Store): CurveOptions {
  const text = store.view.value.get("curves");
  return useMemo(() => readCurveOptions(text), [text]);
}

/** The curves of all trials once those of each are there or cannot be loaded, which matters only if it is the first one, which is shown. */
function together(trials: readonly (readonly [Trial, Loaded<Curve[]>])[]): Loaded<{ drawn: Drawn[]; failed: number }> {
  const missing = trials.find(([, curves], k) => curves.state === "loading" || (k === 0 && curves.state === "failed"))?.[1];
  if (missing !== undefined && missing.state !== "ready") {
    return missing;
  }
  const drawn = trials.flatMap(([trial, curves]) => (curves.state === "ready" ? [{ trial, curves: curves.value }] : []));
  return { state: "ready", value: { drawn, failed: trials.length - drawn.length } };
}

interface GroupsProps {
  store: Store;
  loaded: readonly Drawn[];
  /** How many trials could not be loaded. */
  failed: number;
  second: Trial | null;
  options: CurveOptions;
}

function Groups({ store, loaded, failed, second, options }: GroupsProps) {
  const { bundle } = store;
  // The same list as long as it has the same curves.
  const drawn = useMemo(() => loaded, [loaded.length, ...loaded.map(({ curves }) => curves)]);
  const trials = useMemo(() => drawn.map(({ trial }) => trial), [drawn]);
  const trial = trials[0]!;
  const { smoothing, opened, colors } = options;
  const groups = useMemo(
    () => groupsOfTrials(bundle, drawn, second, options),
    [drawn, second, smoothing, opened.join(), JSON.stringify([...colors])],
  );
  const kinds = useMemo(() => kindsOf(drawn.flatMap(({ curves }) => joinedGroups(curves))), [drawn]);
  const findings = findingsOf(store);
  const marks = useMemo(() => stepMarks(trial, findingsByFirstStep(findings, trial)), [trial, findings]);
  const change = (changed: Partial<CurveOptions>): void => store.setView("curves", writeCurveOptions({ ...options, ...changed }));
  const page = useSoughtChart(store);
  const bar = <CurveBar store={store} drawn={trials} second={second} options={options} onOptions={change} />;
  if (groups.length === 0) {
    return (
      <>
        {bundle.index.trials.length > 1 && bar}
        <p class="empty" data-testid="curves-empty">
          {trials.length === 1 ? "There are no curves in this trial" : "There are no curves in these trials"}:{" "}
          <code class="mono">recorder.record_kpi_in_graph(group, name, value)</code> adds a point to one.
        </p>
      </>
    );
  }
  return (
    <section ref={page} class="page" aria-label="Graphs">
      {bar}
      {failed > 0 && <p class="soft">The curves of {counted(failed, "trial")} could not be loaded.</p>}
      {second !== null && (
        <p class="soft" data-testid="curves-note">
          <SidesNote trial={trial} second={second} />
        </p>
      )}
      {groups.map((group) => (
        <Chart
          key={group.group}
          store={store}
          group={group}
          drawn={trials}
          kinds={kinds.get(group.group) ?? NO_KINDS}
          marks={marks}
          options={options}
          onOptions={change}
          pointed={pointedStep(store, group)}
          caption={() => curvesCaption(store, trial.name, group.group)}
        />
      ))}
    </section>
  );
}

/** Goes to the chart that a link on another tab led to. */
function useSoughtChart({ soughtCurves }: Store) {
  const page = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const group = soughtCurves.peek();
    soughtCurves.value = null;
    const charts = [...(page.current?.querySelectorAll<HTMLElement>("[data-group]") ?? [])];
    const chart = charts.find(({ dataset }) => group !== null && dataset.group === group);
    chart?.scrollIntoView({ block: "start" });
    chart?.querySelector<HTMLElement>(".chart-frame")?.focus({ preventScroll: true });
  }, []);
  return page;
}

const NO_KINDS: ReadonlyMap<string, number> = new Map();

/** What a figure of a group says of it. */
export function curvesCaption(store: Store, trial: string, group: string): Caption {
  const { page, source } = pageFacts(store);
  return { title: `Curves: ${group}`, facts: [...trialFacts(store, trial), ...page], source, nameParts: ["curves", group, trial] };
}

/** The step that the note that is read points at in one of the curves, or in one of those that a band stands for. */
function pointedStep(store: Store, { curves }: CurveGroup): number | null {
  const point = store.story.point.value;
  const isPointed = ({ name, band }: CurveGroup["curves"][number], curve: string): boolean =>
    name === curve || (band !== undefined && name === patternOf(curve));
  return point !== null && "curve" in point && curves.some((each) => isPointed(each, point.curve)) ? point.step : null;
}
