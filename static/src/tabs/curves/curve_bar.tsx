/** What holds for all charts: how they are smoothed, and which trials they show in which colours. */

import type { Trial } from "../../data/format/types";
import type { Store } from "../../state/store";
import {
  type CurveOptions,
  SMOOTHING_PARTS,
  SMOOTHINGS,
  type Smoothing,
  toggled,
  trialColors,
} from "../../state/tab_options/curve_options";
import { Button } from "../../ui/controls/button";
import { Select } from "../../ui/controls/select";
import { grouped } from "../../ui/text/format";

/** What the colours of curves are called, in their order. */
const COLOR_NAMES = ["blue", "orange", "green", "red", "violet", "brown", "pink", "gray", "olive", "teal", "indigo", "lime"];

/** The list of more trials is closed at first. */
const MOST_IN_SIGHT = 12;

interface Props {
  store: Store;
  /** The trials that are drawn, the shown one first. */
  drawn: readonly Trial[];
  /** B, which is always drawn. */
  second: Trial | null;
  options: CurveOptions;
  onOptions: (changed: Partial<CurveOptions>) => void;
}

export function CurveBar({ store, drawn, second, options, onOptions }: Props) {
  const names = [...new Set(store.bundle.index.trials.map(({ name }) => name))];
  const colors = trialColors(store.bundle.index.trials, options.colors);
  const fixed = [drawn[0]!.name, ...(second === null ? [] : [second.name])];
  const shown = drawn.map(({ name }) => name);
  return (
    <div class="page-bar curve-bar">
      <label>
        Smoothing
        <Select
          testid="smoothing"
          title="Means of parts of the time. NaN and infinities stay in sight."
          choices={SMOOTHINGS.map((smoothing) => [smoothing, nameOf(smoothing)])}
          value={options.smoothing}
          onChange={(smoothing) => onOptions({ smoothing: SMOOTHINGS.find((known) => known === smoothing) ?? "none" })}
        />
      </label>
      {names.length > 1 && (
        <details class="curve-trials" open={names.length <= MOST_IN_SIGHT}>
          <summary>
            Trials: {shown.length} of {grouped(names.length)} drawn
          </summary>
          <ul aria-label="Trials; press to draw or leave out">
            {names.map((name) => (
              <li key={name}>
                <Button
                  class="chip"
                  testid="curve-trial"
                  pressed={shown.includes(name)}
                  inactive={fixed.includes(name)}
                  title={fixed.includes(name) ? `${name} is always drawn: it is shown, or compared with what is shown` : name}
                  style={shown.length > 1 ? { "--trial-color": `var(--curve-${colors.get(name)})` } : undefined}
                  onClick={() => fixed.includes(name) || onOptions({ trials: toggled(shown, name) })}
                >
                  {shown.includes(name) && <span aria-hidden="true">{"\u2713"}</span>}
                  {shown.length > 1 && <span class="trial-swatch" aria-hidden="true" />}
                  <span class="chip-text">
                    <bdi>{name}</bdi>
                  </span>
                </Button>
                {shown.includes(name) && shown.length > 1 && (
                  <Select
                    testid="trial-color"
                    label={`Color of ${name}`}
                    choices={COLOR_NAMES.map((color, k) => [String(k), color])}
                    value={String(colors.get(name))}
                    onChange={(color) => onOptions({ colors: new Map([...options.colors, [name, Number(color)]]) })}
                  />
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function nameOf(smoothing: Smoothing): string {
  return smoothing === "none" ? "none" : `${smoothing} (${SMOOTHING_PARTS[smoothing]} means)`;
}
