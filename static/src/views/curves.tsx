/** One chart per group of curves. */

import { useMemo, useState } from "preact/hooks";
import type { Curve } from "../data/types";
import type { Store } from "../state/store";
import { ChartFigure, type Caption } from "./chart_figure";
import type { TimeRange } from "./curve_chart";
import { curveGroups, type CurveGroup } from "./curve_data";
import { DocumentView } from "./documents_view";
import { pageFacts, trialFacts } from "./figure/facts";
import { counted, keyOf } from "./format";

const HEIGHT = 280;

export function CurvesView({ store }: { store: Store }) {
  return (
    <DocumentView store={store} read={(bundle, trial) => bundle.curves(trial)} what="the curves">
      {(curves, trial) => <Groups key={keyOf(trial)} store={store} trial={trial.name} curves={curves} />}
    </DocumentView>
  );
}

function Groups({ store, trial, curves }: { store: Store; trial: string; curves: readonly Curve[] }) {
  const groups = useMemo(() => curveGroups(curves), [curves]);
  if (groups.length === 0) {
    return <p class="empty" data-testid="curves-empty">There are no curves in this trial.</p>;
  }
  return (
    <section class="page" aria-label="Graphs">
      {groups.map((group) => <Chart key={group.group} group={group} caption={() => curvesCaption(store, trial, group.group)} />)}
    </section>
  );
}

/** What a figure of a group says of it. */
export function curvesCaption(store: Store, trial: string, group: string): Caption {
  const { page, source } = pageFacts(store);
  return { title: `Curves: ${group}`, facts: [...trialFacts(store, trial), ...page], source, nameParts: ["curves", group, trial] };
}

function Chart({ group, caption }: { group: CurveGroup; caption: () => Caption }) {
  const { curves } = group;
  const [visible, setVisible] = useState<readonly boolean[]>(() => curves.map(() => true));
  const [logarithmic, setLogarithmic] = useState(false);
  const [range, setRange] = useState<TimeRange>(null);
  const [hovered, setHovered] = useState<number | null>(null);
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
      hovered={hovered}
      onToggle={(k) => setVisible(visible.map((shown, other) => (other === k ? !shown : shown)))}
      onRange={setRange}
      onHover={setHovered}
      caption={caption}
    >
      <h2><bdi>{group.group}</bdi></h2>
      <button type="button" aria-pressed={logarithmic} data-testid="log-y" onClick={() => setLogarithmic(!logarithmic)}>Logarithmic</button>
      <button type="button" aria-disabled={range === null} data-testid="reset-zoom" onClick={() => setRange(null)}>Reset zoom</button>
    </ChartFigure>
  );
}
