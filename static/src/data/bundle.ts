/** The bundle as views use it: everything that is loaded can be read at once, and asking for what is not loaded loads it. */

import { ChunkStore } from "./arrays/chunks";
import { placeArrays } from "./arrays/lanes";
import { parseCalls } from "./format/calls";
import { parseCurves, parseGaps, parseGraph, parseLayout, parseNetwork, parseNotes } from "./format/documents";
import { DamagedBundleError, messageOf } from "./format/errors";
import {
  type FigureDocument,
  FigureOfTrial,
  type FigurePlace,
  type PlotlyFrame,
  parseFigureDocument,
  parseFigureSelections,
  parsePlotlyFrame,
} from "./format/figures";
import { type FindingsDocument, parseFindings } from "./format/findings";
import {
  type Calls,
  type Curve,
  type Figure,
  type Gap,
  type Graph,
  type Index,
  type Layout,
  type ModuleRuns,
  type Network,
  type Note,
  type ParameterList,
  type Places,
  parseFacts,
  parseModuleRuns,
  parseParameterList,
  type StepFacts,
  type Trial,
} from "./format/types";
import { parseFlows } from "./records/flow_list";
import { FlowsOfTrial } from "./records/flows";
import { HistogramPart, parseHistograms } from "./records/histograms";
import { type RecordTable, recordTable } from "./records/record_offsets";
import { parseSeries, SeriesOfTrial } from "./records/series";
import { StepNumbers } from "./records/step_numbers";
import { HistogramsOfTrial } from "./records/trial_histograms";

/** Something that is loaded, on its way, or unavailable. */
export type Loaded<T> = { state: "ready"; value: T } | { state: "loading" } | { state: "failed"; error: Error };

const LOADING = { state: "loading" } as const;
const NOTHING = { state: "ready", value: null } as const;

/** What a step holds: its layout, where its records' numbers are, and the numbers. */
export interface StepContent {
  layout: Layout;
  table: RecordTable;
  numbers: StepNumbers;
}

type Parser<T> = (value: unknown, where: string) => T;

/** A document, and the chunk that it is from. */
interface Parsed {
  chunk: number;
  /** Where in the chunk; together they are its key. */
  place: string;
  value: unknown;
}

/** Parsed documents that are kept. */
const DOCUMENTS = 2048;

export class Bundle {
  readonly chunks: ChunkStore;
  private readonly parsed = new Map<string, Parsed>();
  /** Readers of the numbers that a document describes, by the document's chunk. */
  private readonly readers = new Map<number, unknown>();
  private readonly tables = new WeakMap<Layout, RecordTable>();
  private readonly histogramsOf = new Map<Trial, HistogramsOfTrial>();

  constructor(
    readonly index: Index,
    read: (id: number) => Promise<string>,
    onChange: (isAwaited: boolean) => void,
  ) {
    this.chunks = new ChunkStore({ table: index.chunks, read, onChange });
  }

  /**
   * Takes over the chunks and documents of an older build of the same data that are in this one too: they need not be loaded, and what was
   * worked out of a document stays true of it, since it is the same object.
   */
  inherit(older: Bundle): void {
    this.chunks.inherit(older.chunks);
    for (const document of older.parsed.values()) {
      const chunk = this.chunks.numberOf(older.chunks, document.chunk);
      if (chunk !== undefined) {
        this.remember({ ...document, chunk });
      }
    }
    for (const [chunk, reader] of older.readers) {
      const own = reader instanceof HistogramPart ? this.chunks.numberOf(older.chunks, chunk) : undefined;
      const part = reader instanceof HistogramPart ? reader.movedTo(this.chunks) : undefined;
      if (own !== undefined && part !== undefined) {
        this.readers.set(own, part);
      }
    }
  }

  text(position: number): string {
    return this.index.strings[position] ?? "";
  }

  /** A step's type of execution. */
  typeOf(trial: Trial, step: number): string {
    return this.text(trial.steps.type[step] ?? -1);
  }

  network = (trial: Trial): Loaded<Network> => this.document(trial.network, null, parseNetwork, "The network");
  notes = (trial: Trial): Loaded<Note[]> => this.document(trial.notes, null, parseNotes, "The list of notes");
  curves = (trial: Trial): Loaded<Curve[]> => this.document(trial.curves, null, parseCurves, "The list of curves");
  gaps = (trial: Trial): Loaded<Gap[]> => this.document(trial.gaps, null, parseGaps, "The list of gaps");

  /** What rules found in the trial; null where none was checked. */
  findings = (trial: Trial): Loaded<FindingsDocument | null> =>
    trial.findings < 0 ? NOTHING : this.document(trial.findings, null, parseFindings, "The list of findings");

  /** What the trial has over time; null where there is nothing. */
  series(trial: Trial): Loaded<SeriesOfTrial | null> {
    const open = (value: unknown, where: string): SeriesOfTrial =>
      new SeriesOfTrial(parseSeries(value, this.index.chunks, where), this.chunks);
    return trial.series < 0 ? NOTHING : this.reader(trial.series, open, "The list of values over time");
  }

  /** The histograms that the trial has over time; null where there are none. */
  histograms(trial: Trial): Loaded<HistogramsOfTrial | null> {
    const known = this.histogramsOf.get(trial);
    if (trial.histograms.length === 0 || known !== undefined) {
      return { state: "ready", value: known ?? null };
    }
    const open = (value: unknown, where: string): HistogramPart =>
      new HistogramPart(parseHistograms(value, this.index.chunks, where), this.chunks);
    const parts = all(trial.histograms.map((chunk) => this.reader(chunk, open, "The list of histograms")));
    if (parts.state !== "ready") {
      return parts;
    }
    try {
      const value = new HistogramsOfTrial(parts.value);
      this.histogramsOf.set(trial, value);
      return { state: "ready", value };
    } catch (error) {
      return failed(error);
    }
  }

  /** The same, where a view has read them; nothing is loaded for that. */
  histogramsRead(trial: Trial): HistogramsOfTrial | undefined {
    return this.histogramsOf.get(trial);
  }

  /** The gradient flows of the trial's steps; null where there are none. */
  flows(trial: Trial): Loaded<FlowsOfTrial | null> {
    const open = (value: unknown, where: string): FlowsOfTrial =>
      new FlowsOfTrial(parseFlows(value, this.index.chunks, where), this.chunks);
    return trial.flows < 0 ? NOTHING : this.reader(trial.flows, open, "The list of gradient flows");
  }

  /** What was drawn of a figure for a trial, given by its position; null where nothing was. */
  figure(figure: Figure, trial: number): Loaded<FigureOfTrial | null> {
    const chunk = figure.selections[trial] ?? -1;
    const parse = (value: unknown, where: string): FigureOfTrial =>
      new FigureOfTrial(parseFigureSelections(value, this.index.chunks, where));
    return chunk < 0 ? NOTHING : this.document(chunk, null, parse, "The list of drawings");
  }

  figureDocument(place: FigurePlace): Loaded<FigureDocument> {
    return this.document(place.chunk, place.position, parseFigureDocument, "The figure");
  }

  plotlyFrame(): Loaded<PlotlyFrame> {
    return this.index.plotly < 0
      ? failed(new DamagedBundleError("The script that draws Plotly figures is missing."))
      : this.document(this.index.plotly, null, parsePlotlyFrame, "The script that draws Plotly figures");
  }

  layout(number: number): Loaded<Layout> {
    return this.listed(this.index.layouts, number, parseLayout, "The layout");
  }

  graph(number: number): Loaded<Graph> {
    return this.listed(this.index.structures, number, parseGraph, "The graph");
  }

  calls(number: number): Loaded<Calls> {
    return this.listed(this.index.calls, number, parseCalls, "The module calls");
  }

  /** The positions of the calls of a step's iterations, -1 where there are none; empty where no module was watched. */
  callSet(trial: Trial, step: number): readonly number[] {
    return this.index.call_sets[trial.steps.call_set[step] ?? -1] ?? [];
  }

  /** What is known of a step besides its tensors; null where nothing is. */
  facts(trial: Trial, step: number): Loaded<StepFacts | null> {
    const number = trial.steps.facts[step] ?? -1;
    return number < 0 ? NOTHING : this.listed(this.index.facts, number, parseFacts, "The description of a step");
  }

  /** Which modules ran, given the position that a step's facts name. */
  moduleRuns(number: number): Loaded<ModuleRuns | null> {
    return number < 0 ? NOTHING : this.listed(this.index.module_runs, number, parseModuleRuns, "The list of modules");
  }

  /** Which parameters a step has numbers about, given the position that its facts name. */
  parameterList(number: number): Loaded<ParameterList | null> {
    return number < 0 ? NOTHING : this.listed(this.index.parameter_lists, number, parseParameterList, "The list of parameters");
  }

  /** The graphs of a step's iterations; null where a graph was not recorded. */
  graphs(trial: Trial, step: number): Loaded<(Graph | null)[]> {
    const set = this.index.structure_sets[trial.steps.structure_set[step] ?? -1] ?? [];
    return all<Graph | null>(set.map((number) => (number < 0 ? NOTHING : this.graph(number))));
  }

  /** A step's layout and numbers, without waiting for the numbers themselves. */
  step(trial: Trial, step: number): Loaded<StepContent> {
    const layout = this.layout(trial.steps.layout[step] ?? -1);
    if (layout.state !== "ready") {
      return layout;
    }
    try {
      return { state: "ready", value: this.placeStep(trial, step, layout.value) };
    } catch (error) {
      return failed(error);
    }
  }

  private placeStep(trial: Trial, step: number, layout: Layout): StepContent {
    const table = this.tables.get(layout) ?? recordTable(layout);
    this.tables.set(layout, table);
    const { steps } = trial;
    const firstChunks = { 8: steps.lane8[step] ?? -1, 4: steps.lane4[step] ?? -1, 2: steps.lane2[step] ?? -1, 1: steps.lane1[step] ?? -1 };
    const set = this.index.array_sets[steps.array_set[step] ?? -1] ?? { name: [], dtype: [], count: [] };
    const arrays = placeArrays(set, this.index.strings, firstChunks, this.index.chunks, table.arrayLengths);
    return { layout, table, numbers: new StepNumbers(this.chunks, arrays) };
  }

  private listed<T>(places: Places, number: number, parse: Parser<T>, what: string): Loaded<T> {
    const [chunk, position] = [places.chunk[number], places.position[number]];
    return chunk === undefined || position === undefined
      ? failed(new DamagedBundleError(`${what} ${number} does not exist.`))
      : this.document(chunk, position, parse, `${what} ${number}`);
  }

  /** A document that is a whole chunk, or a member of the list in a chunk. */
  private document<T>(chunk: number, position: number | null, parse: Parser<T>, what: string): Loaded<T> {
    const place = `/${position ?? ""}`;
    const key = `${chunk}${place}`;
    if (!this.parsed.has(key)) {
      const whole = this.json(chunk);
      if (whole.state !== "ready") {
        return whole;
      }
      try {
        const value = position === null ? whole.value : Array.isArray(whole.value) ? (whole.value[position] as unknown) : undefined;
        this.remember({ chunk, place, value: parse(value, what) });
      } catch (error) {
        return failed(error);
      }
    }
    return { state: "ready", value: this.parsed.get(key)!.value as T };
  }

  /** What reads numbers by a document that is a whole chunk. It has the chunks of this bundle, and is of no use to another one. */
  private reader<T>(chunk: number, open: Parser<T>, what: string): Loaded<T> {
    if (!this.readers.has(chunk)) {
      const whole = this.json(chunk);
      if (whole.state !== "ready") {
        return whole;
      }
      try {
        this.readers.set(chunk, open(whole.value, what));
      } catch (error) {
        return failed(error);
      }
    }
    return { state: "ready", value: this.readers.get(chunk) as T };
  }

  private json(chunk: number): Loaded<unknown> {
    const key = `${chunk}`;
    if (!this.parsed.has(key)) {
      const bytes = this.chunks.peek(chunk);
      if (bytes === undefined) {
        const error = this.chunks.failure(chunk);
        this.chunks.request([chunk]);
        return error === undefined ? LOADING : { state: "failed", error };
      }
      try {
        this.remember({ chunk, place: "", value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) });
      } catch (error) {
        return failed(new DamagedBundleError(`Part ${chunk} of the data is not readable: ${messageOf(error)}.`));
      }
    }
    return { state: "ready", value: this.parsed.get(key)!.value };
  }

  /** Keeps a document, and drops the one that was added first when there are too many. */
  private remember(document: Parsed): void {
    this.parsed.set(`${document.chunk}${document.place}`, document);
    if (this.parsed.size > DOCUMENTS) {
      for (const oldest of this.parsed.keys()) {
        this.parsed.delete(oldest);
        break;
      }
    }
  }
}

function failed(error: unknown): { state: "failed"; error: Error } {
  return { state: "failed", error: error instanceof Error ? error : new Error(messageOf(error)) };
}

/** Ready when all are ready; failed when one has failed. */
function all<T>(parts: readonly Loaded<T>[]): Loaded<T[]> {
  const values: T[] = [];
  let loading = false;
  for (const part of parts) {
    if (part.state === "failed") {
      return part;
    }
    if (part.state === "ready") {
      values.push(part.value);
    } else {
      loading = true;
    }
  }
  return loading ? LOADING : { state: "ready", value: values };
}
