/** The buttons above the charts over time, and what the charts show in words. */

import { useMemo } from "preact/hooks";
import { stepInWords } from "../../../data/format/steps";
import type { Trial } from "../../../data/format/types";
import type { SeriesRecord } from "../../../data/records/series";
import { SidesNote } from "../../../kits/charts/curve_legend";
import { ANY_TYPE, TRIGGERED } from "../../../state/selection/selection";
import { STATISTICS, type Statistic, type TimeOptions } from "../../../state/tab_options/over_time_options";
import { Button } from "../../../ui/controls/button";
import { MEANINGS } from "./over_time_curves";

interface Props {
  trial: Trial;
  /** Another trial, B, whose curves are drawn over those of this one. */
  second: { trial: Trial } | null;
  isSample: boolean;
  aggregationName: string;
  step: number;
  stepType: string;
  records: readonly SeriesRecord[];
  options: TimeOptions;
  isLogarithmic: boolean;
  isZoomed: boolean;
  onLogarithmic: () => void;
  onResetZoom: () => void;
  onChange: (changed: Partial<TimeOptions>) => void;
}

export function TimeBar({ trial, second, isSample, aggregationName, step, stepType, ...props }: Props) {
  const { records, options, isLogarithmic, isZoomed, onLogarithmic, onResetZoom, onChange } = props;
  const hasTriggered = useMemo(() => trial.steps.triggered.some((reason) => reason >= 0), [trial]);
  return (
    <>
      <div class="page-bar">
        <Statistics records={records} options={options} onChange={onChange} />
        <Button pressed={isLogarithmic} testid="time-log" onClick={onLogarithmic}>
          Logarithmic
        </Button>
        <Button inactive={!isZoomed} testid="time-reset-zoom" onClick={onResetZoom}>
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
        The line marks {stepInWords(step)}; click to go to another one.
      </p>
    </>
  );
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
