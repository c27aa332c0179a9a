/**
 * Gets ready for panels before one is opened. Script runs slowly when it runs for the first time, and histograms have to be decoded: a
 * person who pins a module would wait for both.
 */

import { signal } from "@preact/signals";
import { type JSX, render } from "preact";
import { DamagedBundleError } from "../../../data/format/errors";
import type { HistogramRecord, StepHistogram } from "../../../data/records/histograms";
import { History } from "../../../kits/history/history";
import { timeScale } from "../../../kits/history/time_axis";
import type { Store } from "../../../state/store";
import { readPanelOptions } from "../../../state/tab_options/panel_options";
import type { Work } from "../../../ui/scheduling/time_slices";
import { Panels } from "./panels";

/** Records that are decoded: they stay in memory. */
const DECODED = 48;
/** Decoding more steps at a time would hold the page up. */
const MOST_STEPS = 2000;
/** So many pictures and panels are drawn for nobody: browsers have compiled by then what draws them. */
const PLOTS = 64;
const PANELS = 12;
/** A panel of more than these would hold the page up. */
const MOST_PLOTS = 24;
/** As wide as a plot usually is, in pixels. */
const WIDTH = 170;

let rehearsed = 0;

/** Decodes the histograms of modules, and draws some of them where nobody sees it, as long as that has not been done often enough. */
export function* warmUpPanels(store: Store, modules: readonly { name: string; records: readonly HistogramRecord[] }[]): Work<void> {
  const decoded: { record: HistogramRecord; histograms: readonly StepHistogram[] }[] = [];
  for (const record of modules
    .flatMap(({ records }) => records)
    .filter(({ steps }) => steps.length <= MOST_STEPS)
    .slice(0, DECODED)) {
    const histograms = readable(record);
    if (histograms !== undefined) {
      decoded.push({ record, histograms });
    }
    yield;
  }
  const trial = store.trial.peek();
  if (trial === undefined || decoded.length === 0 || rehearsed === PLOTS + PANELS) {
    return;
  }
  const { axis, quantiles } = readPanelOptions(store.view.peek().get("history"));
  const names = modules
    .filter(({ records }) => records.length <= MOST_PLOTS)
    .slice(0, 1)
    .map(({ name }) => name);
  const [scale, hovered] = [timeScale(trial, axis), signal(null)];
  for (; rehearsed < PLOTS + PANELS; rehearsed++) {
    const { record, histograms } = decoded[rehearsed % decoded.length]!;
    rehearse(
      rehearsed < PLOTS ? (
        <History
          store={store}
          record={record}
          histograms={histograms}
          isLoading={false}
          label=""
          scale={scale}
          step={record.steps[0]!}
          hovered={hovered}
          quantiles={quantiles}
          width={WIDTH}
          isMerged={false}
        />
      ) : (
        <Panels store={store} names={names} />
      ),
    );
    yield;
  }
}

/** Renders something that is never part of the page. */
function rehearse(element: JSX.Element): void {
  const stage = document.createElement("div");
  render(element, stage);
  render(null, stage);
}

/** Damage is reported where the data is shown. */
function readable(record: HistogramRecord): readonly StepHistogram[] | undefined {
  try {
    return record.read();
  } catch (error) {
    if (error instanceof DamagedBundleError) {
      return undefined;
    }
    throw error;
  }
}
