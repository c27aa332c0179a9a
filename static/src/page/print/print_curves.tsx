/** The curves of a trial, printed. */

import { useMemo } from "preact/hooks";
import type { Loaded } from "../../data/bundle";
import type { Curve, Trial } from "../../data/format/types";
import { paperCurveColors } from "../../kits/charts/chart_figure";
import { labelsOf } from "../../kits/charts/curve_chart";
import { curvesDrawing } from "../../kits/charts/curve_figure";
import { SidesNote, sidesRemark } from "../../kits/charts/curve_legend";
import type { Store } from "../../state/store";
import { readCurveOptions } from "../../state/tab_options/curve_options";
import { curvesCaption } from "../../tabs/curves/curves";
import { groupsOfTrials } from "../../tabs/curves/trial_groups";
import type { Figure } from "../../ui/figure/figure";
import { absence, FigureOf, Section } from "./print_section";

interface CurvesProps {
  store: Store;
  trial: Trial;
  curves: Loaded<Curve[]>;
  /** The trial of B, where it is another one. */
  second: Trial | null;
}

export function PrintedCurves({ store, trial, curves, second }: CurvesProps) {
  const others = second === null ? null : store.bundle.curves(second);
  const figures = useMemo(
    () =>
      curves.state === "ready"
        ? curveFigures(store, trial, curves.value, others?.state === "ready" ? { trial: second!, curves: others.value } : null)
        : [],
    [curves.state, others?.state],
  );
  if (curves.state !== "ready") {
    return (
      <Section title="Curves" page="own-page">
        <p>{absence(curves)}</p>
      </Section>
    );
  }
  return figures.length === 0 ? null : (
    <Section title="Curves" page="own-page">
      {second !== null && (
        <p class="soft">
          <SidesNote trial={trial} second={second} />
        </p>
      )}
      {others !== null && others.state !== "ready" && <p>Those of B: {absence(others)}</p>}
      {figures.map((figure, k) => (
        <FigureOf key={k} figure={figure} />
      ))}
    </Section>
  );
}

function curveFigures(
  store: Store,
  trial: Trial,
  curves: readonly Curve[],
  second: { trial: Trial; curves: readonly Curve[] } | null,
): Figure[] {
  const colorOf = paperCurveColors();
  const options = readCurveOptions(store.view.value.get("curves"));
  const drawn = [{ trial, curves }, ...(second === null ? [] : [second])];
  return groupsOfTrials(store.bundle, drawn, second?.trial ?? null, options).map((group) => {
    const logarithmic = options.logarithmic.includes(group.group);
    return {
      ...curvesCaption(store, trial.name, group.group),
      remarks: sidesRemark(group.curves).map((remark) => `${remark}.`),
      drawing: curvesDrawing({
        curves: group.curves,
        visible: group.curves.map(({ id }) => !options.hidden.includes(id)),
        logarithmic,
        full: options.full.includes(group.group),
        range: null,
        extent: [],
        marked: null,
        marks: undefined,
        labels: labelsOf(group.group, logarithmic),
        colorOf,
      }),
    };
  });
}
