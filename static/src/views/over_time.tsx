/** The selected tensor over all recorded steps, and beside it the tensors that are pinned, on one time axis. */

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { BATCH_AGGREGATIONS } from "../data/records";
import type { SeriesRecord, SeriesOfTrial } from "../data/series";
import { aggregationLabel } from "../state/options";
import { isSamePin, MOST_PINS, readPins, readTimeOptions, STATISTICS, writePins, writeTimeOptions, type Pin, type Statistic, type TimeOptions } from "../state/over_time_options";
import { ANY_TYPE, TRIGGERED } from "../state/selection";
import type { Store } from "../state/store";
import { ChartFigure, type Caption } from "./chart_figure";
import type { TimeRange } from "./curve_chart";
import { nearestPoint } from "./curve_data";
import { Failure } from "./failure";
import { pageFacts, trialFacts } from "./figure/facts";
import type { Fact } from "./figure/figure";
import { brief, counted, grouped, keyOf, nodeLabel } from "./format";
import { chunksOf, failureOf, MEANINGS, StepChooser, timeCurves, type TimeCurve } from "./over_time_curves";
import type { PaneProps } from "./values";

const HEIGHT = 230;
const SMALL_HEIGHT = 150;
/** Curves whose values are said in place of the picture. */
const SAID = 6;

export function OverTime({ store, shown, open }: PaneProps) {
  // Read so that this is rendered again when something has arrived.
  void store.version.value;
  const { layout } = open.content;
  const tensor = store.offer.value?.tensor ?? -1;
  const selected: Pin = { name: layout.tensors.name[tensor] ?? "", iteration: layout.tensors.iteration[tensor] ?? -1 };
  const series = store.bundle.series(open.trial);
  if (series.state === "failed") {
    return <Failure store={store} error={series.error} what="the curves" />;
  }
  if (series.state === "loading") {
    return <p class="empty" role="status">{"Loading\u2026"}</p>;
  }
  if (series.value === null) {
    return <p class="empty" data-testid="over-time-empty">This page holds nothing over time, since an earlier version exported it. Export the recording again.</p>;
  }
  const { aggregation } = shown.selection;
  return (
    <div class="over-time" data-testid="over-time" role="region" aria-label="Over time" tabIndex={0}>
      <Charts
        key={keyOf(open.trial)}
        store={store}
        series={series.value}
        selected={selected}
        aggregation={Math.max(0, (BATCH_AGGREGATIONS as readonly string[]).indexOf(aggregation))}
        isSample={aggregation.startsWith("sample_")}
        aggregationName={aggregationLabel(aggregation, open.samples, (position) => store.bundle.text(position))}
        step={shown.selection.step}
        stepType={shown.selection.stepType}
      />
    </div>
  );
}

interface ChartsProps {
  store: Store;
  series: SeriesOfTrial;
  selected: Pin;
  /** Position among the aggregations over the batch. */
  aggregation: number;
  isSample: boolean;
  aggregationName: string;
  step: number;
  stepType: string;
}

function Charts({ store, series, selected, aggregation, isSample, aggregationName, step, stepType }: ChartsProps) {
  const trial = store.trial.value!;
  const [timeText, pinsText] = [store.view.value.get("time"), store.view.value.get("pins")];
  const options = useMemo(() => readTimeOptions(timeText), [timeText]);
  const pins = useMemo(() => readPins(pinsText), [pinsText]);
  const [range, setRange] = useState<TimeRange>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const chooser = useMemo(() => new StepChooser(store.bundle, trial, stepType), [trial, stepType]);
  const { step: steps } = trial.steps;
  const extent = useMemo(() => [steps[0]!, steps[steps.length - 1]!], [steps]);
  const change = (changed: Partial<TimeOptions>): void => store.setView("time", writeTimeOptions({ ...options, ...changed }));
  const setPins = (changed: readonly Pin[]): void => store.setView("pins", writePins(changed));
  const isPinned = pins.some((pin) => isSamePin(pin, selected));
  const statistics = useMemo(() => options.statistics, [options.statistics.join()]);
  const caption = (label: string, groups: readonly string[]): Caption => {
    const { page, source } = pageFacts(store);
    const types = stepType === ANY_TYPE || stepType === TRIGGERED ? "all" : stepType;
    const facts: Fact[] = [["tensor", label], ["recording", groups.join(", ")], ["aggregation", isSample ? "Mean over the batch" : aggregationName], ["types of steps", types], ["marked step", String(step)]];
    return { title: `${label} over time`, facts: [...trialFacts(store, trial.name), ...facts, ...page], source, nameParts: ["over-time", label, trial.name] };
  };
  const shared = { store, series, options, statistics, aggregation, caption, chooser, extent, range, hovered, step, onOptions: change, onRange: setRange, onHover: setHovered };
  return (
    <>
      <div class="page-bar">
        <Statistics records={[selected, ...pins].flatMap(({ name, iteration }) => series.records(name, iteration))} options={options} onChange={change} />
        <button type="button" aria-pressed={options.logarithmic} data-testid="time-log" onClick={() => change({ logarithmic: !options.logarithmic })}>Logarithmic</button>
        <button type="button" aria-disabled={range === null} data-testid="time-reset-zoom" onClick={() => setRange(null)}>Reset zoom</button>
      </div>
      <p class="soft over-time-note" data-testid="over-time-note">
        {isSample ? "Samples are not kept over time: this is the mean over the batch. " : `${aggregationName}. `}
        {stepType === ANY_TYPE || stepType === TRIGGERED ? "All types of training steps together. " : <>Steps of the type <bdi>{stepType}</bdi>. </>}
        {trial.steps.triggered.some((reason) => reason >= 0) && "Triggered steps, a biased sample, are marks without a line. "}
        The line marks step {step}; click to go to another one.
      </p>
      <TensorCharts {...shared} tensor={selected} height={HEIGHT}>
        <button
          type="button"
          aria-pressed={isPinned}
          aria-disabled={!isPinned && pins.length >= MOST_PINS}
          title="Keep the curves of this tensor in sight while another one is selected"
          data-testid="pin"
          onClick={() => setPins(isPinned ? pins.filter((pin) => !isSamePin(pin, selected)) : [...pins, selected].slice(0, MOST_PINS))}
        >
          Pin
        </button>
      </TensorCharts>
      {pins.length > 0 && (
        <div class="pinned" role="group" aria-label="Pinned tensors" data-testid="pinned">
          {pins.map((pin) => (
            <TensorCharts key={`${pin.iteration}/${pin.name}`} {...shared} tensor={pin} height={SMALL_HEIGHT}>
              <button type="button" class="link" aria-label={`Unpin ${tensorLabel(pin)}`} data-testid="unpin" onClick={() => setPins(pins.filter((other) => other !== pin))}>Unpin</button>
            </TensorCharts>
          ))}
        </div>
      )}
    </>
  );
}

/** What can be drawn of the tensors shown. */
function Statistics({ records, options, onChange }: { records: readonly SeriesRecord[]; options: TimeOptions; onChange: (changed: Partial<TimeOptions>) => void }) {
  const offered = STATISTICS.filter((statistic) => statistic !== "single_value" && records.some((record) => MEANINGS[statistic].read(record, 0) !== undefined));
  const toggle = (statistic: Statistic): void => {
    const { statistics } = options;
    onChange({ statistics: statistics.includes(statistic) ? statistics.filter((other) => other !== statistic) : [...statistics, statistic] });
  };
  return (
    <div class="button-group time-statistics" role="group" aria-label="Statistics over time">
      {offered.map((statistic) => (
        <button type="button" key={statistic} data-testid={`time-${statistic}`} aria-pressed={options.statistics.includes(statistic)} title={MEANINGS[statistic].isCount ? `How many values are ${MEANINGS[statistic].label}` : undefined} onClick={() => toggle(statistic)}>
          {MEANINGS[statistic].label}
        </button>
      ))}
    </div>
  );
}

interface TensorProps extends Pick<ChartsProps, "store" | "series" | "aggregation" | "step"> {
  tensor: Pin;
  options: TimeOptions;
  /** Those of the options; the same list as long as they are the same. */
  statistics: readonly Statistic[];
  chooser: StepChooser;
  extent: readonly number[];
  range: TimeRange;
  hovered: number | null;
  height: number;
  caption: (label: string, groups: readonly string[]) => Caption;
  onOptions: (changed: Partial<TimeOptions>) => void;
  onRange: (range: TimeRange) => void;
  onHover: (time: number | null) => void;
  /** Beside its name. */
  children: ComponentChildren;
}

function tensorLabel({ name, iteration }: Pin): string {
  return iteration < 0 ? nodeLabel(name) : `${nodeLabel(name)}, iteration ${iteration}`;
}

/** The values of a tensor in one chart, and how many of them are special in another one. */
function TensorCharts(props: TensorProps) {
  const { store, series, tensor, statistics, aggregation, chooser } = props;
  const { name, iteration } = tensor;
  const label = tensorLabel(tensor);
  const records = useMemo(() => series.records(name, iteration), [series, name, iteration]);
  const ids = useMemo(() => chunksOf(records, statistics, aggregation), [records, statistics, aggregation]);
  const { chunks } = store.bundle;
  const failure = failureOf(chunks, ids);
  const waiting = ids.some((id) => chunks.peek(id) === undefined);
  if (waiting && failure === undefined) {
    chunks.request(ids);
  }
  const curves = useMemo(() => (waiting ? [] : timeCurves(records, statistics, aggregation, chooser)), [records, statistics, aggregation, chooser, waiting]);
  const values = useMemo(() => curves.filter((curve) => !curve.isCount), [curves]);
  const counts = useMemo(() => curves.filter((curve) => curve.isCount), [curves]);
  return (
    <div class="tensor-over-time" data-testid="tensor-over-time" data-tensor={label}>
      <div class="tensor-head">
        <h3 title={label}><bdi>{label}</bdi></h3>
        {props.children}
      </div>
      {failure !== undefined && <Failure store={store} error={failure} what="the curves" />}
      {failure === undefined && curves.length === 0 && (
        <p class="empty" role="status" data-testid="over-time-empty">{waiting ? "Loading\u2026" : emptyText(records, statistics)}</p>
      )}
      {values.length > 0 && <TimeChart {...props} label={label} curves={values} />}
      {counts.length > 0 && <TimeChart {...props} label={`${label}, numbers of values`} curves={counts} />}
    </div>
  );
}

function emptyText(records: readonly SeriesRecord[], statistics: readonly Statistic[]): string {
  if (records.length === 0) {
    return "This tensor was not recorded in this trial.";
  }
  const hasChosen = records.some((record) => statistics.some((statistic) => MEANINGS[statistic].read(record, 0) !== undefined));
  return hasChosen ? "This tensor was not recorded on steps of this type." : "Choose at least one statistic.";
}

interface TimeChartProps extends TensorProps {
  label: string;
  curves: readonly TimeCurve[];
}

function TimeChart({ store, label, curves, options, extent, range, hovered, step, height, caption, onOptions, onRange, onHover }: TimeChartProps) {
  const { hidden } = options;
  const areCounts = curves.some((curve) => curve.isCount);
  const visible = useMemo(() => curves.map((curve) => !hidden.includes(curve.id)), [curves, hidden]);
  const toggle = (k: number): void => {
    const { id } = curves[k]!;
    onOptions({ hidden: hidden.includes(id) ? hidden.filter((other) => other !== id) : [...hidden, id] });
  };
  const longest = curves.reduce((most, { t }) => Math.max(most, t.length), 0);
  return (
    <ChartFigure
      name={label}
      label={`${label} over time`}
      description={described(curves.filter((_, k) => visible[k]), step)}
      curves={curves}
      visible={visible}
      logarithmic={options.logarithmic && !areCounts}
      height={height}
      extent={extent}
      marked={step}
      range={range}
      hovered={hovered}
      onToggle={toggle}
      onRange={onRange}
      onHover={onHover}
      onPick={(time) => store.goToStep(time)}
      caption={() => caption(label, [...new Set(curves.filter((_, k) => visible[k]).map(({ type }) => type))])}
      place="values"
    >
      <span class="soft">{counted(longest, "step")}{areCounts && ", numbers of values"}</span>
    </ChartFigure>
  );
}

/** The essential numbers in place of the picture: where the curves are at the step that is shown. */
function described(curves: readonly TimeCurve[], step: number): string {
  const values = curves.flatMap(({ name, type, t, v }) => {
    const place = nearestPoint(t, step);
    return t[place] === step ? [`${name} of ${type} ${brief(v[place]!)}`] : [];
  });
  const said = values.slice(0, SAID).join(", ") + (values.length > SAID ? `, and ${grouped(values.length - SAID)} more` : "");
  return `Chart of ${counted(curves.length, "curve")} over the training steps. At step ${step}: ${said === "" ? "no point" : said}`;
}
