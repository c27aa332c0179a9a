/** The selected tensor over all recorded steps, and beside it the tensors that are pinned, on one time axis. */

import type { Loaded } from "../../../data/bundle";
import type { Network, Trial } from "../../../data/format/types";
import { BATCH_AGGREGATIONS } from "../../../data/records/record_offsets";
import type { SeriesOfTrial } from "../../../data/records/series";
import type { OpenStep } from "../../../state/selection/open_step";
import { aggregationLabel } from "../../../state/selection/options";
import type { Store } from "../../../state/store";
import type { Pin } from "../../../state/tab_options/over_time_options";
import { Failure } from "../../../ui/notices/failure";
import { Loading } from "../../../ui/notices/loading";
import { keyOf } from "../../../ui/text/format";
import type { PaneProps } from "../pane";
import { OverTimeCharts } from "./over_time_charts";

/** Shown for a tensor without a record too, since what is pinned stays in sight. */
export function OverTime({ store, shown, open }: Omit<PaneProps, "record">) {
  // Read so that this is rendered again when something has arrived.
  void store.version.value;
  const series = store.bundle.series(open.trial);
  const second = secondOf(store, open.trial);
  if (series.state === "failed") {
    return <Failure store={store} error={series.error} what="the curves" />;
  }
  if (second?.series.state === "failed") {
    return <Failure store={store} error={second.series.error} what="the curves of B" />;
  }
  if (series.state === "loading" || second?.series.state === "loading") {
    return <Loading />;
  }
  if (series.value === null) {
    return (
      <p class="empty" data-testid="over-time-empty">
        This page is from an earlier version, without values over time. Export the recording again.
      </p>
    );
  }
  const { aggregation } = shown.selection;
  return (
    <div class="over-time" data-testid="over-time" role="region" aria-label="Over time" tabIndex={0}>
      <OverTimeCharts
        key={keyOf(open.trial)}
        store={store}
        trial={open.trial}
        series={series.value}
        network={networkOf(store, open.trial)}
        second={second?.series.value ? { trial: second.trial, series: second.series.value, network: networkOf(store, second.trial) } : null}
        selected={selectedTensor(store, open)}
        isRecorded={store.record.value !== undefined}
        aggregation={Math.max(0, (BATCH_AGGREGATIONS as readonly string[]).indexOf(aggregation))}
        isSample={aggregation.startsWith("sample_")}
        aggregationName={aggregationLabel(aggregation, open.samples, (position) => store.bundle.text(position))}
        step={shown.selection.step}
        stepType={shown.selection.stepType}
      />
    </div>
  );
}

/** The trial of B, where its curves are to be drawn over those of A. */
function secondOf(store: Store, shown: Trial): { trial: Trial; series: Loaded<SeriesOfTrial | null> } | null {
  const trial = store.secondTrial.value;
  return trial === null || trial === shown ? null : { trial, series: store.bundle.series(trial) };
}

/** The tensor that is selected; null where the node has none in this role. */
function selectedTensor(store: Store, open: OpenStep): Pin | null {
  const { tensors } = open.content.layout;
  const tensor = store.offer.value?.tensor ?? -1;
  const [name, iteration] = [tensors.name[tensor], tensors.iteration[tensor]];
  return name === undefined || iteration === undefined ? null : { name, iteration };
}

function networkOf(store: Store, trial: Trial): Network | null {
  const network = store.bundle.network(trial);
  return network.state === "ready" ? network.value : null;
}
