/** The charts of the selected tensor over time, and of those that are pinned, on one time axis. */

import { useMemo, useState } from "preact/hooks";
import { stepLabel } from "../../../data/format/steps";
import type { Network, Trial } from "../../../data/format/types";
import type { SeriesOfTrial } from "../../../data/records/series";
import type { Caption } from "../../../kits/charts/chart_figure";
import { isSamePlot, type Plot } from "../../../kits/charts/curve_chart";
import { sidesOf } from "../../../kits/charts/curve_data";
import { useTimeRange } from "../../../kits/charts/use_time_range";
import { ANY_TYPE, TRIGGERED } from "../../../state/selection/selection";
import type { Store } from "../../../state/store";
import {
  isSamePin,
  MOST_PINS,
  type Pin,
  readPins,
  readTimeOptions,
  type TimeOptions,
  writePins,
  writeTimeOptions,
} from "../../../state/tab_options/over_time_options";
import { Button } from "../../../ui/controls/button";
import { pageFacts, trialFacts } from "../../../ui/figure/caption";
import type { Fact } from "../../../ui/figure/figure";
import { HistogramLanes } from "./histogram_lanes";
import { StepChooser } from "./over_time_curves";
import { recordsOf, type Source, TensorCharts, tensorLabel } from "./tensor_over_time";
import { TimeBar } from "./time_bar";

const HEIGHT = 230;
const SMALL_HEIGHT = 150;

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

export function OverTimeCharts(props: ChartsProps) {
  const { store, trial, series, network, selected, step, stepType } = props;
  const { shared, pins, setPins, isLogarithmic, isLogarithmicByItself, setLogarithmicByItself } = useCharts(props);
  const { options, range, hovered, onOptions, onRange } = shared;
  const [plot, setPlot] = useState<Plot | null>(null);
  return (
    <>
      <TimeBar
        {...props}
        records={[...(selected === null ? [] : [selected]), ...pins].flatMap((tensor) => recordsOf({ series, network }, tensor))}
        options={options}
        isLogarithmic={isLogarithmic}
        isZoomed={range !== null}
        onLogarithmic={() => onOptions({ logarithmic: isLogarithmic === isLogarithmicByItself ? !isLogarithmic : null })}
        onResetZoom={() => onRange(null)}
        onChange={onOptions}
      />
      {!props.isRecorded && (
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
          <PinButton tensor={selected} pins={pins} onPins={setPins} />
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

/** Keeps the curves of a tensor in sight, or lets them go. */
function PinButton({ tensor, pins, onPins }: { tensor: Pin; pins: readonly Pin[]; onPins: (pins: readonly Pin[]) => void }) {
  const isPinned = pins.some((pin) => isSamePin(pin, tensor));
  const toggle = (): void => onPins(isPinned ? pins.filter((pin) => !isSamePin(pin, tensor)) : [...pins, tensor].slice(0, MOST_PINS));
  return (
    <Button
      pressed={isPinned}
      inactive={!isPinned && pins.length >= MOST_PINS}
      title="Keep the curves of this tensor in sight while another is selected"
      testid="pin"
      onClick={toggle}
    >
      Pin
    </Button>
  );
}

/** What all charts share, and what is pinned. */
function useCharts(props: ChartsProps) {
  const { store, trial, series, network, second, aggregation, step, stepType } = props;
  const [timeText, pinsText] = [store.view.value.get("time"), store.view.value.get("pins")];
  const options = useMemo(() => readTimeOptions(timeText), [timeText]);
  const pins = useMemo(() => readPins(pinsText), [pinsText]);
  const [range, setRange] = useTimeRange(store, "tensors", "time");
  const [hovered, setHovered] = useState<number | null>(null);
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
  const change = (changed: Partial<TimeOptions>): void => store.setView("time", writeTimeOptions({ ...options, ...changed }));
  const setPins = (changed: readonly Pin[]): void => store.setView("pins", writePins(changed));
  const statistics = useMemo(() => options.statistics, [options.statistics.join()]);
  const caption = (label: string, groups: readonly string[]): Caption => captionOf(props, label, groups);
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
  return { shared, pins, setPins, isLogarithmic, isLogarithmicByItself, setLogarithmicByItself };
}

function captionOf(
  { store, trial, step, stepType, isSample, aggregationName }: ChartsProps,
  label: string,
  groups: readonly string[],
): Caption {
  const { page, source } = pageFacts(store);
  const types = stepType === ANY_TYPE || stepType === TRIGGERED ? "all" : stepType;
  const facts: Fact[] = [
    ["tensor", label],
    ["recording", groups.join(", ")],
    ["aggregation", isSample ? "Mean over the batch" : aggregationName],
    ["types of steps", types],
    ["marked step", stepLabel(step)],
  ];
  return {
    title: `${label} over time`,
    facts: [...trialFacts(store, trial.name), ...facts, ...page],
    source,
    nameParts: ["over-time", label, trial.name],
  };
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
