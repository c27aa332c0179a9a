/** The buttons that save a panel as a figure, and what paper has of it. */

import { useMemo } from "preact/hooks";
import type { Loaded } from "../../../data/bundle";
import { stepInWords } from "../../../data/format/steps";
import type { HistogramRecord, StepHistogram } from "../../../data/records/histograms";
import { panelColors } from "../../../kits/history/history_colors";
import type { Store } from "../../../state/store";
import { FigureButtons } from "../../../ui/figure/buttons";
import { pageFacts, trialFacts } from "../../../ui/figure/caption";
import type { Figure } from "../../../ui/figure/figure";
import { pngAddress } from "../../../ui/figure/pixels";
import { loaded } from "../../../ui/scheduling/until_loaded";
import { withPaperColors } from "../../../ui/theme";
import { type PanelShown, panelDrawing } from "./panel_drawing";

interface Props {
  store: Store;
  /** The name of the module, and its type. */
  name: string;
  type: string;
  /** The types of steps that are shown. */
  types: readonly string[];
  columns: readonly string[];
  rows: readonly { label: string; records: readonly (HistogramRecord | undefined)[] }[];
  view: Pick<PanelShown, "scale" | "step" | "quantiles">;
}

export function PanelFigure(props: Props) {
  const { store, name, rows } = props;
  const records = useMemo(() => rows.flatMap((row) => row.records.filter((record) => record !== undefined)), [rows]);
  return (
    <FigureButtons
      name={`panel of ${name}`}
      place="panels"
      load={() => loaded(store, () => readAll(store, records))}
      make={() => figureOf(props)}
    />
  );
}

function readAll({ bundle: { chunks } }: Store, records: readonly HistogramRecord[]): Loaded<true> {
  const needed = records.flatMap((record) => record.chunks);
  const error = chunks.failureOf(needed);
  const missing = needed.filter((id) => chunks.peek(id) === undefined);
  if (error !== undefined) {
    return { state: "failed", error };
  }
  chunks.request(missing);
  return missing.length === 0 ? { state: "ready", value: true } : { state: "loading" };
}

/** The page names damage beside the picture; here the picture is missing. */
function readable(record: HistogramRecord): readonly StepHistogram[] | undefined {
  try {
    return record.read();
  } catch {
    return undefined;
  }
}

function figureOf({ store, name, type, types, columns, rows, view }: Props): Figure {
  const { page, source } = pageFacts(store);
  const { trial } = store.selection.value;
  return {
    title: `${name}: histograms over ${view.scale.axis === "step" ? "steps" : view.scale.axis === "epoch" ? "epochs" : "time"}`,
    drawing: panelDrawing(
      {
        ...view,
        columns,
        rows: rows.map(({ label, records }) => ({
          label,
          plots: records.map((record) => (record === undefined ? null : { steps: record.steps, histograms: readable(record) })),
        })),
        colors: withPaperColors(panelColors),
      },
      pngAddress,
    ),
    facts: [
      ["module", `${name} (${type})`],
      ...trialFacts(store, trial),
      ["steps", types.join(" and ")],
      ["marked", stepInWords(view.step)],
      ...page,
    ],
    remarks: [
      "A column is a step, a row a bin of values, logarithmic on both sides of zero.",
      ...(view.quantiles ? ["Lines: the median, and the range of the middle 90 % of the values."] : []),
    ],
    source,
    nameParts: ["panel", trial, name],
  };
}
