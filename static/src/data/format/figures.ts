/** Figures that were drawn at export: which selection has which, and the documents. */

import { type Checked, integer, oneOf, record, table, text } from "./checks";
import { stepNumber } from "./steps";
import type { ChunkTable } from "./types";

/** Where a document is: a chunk that holds a list, and the position in it. */
export interface FigurePlace {
  chunk: number;
  position: number;
}

/** Stands for what a figure does not depend on, and for the batch as a whole among samples. */
export const ANY = -1;

/** What was drawn of a figure for one trial. */
export class FigureOfTrial {
  private readonly places = new Map<string, FigurePlace>();

  constructor({ step, iteration, sample, chunk, position }: FigureSelections) {
    step.forEach((number, k) => this.places.set(keyOf(number, iteration[k]!, sample[k]!), { chunk: chunk[k]!, position: position[k]! }));
  }

  /** What was drawn for a selection, if anything was; `ANY` stands for what the figure does not depend on. */
  find(step: number, iteration: number, sample: number): FigurePlace | undefined {
    return this.places.get(keyOf(step, iteration, sample));
  }
}

function keyOf(step: number, iteration: number, sample: number): string {
  return `${step}/${iteration}/${sample}`;
}

/** For which selections a figure was drawn, and where that is. What it does not depend on is `ANY`; so is a `sample` that is the batch. */
type FigureSelections = ReturnType<typeof parseFigureSelections>;
export function parseFigureSelections(value: unknown, { bytes }: ChunkTable, where: string) {
  const chunk = integer(0, bytes.length - 1);
  const read = table("step", () => ({
    step: (step, at) => (step === ANY ? ANY : stepNumber(step, at)),
    iteration: integer(ANY),
    sample: integer(ANY),
    chunk,
    position: integer(0),
  }));
  return read(value, where);
}

/** What was drawn for a selection: an image, the document of a frame, the JSON of a figure of plotly, or a traceback. */
export type FigureDocument = Checked<typeof parseFigureDocument>;
export const parseFigureDocument = record({ kind: oneOf(["svg", "html", "plotly", "error"] as const), text });

/** The document of a frame that shows a figure of plotly: what comes before its JSON, and what comes behind it. */
export type PlotlyFrame = Checked<typeof parsePlotlyFrame>;
export const parsePlotlyFrame = record({ before: text, behind: text });
