/** By which statistic the nodes are coloured, and what the colours mean. */

import { useMemo } from "preact/hooks";
import type { OpenStep } from "../../../../state/selection/open_step";
import type { Shown, Store } from "../../../../state/store";
import { Button } from "../../../../ui/controls/button";
import { brief, counted, percent } from "../../../../ui/text/format";
import { numbersInWords } from "../../numbers_in_words";
import { type Coloring, readColorChoice, SCALES, writeColorChoice } from "./coloring";
import { isOfParameters, type Statistic, statisticLabel, statisticsOf } from "./node_numbers";
import { readRanking } from "./ranking";
import type { StepParameters } from "./step_parameters";
import type { Colored } from "./use_coloring";

interface Props {
  store: Store;
  open: OpenStep;
  iteration: number;
  recording: string;
  parameters: StepParameters | null;
  colored: Colored | null;
}

export function ColorBar({ store, open, iteration, recording, parameters, colored }: Props) {
  const statistics = useMemo(() => statisticsOf(open, iteration, recording, parameters), [open, iteration, recording, parameters]);
  const ranking = readRanking(store.view.value.get("ranking"));
  const value = colored === null ? "" : writeColorChoice({ ...colored.choice, scale: null });
  const differences =
    store.pin.value === null
      ? []
      : statistics.map((statistic) => ({ statistic, text: writeColorChoice({ statistic, scale: null, isDifference: true }) }));
  return (
    <div class="graph-option" role="group" aria-label="Colors of the nodes">
      <label for="graph-color">Color</label>
      <select
        id="graph-color"
        data-testid="graph-color"
        value={value}
        onChange={(event) => store.setView("color", event.currentTarget.value || null)}
      >
        <option value="" selected={value === ""}>
          by type
        </option>
        {statistics.map((statistic) => (
          <option key={statistic} value={statistic} selected={statistic === value}>
            {statisticLabel(statistic)}
          </option>
        ))}
        {differences.length > 0 && (
          <optgroup label="How much A differs from B">
            {differences.map(({ statistic, text }) => (
              <option key={text} value={text} selected={text === value}>
                {statisticLabel(statistic)}, A {"\u2212"} B
              </option>
            ))}
          </optgroup>
        )}
      </select>
      <Button
        testid="ranking-toggle"
        keys="l"
        title="List the nodes in the order of their numbers (key l)"
        pressed={ranking !== null}
        onClick={() =>
          store.setView("ranking", ranking !== null ? null : colored === null || colored.choice.isDifference ? "largest" : "smallest")
        }
      >
        Ranking
      </Button>
    </div>
  );
}

/** What the colours mean, in a corner of the graph: a choice of colour moves nothing. */
export function ColorKey({ store, shown, colored }: { store: Store; shown: Shown; colored: Colored }) {
  const { recording, aggregation } = shown.selection;
  return (
    <div class="graph-option">
      <span class="soft" data-testid="color-of">
        {statisticLabel(colored.choice.statistic)}
        {!isOfParameters(colored.choice.statistic) && `: ${numbersInWords(store, recording, aggregation, shown.open)}`}
      </span>
      {colored.state !== "ready" && (
        <span class="soft" role="status">
          {colored.state === "loading" ? "Loading\u2026" : "Some numbers could not be loaded."}
        </span>
      )}
      {colored.state !== "loading" &&
        (colored.choice.isDifference ? (
          <DifferenceLegend colored={colored} />
        ) : (
          <ColorLegend store={store} recording={recording} colored={colored} />
        ))}
    </div>
  );
}

/** Both ends of the scale as parts of the larger of both magnitudes; in its middle A and B are the same. */
function DifferenceLegend({ colored: { coloring, choice } }: { colored: Colored }) {
  const { low, high } = coloring;
  const range = `from ${percent(low)} (blue) to ${percent(high)} (orange)`;
  const said = `${statisticLabel(choice.statistic)}, A \u2212 B, relative to the larger of both: ${range}`;
  return (
    <>
      {Number.isNaN(low) ? (
        <span class="soft" data-testid="color-scale">
          no node has a number in both
        </span>
      ) : high === 0 ? (
        <span class="soft" data-testid="color-scale">
          {statisticLabel(choice.statistic)} is the same everywhere
        </span>
      ) : (
        <span class="color-scale" role="img" data-testid="color-scale" title={said} aria-label={said}>
          <span>A {"\u2212"} B</span>
          <span>{percent(low)}</span>
          <span class="color-ramp diverging" />
          <span>{percent(high)}</span>
        </span>
      )}
      <span class="color-signs" data-testid="color-signs">
        {signsInWords(coloring)}
      </span>
    </>
  );
}

function ColorLegend({
  store,
  recording,
  colored: {
    coloring,
    choice: { statistic },
  },
}: {
  store: Store;
  recording: string;
  colored: Colored;
}) {
  const hasScale = !Number.isNaN(coloring.low);
  const choose = (scale: (typeof SCALES)[number]): void => {
    const choice = readColorChoice(store.view.value.get("color"));
    if (choice !== null) {
      store.setView("color", writeColorChoice({ ...choice, scale }));
    }
  };
  return (
    <>
      {hasScale ? (
        <span class="color-scale" role="img" data-testid="color-scale" aria-label={scaleInWords(coloring, statistic, recording)}>
          <span>
            {coloring.below > 0 && "\u2264 "}
            {brief(coloring.low)}
          </span>
          <span class="color-ramp" />
          <span>
            {coloring.above > 0 && "\u2265 "}
            {brief(coloring.high)}
          </span>
        </span>
      ) : (
        <span class="soft" data-testid="color-scale">
          no node has a number on this scale
        </span>
      )}
      <div class="button-group" role="group" aria-label="Scale of the colors">
        {SCALES.map((scale) => (
          <Button key={scale} testid={`color-${scale}`} pressed={coloring.scale === scale} onClick={() => choose(scale)}>
            {scale === "log" ? "Log" : "Linear"}
          </Button>
        ))}
      </div>
      <span class="color-signs" data-testid="color-signs">
        {signsInWords(coloring)}
      </span>
    </>
  );
}

function scaleInWords({ low, high, scale, ofMagnitudes }: Coloring, statistic: Statistic, recording: string): string {
  const name = `${statisticLabel(statistic)}${isOfParameters(statistic) ? "" : ` of ${recording}`}`;
  const range = `from ${brief(low)} (dark) to ${brief(high)} (bright)`;
  return `${ofMagnitudes ? "Magnitude of " : ""}${name}: ${range}, ${scale === "log" ? "logarithmic" : "linear"}`;
}

/** What is not on the scale, and how it is marked. */
function signsInWords({ ofMagnitudes, notFinite, zeros, below, above, without, equal }: Coloring): string {
  return [
    ...(ofMagnitudes ? ["magnitudes"] : []),
    ...(below > 0 ? [`${below} far below the others (<)`] : []),
    ...(above > 0 ? [`${above} far above the others (>)`] : []),
    ...(notFinite > 0 ? [`${notFinite} NaN or infinite (marked)`] : []),
    ...(zeros > 0 ? [`${zeros} exactly zero (0)`] : []),
    ...(equal > 0 ? [`${equal} the same (=)`] : []),
    ...(without > 0 ? [`hatched: ${counted(without, "node")} without a number`] : []),
  ].join(" \u00b7 ");
}
