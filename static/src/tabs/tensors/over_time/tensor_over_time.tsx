/** One tensor over all recorded steps: its values in a chart, and how many of them are special in another one. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { stepInWords } from "../../../data/format/steps";
import type { Network } from "../../../data/format/types";
import type { SeriesOfTrial, SeriesRecord } from "../../../data/records/series";
import { type Caption, ChartFigure } from "../../../kits/charts/chart_figure";
import type { Plot, TimeRange } from "../../../kits/charts/curve_chart";
import { nearestPoint, valueInWords } from "../../../kits/charts/curve_data";
import type { Store } from "../../../state/store";
import type { Pin, Statistic, TimeOptions } from "../../../state/tab_options/over_time_options";
import { Failure } from "../../../ui/notices/failure";
import { counted, grouped, nodeLabel, recordingLabel } from "../../../ui/text/format";
import { placeOfParameter } from "../../../ui/text/training_text";
import { onAxes } from "./over_time_axes";
import { type CurvesOf, chunksOf, MEANINGS, type TimeCurve, timeCurves } from "./over_time_curves";

/** So many curves have their values in the text that stands for the picture. */
const SAID = 6;

/** So few curves have their legend above the chart: it leaves the chart in sight. */
const FEW = 6;

/** A trial whose curves are drawn. */
export interface Source extends Omit<CurvesOf, "records"> {
  series: SeriesOfTrial;
  network: Network | null;
}

/** What there is of a tensor over time, and, where it is a parameter, what steps did to it. */
export function recordsOf({ series, network }: Pick<Source, "series" | "network">, { name, iteration }: Pin): SeriesRecord[] {
  const place = network === null || iteration >= 0 ? null : placeOfParameter(network, name);
  const ofParameter = place && (series.parameter(place.position) ?? series.parameter(place.shared));
  return [...series.records(name, iteration), ...(ofParameter ? [ofParameter] : [])];
}

interface TensorProps {
  store: Store;
  /** Position among the aggregations over the batch. */
  aggregation: number;
  /** The step that is shown. */
  step: number;
  tensor: Pin;
  /** The trial that is shown, and behind it B, where that is another one. */
  sources: readonly Source[];
  options: TimeOptions;
  /** Those of the options; the same list as long as they are the same. */
  statistics: readonly Statistic[];
  extent: readonly number[];
  range: TimeRange;
  hovered: number | null;
  height: number;
  caption: (label: string, groups: readonly string[]) => Caption;
  onOptions: (changed: Partial<TimeOptions>) => void;
  onRange: (range: TimeRange) => void;
  onHover: (time: number | null) => void;
  /** Told whether its axis is logarithmic unless another one is chosen. */
  onAxis?: (isLogarithmic: boolean) => void;
  /** Told where the first chart is drawn. */
  onDraw?: (plot: Plot) => void;
  /** Beside its name. */
  children: ComponentChildren;
}

export function tensorLabel({ name, iteration }: Pin): string {
  return iteration < 0 ? nodeLabel(name) : `${nodeLabel(name)}, iteration ${iteration}`;
}

/** The values of a tensor in one chart, and how many of them are special in another one. */
export function TensorCharts(props: TensorProps) {
  const { store, sources, tensor, statistics, aggregation } = props;
  const { name, iteration } = tensor;
  const label = tensorLabel(tensor);
  const curvesOf = useMemo(
    () => sources.map((source) => ({ ...source, records: recordsOf(source, { name, iteration }) })),
    [sources, name, iteration],
  );
  const records = useMemo(() => curvesOf.flatMap((source) => source.records), [curvesOf]);
  const ids = useMemo(() => chunksOf(records, statistics, aggregation), [records, statistics, aggregation]);
  const { chunks } = store.bundle;
  const failure = chunks.failureOf(ids);
  const waiting = ids.some((id) => chunks.peek(id) === undefined);
  if (waiting && failure === undefined) {
    chunks.request(ids);
  }
  const curves = useMemo(() => {
    const groups = [...new Set(records.map((record) => record.group))];
    return waiting ? [] : curvesOf.flatMap((source) => timeCurves(source, statistics, aggregation, groups));
  }, [curvesOf, records, statistics, aggregation, waiting]);
  const values = useMemo(() => curves.filter((curve) => !curve.isCount), [curves]);
  const counts = useMemo(() => curves.filter((curve) => curve.isCount), [curves]);
  const axes = useMemo(
    () => onAxes(values, props.options.logarithmic).filter((axis) => axis.curves.length > 0),
    [values, props.options.logarithmic],
  );
  const { onAxis } = props;
  useLayoutEffect(() => onAxis?.(onAxes(values, null)[0]!.logarithmic), [values]);
  return (
    <div class="tensor-over-time" data-testid="tensor-over-time" data-tensor={label}>
      <div class="tensor-head">
        <h3 title={label}>
          <bdi>{label}</bdi>
        </h3>
        {props.children}
      </div>
      {failure !== undefined && <Failure store={store} error={failure} what="the curves" />}
      {failure === undefined && curves.length === 0 && (
        <p class="empty" role="status" data-testid="over-time-empty">
          {waiting ? "Loading\u2026" : emptyText(records, statistics)}
        </p>
      )}
      {sources.length > 1 &&
        records.length > 0 &&
        curvesOf.map(
          ({ of, records: own }) =>
            own.length === 0 && (
              <p key={of?.side} class="soft" data-testid="over-time-missing">
                {of?.side} has no tensor of this name.
              </p>
            ),
        )}
      {axes.map(({ curves: own, logarithmic, group }, k) => (
        <TimeChart
          key={group}
          {...props}
          onDraw={k === 0 ? props.onDraw : undefined}
          label={group === null ? label : `${label}, ${recordingLabel(group)}`}
          curves={own}
          logarithmic={logarithmic}
        />
      ))}
      {counts.length > 0 && (
        <TimeChart {...props} label={`${label}, numbers of values`} curves={counts} logarithmic={false} onDraw={undefined} />
      )}
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

interface TimeChartProps extends Omit<TensorProps, "onDraw"> {
  onDraw: ((plot: Plot) => void) | undefined;
  label: string;
  curves: readonly TimeCurve[];
  logarithmic: boolean;
}

function TimeChart({
  store,
  label,
  curves,
  logarithmic,
  options,
  extent,
  range,
  hovered,
  step,
  height,
  caption,
  onOptions,
  onRange,
  onHover,
  onDraw,
}: TimeChartProps) {
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
      words={{
        name: label,
        label: `${label} over time`,
        description: described(
          curves.filter((_, k) => visible[k]),
          step,
        ),
        caption: () => caption(label, [...new Set(curves.filter((_, k) => visible[k]).map(({ type }) => type))]),
      }}
      shown={{
        curves,
        visible,
        logarithmic,
        full: true,
        quantity: areCounts ? "number of values" : "value",
        height,
        extent,
        marked: step,
        valuesAt: step,
        range,
        hovered,
      }}
      actions={{
        onToggle: toggle,
        onRange,
        onHover,
        onPick: (time) => store.goToStep(time),
        ...(onDraw !== undefined && { onDraw }),
      }}
      place="values"
      isLegendFirst={curves.length <= FEW}
    >
      <span class="soft">
        {counted(longest, "step")}
        {areCounts && ", numbers of values"}
      </span>
    </ChartFigure>
  );
}

/** The essential numbers in place of the picture: where the curves are at the step that is shown. */
function described(curves: readonly TimeCurve[], step: number): string {
  const values = curves.flatMap((curve) => {
    const { name, type, t } = curve;
    const place = nearestPoint(t, step);
    return t[place] === step ? [`${name} of ${type} ${valueInWords(curve, place)}`] : [];
  });
  const said = values.slice(0, SAID).join(", ") + (values.length > SAID ? `, and ${grouped(values.length - SAID)} more` : "");
  return `Chart of ${counted(curves.length, "curve")} over the training steps. At ${stepInWords(step)}: ${said === "" ? "no point" : said}`;
}
