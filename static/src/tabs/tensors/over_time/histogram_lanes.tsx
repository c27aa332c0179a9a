/** The histograms of a tensor beneath its curves over time, on the same axis. */

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Trial } from "../../../data/format/types";
import type { Plot } from "../../../kits/charts/curve_chart";
import { RecordHistory } from "../../../kits/history/record_history";
import type { TimeScale } from "../../../kits/history/time_axis";
import { ANY_TYPE, FORWARD, TRIGGERED } from "../../../state/selection/selection";
import type { Store } from "../../../state/store";
import type { Pin } from "../../../state/tab_options/over_time_options";

interface Props {
  store: Store;
  trial: Trial;
  tensor: Pin;
  stepType: string;
  step: number;
  hovered: number | null;
  /** Where the curves are drawn; null until they are. */
  plot: Plot | null;
}

export function HistogramLanes({ store, trial, tensor: { name, iteration }, stepType, step, hovered, plot }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState({ left: 0, width: 0 });
  const pointed = useSignal<number | null>(null);
  useLayoutEffect(() => {
    pointed.value = hovered;
  }, [hovered]);
  // What is drawn of the curves tells where they are: as wide, they are aligned.
  useLayoutEffect(() => {
    const [own, other] = [frame.current?.getBoundingClientRect(), plot?.element.getBoundingClientRect()];
    if (own !== undefined && other !== undefined && other.width > 0) {
      setRoom({ left: other.left - own.left, width: Math.floor(other.width) });
    }
  }, [plot]);
  const scale = useMemo((): TimeScale | null => {
    const shown = plot === null ? [] : trial.steps.step.filter((number) => number >= plot.low && number <= plot.high);
    return plot === null
      ? null
      : { axis: "step", low: plot.low, high: plot.high, places: new Map(shown.map((number) => [number, number])), unknown: 0 };
  }, [trial, plot]);
  const histograms = store.bundle.histograms(trial);
  if (histograms.state !== "ready" || histograms.value === null || scale === null) {
    return null;
  }
  const isAny = stepType === ANY_TYPE || stepType === TRIGGERED;
  const records = histograms.value.records(name, iteration).filter(({ type }) => isAny || type === stepType);
  const labelOf = (type: string, group: string): string => `${isAny ? `${type}: ` : ""}${group === FORWARD ? "values" : group}`;
  return records.length === 0 ? null : (
    <div ref={frame} class="histogram-lanes" data-testid="histogram-lanes">
      {records.map((record) => {
        const label = labelOf(record.type, record.group);
        return (
          <div key={`${record.type}/${record.group}`} class="histogram-lane">
            <h4 class="panel-tensor" style={{ marginInlineStart: `${room.left}px` }}>
              <bdi>{label}</bdi> <span class="soft">histograms</span>
            </h4>
            <div style={{ marginInlineStart: `${room.left - 1}px`, width: `${room.width + 2}px` }}>
              <RecordHistory
                store={store}
                record={record}
                label={`Histograms of ${name}, ${label}`}
                scale={scale}
                step={step}
                hovered={pointed}
                quantiles
                width={room.width}
                isMerged={trial.rank === null}
              />
            </div>
          </div>
        );
      })}
    </div>
  );
}
