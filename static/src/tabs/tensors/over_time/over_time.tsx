/** The selected tensor over all recorded steps, and beside it the tensors that are pinned, on one time axis. */

import { useMemo, useState } from "preact/hooks";
import type { Loaded } from "../../../data/bundle";
import type { Network, Trial } from "../../../data/format/types";
import { BATCH_AGGREGATIONS } from "../../../data/records/record_offsets";
import type { SeriesOfTrial, SeriesRecord } from "../../../data/records/series";
import type { Caption } from "../../../kits/charts/chart_figure";
import { isSamePlot, type Plot, type TimeRange } from "../../../kits/charts/curve_chart";
import { sidesOf } from "../../../kits/charts/curve_data";
import { SidesNote } from "../../../kits/charts/curve_legend";
import type { OpenStep } from "../../../state/selection/open_step";
import { aggregationLabel } from "../../../state/selection/options";
import { ANY_TYPE, TRIGGERED } from "../../../state/selection/selection";
import type { Store } from "../../../state/store";
import {
  isSamePin,
  MOST_PINS,
  type Pin,
  readPins,
  readTimeOptions,
  STATISTICS,
  type Statistic,
  type TimeOptions,
  writePins,
  writeTimeOptions,
} from "../../../state/tab_options/over_time_options";
import { Button } from "../../../ui/controls/button";
import { pageFacts, trialFacts } from "../../../ui/figure/caption";
import type { Fact } from "../../../ui/figure/figure";
import { Failure } from "../../../ui/notices/failure";
import { Loading } from "../../../ui/notices/loading";
import { keyOf } from "../../../ui/text/format";
import type { PaneProps } from "../pane";
import { HistogramLanes } from "./histogram_lanes";
import { MEANINGS, StepChooser } from "./over_time_curves";
import { recordsOf, type Source, TensorCharts, tensorLabel } from "./tensor_over_time";

const HEIGHT = 230;
const SMALL_HEIGHT = 150;

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
        This page holds nothing over time, since an earlier version exported it. Export the recording again.
      </p>
    );
  }
  const { aggregation } = shown.selection;
  return (
    <div class="over-time" data-testid="over-time" role="region" aria-label="Over time" tabIndex={0}>
      <Charts
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

interface ChartsProps extends SeriesAndTrial {
  store: Store;
  /** Another trial, B, whose curves are drawn over those of this one. */
  second: SeriesAndTrial | null;
  selected: Pin | null;
  /** Whether the selected tensor has numbers of the selected recording type at this step. */
  isRecorded: boolean;
  /** Position among the aggregations over the batch. */
  aggregation: number;
  isSample: boolean;
  aggregationName: string;
  step: number;
  stepType: string;
}

interface SeriesAndTrial {
  trial: Trial;
  series: SeriesOfTrial;
  /** Null while it is not loaded: what there is about parameters is found by it. */
  network: Network | null;
}

function networkOf(store: Store, trial: Trial): Network | null {
  const network = store.bundle.network(trial);
  return network.state === "ready" ? network.value : null;
}

function Charts({
  store,
  trial,
  series,
  network,
  second,
  selected,
  isRecorded,
  aggregation,
  isSample,
  aggregationName,
  step,
  stepType,
}: ChartsProps) {
  const [timeText, pinsText] = [store.view.value.get("time"), store.view.value.get("pins")];
  const options = useMemo(() => readTimeOptions(timeText), [timeText]);
  const pins = useMemo(() => readPins(pinsText), [pinsText]);
  const [range, setRange] = useState<TimeRange>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [plot, setPlot] = useState<Plot | null>(null);
  const [isLogarithmicByItself, setLogarithmicByItself] = useState(false);
  const isLogarithmic = options.logarithmic ?? isLogarithmicByItself;
  const sources = useMemo(
    () => sourcesOf(store, { trial, series, network }, second, stepType),
    [trial, network, second?.trial, second?.network, stepType],
  );
  const extent = useMemo(
    () =>
      [trial, ...(second === null ? [] : [second.trial])]
        .flatMap(({ steps: { step } }) => (step.length === 0 ? [] : [step[0]!, step[step.length - 1]!]))
        .sort((a, b) => a - b),
    [trial, second?.trial],
  );
  const hasTriggered = useMemo(() => trial.steps.triggered.some((reason) => reason >= 0), [trial]);
  const change = (changed: Partial<TimeOptions>): void => store.setView("time", writeTimeOptions({ ...options, ...changed }));
  const setPins = (changed: readonly Pin[]): void => store.setView("pins", writePins(changed));
  const isPinned = selected !== null && pins.some((pin) => isSamePin(pin, selected));
  const togglePin = (pin: Pin): void =>
    setPins(isPinned ? pins.filter((other) => !isSamePin(other, pin)) : [...pins, pin].slice(0, MOST_PINS));
  const statistics = useMemo(() => options.statistics, [options.statistics.join()]);
  const caption = (label: string, groups: readonly string[]): Caption => {
    const { page, source } = pageFacts(store);
    const types = stepType === ANY_TYPE || stepType === TRIGGERED ? "all" : stepType;
    const facts: Fact[] = [
      ["tensor", label],
      ["recording", groups.join(", ")],
      ["aggregation", isSample ? "Mean over the batch" : aggregationName],
      ["types of steps", types],
      ["marked step", String(step)],
    ];
    return {
      title: `${label} over time`,
      facts: [...trialFacts(store, trial.name), ...facts, ...page],
      source,
      nameParts: ["over-time", label, trial.name],
    };
  };
  const shared = {
    store,
    sources,
    options,
    statistics,
    aggregation,
    caption,
    extent,
    range,
    hovered,
    step,
    onOptions: change,
    onRange: setRange,
    onHover: setHovered,
  };
  return (
    <>
      <div class="page-bar">
        <Statistics
          records={[...(selected === null ? [] : [selected]), ...pins].flatMap((tensor) => recordsOf({ series, network }, tensor))}
          options={options}
          onChange={change}
        />
        <Button
          pressed={isLogarithmic}
          testid="time-log"
          onClick={() => change({ logarithmic: isLogarithmic === isLogarithmicByItself ? !isLogarithmic : null })}
        >
          Logarithmic
        </Button>
        <Button inactive={range === null} testid="time-reset-zoom" onClick={() => setRange(null)}>
          Reset zoom
        </Button>
      </div>
      <p class="soft over-time-note" data-testid="over-time-note">
        {isSample ? "Samples are not kept over time: this is the mean over the batch. " : `${aggregationName}. `}
        {stepType === ANY_TYPE || stepType === TRIGGERED ? (
          "All types of training steps together. "
        ) : (
          <>
            Steps of the type <bdi>{stepType}</bdi>.{" "}
          </>
        )}
        {hasTriggered && "Triggered steps, a biased sample, are marks without a line. "}
        {second !== null && <SidesNote trial={trial} second={second.trial} />}
        The line marks step {step}; click to go to another one.
      </p>
      {!isRecorded && (
        <p class="empty" data-testid="values-empty">
          Nothing was recorded for this tensor here.
        </p>
      )}
      {selected !== null && (
        <TensorCharts
          {...shared}
          tensor={selected}
          height={HEIGHT}
          onAxis={setLogarithmicByItself}
          onDraw={(drawn) => setPlot((before) => (isSamePlot(before, drawn) ? before : drawn))}
        >
          <Button
            pressed={isPinned}
            inactive={!isPinned && pins.length >= MOST_PINS}
            title="Keep the curves of this tensor in sight while another one is selected"
            testid="pin"
            onClick={() => togglePin(selected)}
          >
            Pin
          </Button>
        </TensorCharts>
      )}
      {selected !== null && (
        <HistogramLanes
          key={`${selected.iteration}/${selected.name}`}
          store={store}
          trial={trial}
          tensor={selected}
          stepType={stepType}
          step={step}
          hovered={hovered}
          plot={plot}
        />
      )}
      {pins.length > 0 && (
        <div class="pinned" role="group" aria-label="Pinned tensors" data-testid="pinned">
          {pins.map((pin) => (
            <TensorCharts key={`${pin.iteration}/${pin.name}`} {...shared} tensor={pin} height={SMALL_HEIGHT}>
              <Button
                class="link"
                label={`Unpin ${tensorLabel(pin)}`}
                testid="unpin"
                onClick={() => setPins(pins.filter((other) => other !== pin))}
              >
                Unpin
              </Button>
            </TensorCharts>
          ))}
        </div>
      )}
    </>
  );
}

function sourcesOf(store: Store, first: SeriesAndTrial, second: SeriesAndTrial | null, stepType: string): Source[] {
  const source = ({ trial, series, network }: SeriesAndTrial): Source => ({
    series,
    network,
    chooser: new StepChooser(store.bundle, trial, stepType),
  });
  if (second === null) {
    return [source(first)];
  }
  const [a, b] = sidesOf(first.trial, second.trial);
  return [
    { ...source(first), of: a },
    { ...source(second), of: b },
  ];
}

/** What can be drawn of the tensors shown. */
function Statistics({
  records,
  options,
  onChange,
}: {
  records: readonly SeriesRecord[];
  options: TimeOptions;
  onChange: (changed: Partial<TimeOptions>) => void;
}) {
  const offered = STATISTICS.filter(
    (statistic) => statistic !== "single_value" && records.some((record) => MEANINGS[statistic].read(record, 0) !== undefined),
  );
  const toggle = (statistic: Statistic): void => {
    const { statistics } = options;
    onChange({
      statistics: statistics.includes(statistic) ? statistics.filter((other) => other !== statistic) : [...statistics, statistic],
    });
  };
  return (
    <div class="button-group time-statistics" role="group" aria-label="Statistics over time">
      {offered.map((statistic) => (
        <Button
          key={statistic}
          testid={`time-${statistic}`}
          pressed={options.statistics.includes(statistic)}
          title={MEANINGS[statistic].hint}
          onClick={() => toggle(statistic)}
        >
          {MEANINGS[statistic].label}
        </Button>
      ))}
    </div>
  );
}
