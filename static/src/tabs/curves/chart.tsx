/** One group of curves, from which one goes to recorded steps. */

import { batch } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { stepInWords } from "../../data/format/steps";
import type { Trial } from "../../data/format/types";
import { type Caption, ChartFigure } from "../../kits/charts/chart_figure";
import type { CurveGroup } from "../../kits/charts/curve_data";
import type { StepMarks } from "../../kits/charts/step_marks";
import { timeText } from "../../kits/charts/time_text";
import { useTimeRange } from "../../kits/charts/use_time_range";
import { writeLink } from "../../state/address/url";
import { pinOf } from "../../state/comparison/pin";
import { type NearestStep, nearestStep } from "../../state/selection/nearest_step";
import { rankOf } from "../../state/selection/options";
import type { Store } from "../../state/store";
import { type CurveOptions, curveKey, toggled } from "../../state/tab_options/curve_options";
import { Button } from "../../ui/controls/button";
import { capital, counted } from "../../ui/text/format";
import { stepsAway } from "../../ui/text/near_step";
import { drawnLabel } from "./trial_groups";

const HEIGHT = 280;

interface Props {
  store: Store;
  group: CurveGroup;
  /** The trials that are drawn, the shown one first. */
  drawn: readonly Trial[];
  /** The kinds of curves of this group that a band can stand for, and how many curves these have. */
  kinds: ReadonlyMap<string, number>;
  marks: StepMarks;
  /** The step that a note points at. */
  pointed: number | null;
  options: CurveOptions;
  onOptions: (changed: Partial<CurveOptions>) => void;
  caption: () => Caption;
}

/** Where one went from a point. */
interface Picked {
  time: number;
  nearest: NearestStep;
  /** Trials that can be compared with the shown one there: that of the point, or all others. */
  others: readonly Trial[];
}

export function Chart({ store, group: { group, curves }, drawn, kinds, marks, pointed, options, onOptions, caption }: Props) {
  const trial = drawn[0]!;
  const visible = useMemo(() => curves.map(({ id }) => !options.hidden.includes(id)), [curves, options]);
  const [range, setRange] = useTimeRange(store, "graphs", `curves/${group}`);
  const [hovered, setHovered] = useState<number | null>(null);
  const [picked, setPicked] = useState<Picked | null>(null);
  const [logarithmic, full] = [options.logarithmic.includes(group), options.full.includes(group)];
  const pick = (time: number, curve: number | null): void => {
    const nearest = nearestStep(trial, time);
    if (nearest === null) {
      return;
    }
    const near = drawn.filter((other) => curve !== null && drawnLabel(other, drawn) === curves[curve]!.trial);
    setPicked({ time, nearest, others: (near[0] === undefined || near[0] === trial ? drawn : near).filter((other) => other !== trial) });
    store.goToStep(nearest.step);
  };
  const names = [...new Set(curves.map(({ name }) => name))];
  return (
    <ChartFigure
      words={{
        name: group,
        label: `Curves of ${group}`,
        description: `Chart with ${counted(curves.length, "curve")}; its values are in the legend. Arrow keys walk through its steps, Enter goes to one`,
        wordsAt: (time) => wordsAt(trial, marks, time),
        caption,
      }}
      shown={{
        curves,
        visible,
        logarithmic,
        full,
        quantity: names.length === 1 && names[0] !== group ? `${group}: ${names[0]}` : group,
        height: HEIGHT,
        marked: pointed ?? (trial.steps.step.length === 0 ? null : store.selection.value.step),
        ...(pointed !== null && { valuesAt: pointed }),
        marks,
        range,
        hovered,
      }}
      actions={{
        onToggle: (k) => onOptions({ hidden: toggled(options.hidden, curves[k]!.id) }),
        onRange: setRange,
        onHover: setHovered,
        onPick: pick,
      }}
      place="curves"
      below={picked !== null && <Went store={store} drawn={drawn} picked={picked} />}
    >
      <h2>
        <bdi>{group}</bdi>
      </h2>
      <Button pressed={logarithmic} testid="log-y" onClick={() => onOptions({ logarithmic: toggled(options.logarithmic, group) })}>
        Logarithmic
      </Button>
      <Button
        pressed={full}
        testid="full-range"
        title="Let the axis reach to the points that are far from nearly all others"
        onClick={() => onOptions({ full: toggled(options.full, group) })}
      >
        Full range
      </Button>
      {[...kinds].map(([pattern, count]) => {
        const key = curveKey(group, pattern);
        return (
          <Button
            key={pattern}
            pressed={options.opened.includes(key)}
            testid="open-kind"
            title="Draw each of these curves instead of their median and range"
            onClick={() => onOptions({ opened: toggled(options.opened, key) })}
          >
            Each of the {count} <bdi>{pattern}</bdi>
          </Button>
        );
      })}
      <Button inactive={range === null} testid="reset-zoom" onClick={() => setRange(null)}>
        Reset zoom
      </Button>
    </ChartFigure>
  );
}

/** Which step a point leads to, and what begins there. */
function wordsAt(trial: Trial, { findings }: StepMarks, time: number): string {
  const nearest = nearestStep(trial, time);
  if (nearest === null) {
    return "no step was recorded";
  }
  const titles = findings.filter(({ step }) => step === nearest.step).flatMap((finding) => finding.titles);
  return [recordedWords(nearest), ...(titles.length === 0 ? [] : [`begins there: ${titles.join(", ")}`])].join("; ");
}

/** `step 137 was recorded, 3 steps away`. */
function recordedWords({ step, away }: NearestStep): string {
  return `${stepInWords(step)} was recorded${away === 0 ? "" : `, ${stepsAway(away)} away`}`;
}

/** What was gone to, and what leads on from there. */
function Went({ store, drawn, picked: { time, nearest, others } }: { store: Store; drawn: readonly Trial[]; picked: Picked }) {
  const { step, away } = nearest;
  const link = `#${writeLink("tensors", { ...store.selection.value, step }, store.view.value)}`;
  return (
    <p class="chart-went" role="status" data-testid="chart-went">
      {capital(stepInWords(step))} is selected
      {away === 0 ? "" : `: the nearest recorded one, ${stepsAway(away)} away from ${timeText(time)}`}.{" "}
      <a href={link} data-testid="show-tensors">
        Show its tensors
      </a>
      {others.map((other) => (
        <Button key={drawnLabel(other, drawn)} testid="compare-here" onClick={() => compareAt(store, other, time)}>
          Compare with <bdi>{drawnLabel(other, drawn)}</bdi> here
        </Button>
      ))}
    </p>
  );
}

/** Compares the shown trial with another one, at its own recorded step that is nearest to the time. */
function compareAt(store: Store, other: Trial, time: number): void {
  const { selection, bundle } = store;
  const step = nearestStep(other, time)?.step ?? selection.value.step;
  batch(() => {
    store.setPin({ ...pinOf(selection.value), trial: other.name, rank: rankOf(bundle, other), step });
    store.setView("pane", "compare");
    store.tab.value = "tensors";
  });
}
