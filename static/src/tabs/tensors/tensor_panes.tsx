/** The numbers of the selected tensor, in one of several panes. */

import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { afterFrame } from "../../state/after_frame";
import type { OpenStep } from "../../state/selection/open_step";
import type { Shown, Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { isSmall } from "../../ui/media";
import { memo } from "../../ui/memo";
import { CompareWithOriginal } from "../../ui/notices/added_trials";
import { Failure } from "../../ui/notices/failure";
import { Loading } from "../../ui/notices/loading";
import { NoSteps } from "../../ui/notices/no_steps";
import { ComparePane, CompareWithoutRecord } from "./compare/compare_pane";
import { NeighbourBar } from "./graph/neighbours";
import { HistogramView } from "./histogram/histogram";
import { OverTime } from "./over_time/over_time";
import type { PaneProps } from "./pane";
import { PictureView } from "./picture/picture";
import { Summary } from "./summary";
import { ValueTable } from "./table/value_table";

interface Pane {
  /** As it stands in the address. */
  id: string;
  label: string;
  view: ComponentType<PaneProps>;
  /** Shown if nothing was recorded for the tensor; by default a sentence. */
  withoutRecord?: ComponentType<Omit<PaneProps, "record">>;
}

const PANES: readonly Pane[] = [
  { id: "table", label: "Table", view: ValueTable },
  { id: "picture", label: "Picture", view: PictureView },
  { id: "histogram", label: "Histogram", view: HistogramView },
  { id: "time", label: "Over time", view: OverTime, withoutRecord: OverTime },
  { id: "compare", label: "Compare", view: ComparePane, withoutRecord: CompareWithoutRecord },
];

export function ValuesView({ store }: { store: Store }) {
  const shown = store.shown.value;
  const failure = store.pending.value?.error;
  if (failure) {
    return <Failure store={store} error={failure} what="this step" />;
  }
  if (shown === null) {
    return <Loading />;
  }
  if (shown.open === null) {
    return (
      <p class="empty" data-testid="values-empty">
        <NoSteps /> See its curves and notes.
      </p>
    );
  }
  return (
    <section class="values" aria-label="Values" aria-busy={store.pending.value !== null}>
      <div class="details" tabIndex={0} role="region" aria-label="About the selection">
        <CompareWithOriginal store={store} />
        <Summary store={store} shown={shown} open={shown.open} />
        <NeighbourBar store={store} />
      </div>
      <div class="pane">
        <PaneOf store={store} shown={shown} open={shown.open} />
      </div>
    </section>
  );
}

function PaneOf({ store, shown, open }: { store: Store; shown: Shown; open: OpenStep }) {
  const record = store.record.value;
  const chosen = store.view.value.get("pane");
  const active = PANES.find((pane) => pane.id === chosen) ?? PANES[0]!;
  const View = active.view;
  const frame = useSoughtValues(store);
  return (
    <div ref={frame} class="pane">
      <PaneBar store={store} active={active} />
      {record === undefined ? (
        active.withoutRecord === undefined ? (
          <p class="empty" data-testid="values-empty">
            Nothing was recorded for this tensor here.
          </p>
        ) : (
          <active.withoutRecord store={store} shown={shown} open={open} />
        )
      ) : (
        <View store={store} shown={shown} open={open} record={record} />
      )}
    </div>
  );
}

/** Goes to the values that a link on another tab led to, where they are far below the graph. */
function useSoughtValues({ soughtValues, tab, pending }: Store) {
  const frame = useRef<HTMLDivElement>(null);
  const isShown = soughtValues.value && tab.value === "tensors" && pending.value === null;
  useEffect(() => {
    if (!isShown) {
      return undefined;
    }
    // What is above is drawn then, and as high as it stays.
    return afterFrame(() => {
      soughtValues.value = false;
      if (isSmall.peek()) {
        frame.current?.scrollIntoView({ block: "start" });
      }
      frame.current?.querySelector(".chart-frame")?.scrollIntoView({ block: "nearest" });
    });
  }, [isShown]);
  return frame;
}

/** Buttons rather than tabs: what they change is one part of a panel that is a tab itself. */
const PaneBar = memo(({ store, active }: { store: Store; active: Pane }) => {
  const beside = (distance: number): Pane | undefined => PANES[(PANES.indexOf(active) + distance + PANES.length) % PANES.length];
  return (
    <div class="pane-bar" role="group" aria-label="Show the values as">
      {PANES.map((pane) => (
        <Button
          key={pane.id}
          testid={`pane-${pane.id}`}
          keys={pane === beside(1) ? "v" : pane === beside(-1) ? "V" : undefined}
          pressed={pane === active}
          onClick={() => store.setView("pane", pane === PANES[0] ? null : pane.id)}
        >
          {pane.label}
        </Button>
      ))}
    </div>
  );
});
