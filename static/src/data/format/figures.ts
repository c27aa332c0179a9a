/** Figures that were drawn at export: which selection has which, and the documents. */

import { column, integer, object, oneOf, rowsOf, text } from "./checks";
import { type ChunkTable, FIGURE_KINDS, type FigureDocument, type FigureSelections, type PlotlyFrame } from "./types";

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

export function parseFigureSelections(value: unknown, chunks: ChunkTable, where: string): FigureSelections {
  const root = object(value, where);
  const rows = rowsOf(root, "step", where);
  const read = (key: keyof FigureSelections, low: number, high?: number): number[] =>
    column(integer(low, high), rows)(root[key], `${where}.${key}`);
  return {
    step: read("step", ANY),
    iteration: read("iteration", ANY),
    sample: read("sample", ANY),
    chunk: read("chunk", 0, chunks.bytes.length - 1),
    position: read("position", 0),
  };
}

export function parseFigureDocument(value: unknown, where: string): FigureDocument {
  const root = object(value, where);
  return { kind: oneOf(FIGURE_KINDS)(root.kind, `${where}.kind`), text: text(root.text, `${where}.text`) };
}

export function parsePlotlyFrame(value: unknown, where: string): PlotlyFrame {
  const root = object(value, where);
  return { before: text(root.before, `${where}.before`), behind: text(root.behind, `${where}.behind`) };
}
