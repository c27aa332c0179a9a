/** Reads the index, which is treated as hostile until every number in it is known to point at something. */

import { column, flag, integer, list, number, object, oneOf, orNull, rowsOf, text } from "./checks";
import { DamagedBundleError, messageOf, NewerBundleError } from "./errors";
import {
  type About,
  type ArraySet,
  CHUNK_BYTES,
  type ChunkTable,
  type Figure,
  FORMAT,
  type Index,
  type Places,
  type SampleSet,
  type Session,
  type StepColumns,
  type Trial,
  VERSION,
} from "./types";

/** No chunk of text is larger than this; a larger length is an attempt to exhaust memory. */
const LARGEST_CHUNK = 512 * 1024 * 1024;

/** Stands for a position where there is nothing. */
const NONE = -1;

/**
 * Parses and checks the index of a bundle.
 *
 * Throws `NewerBundleError` for a bundle of a later version and `DamagedBundleError` for anything else that is wrong.
 */
export function parseIndex(source: string): Index {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch (error) {
    throw new DamagedBundleError(`${messageOf(error)}.`);
  }
  const root = object(parsed, "The index");
  oneOf([FORMAT])(root.format, "The format of the index");
  const version = integer(1)(root.version, "The version of the index");
  if (version > VERSION) {
    throw new NewerBundleError(
      `This page holds data of version ${version}, and its viewer reads version ${VERSION}. Export the recording again.`,
    );
  }
  return checkRoot(root, version);
}

function checkRoot(root: Record<string, unknown>, version: number): Index {
  const strings = list(text)(root.strings, "strings");
  const chunks = checkChunks(root.chunks);
  const position = integer(0, strings.length - 1);
  const chunk = integer(0, chunks.bytes.length - 1);
  const layouts = checkPlaces(root.layouts, chunk, "layouts");
  const structures = checkPlaces(root.structures, chunk, "structures");
  const arraySets = list((value, where) => checkArraySet(value, position, where))(root.array_sets, "array_sets");
  const sampleSets = list((value, where) => checkSampleSet(value, position, where))(root.sample_sets, "sample_sets");
  const structureSets = list(list(integer(-1, structures.chunk.length - 1)))(root.structure_sets, "structure_sets");
  const places = (key: string): Places => (root[key] === undefined ? { chunk: [], position: [] } : checkPlaces(root[key], chunk, key));
  const facts = places("facts");
  const calls = places("calls");
  const callSets = list(list(integer(-1, calls.chunk.length - 1)))(root.call_sets ?? [], "call_sets");
  const limits = {
    chunk,
    lane: integer(-1, chunks.bytes.length - 1),
    type: position,
    layout: integer(0, layouts.chunk.length - 1),
    structure_set: integer(0, structureSets.length - 1),
    sample_set: integer(0, sampleSets.length - 1),
    array_set: integer(0, arraySets.length - 1),
    triggered: integer(-1, strings.length - 1),
    facts: integer(-1, facts.chunk.length - 1),
    call_set: integer(-1, callSets.length - 1),
  };
  return {
    format: FORMAT,
    version,
    generator: text(root.generator, "generator"),
    title: text(root.title, "title"),
    description: text(root.description, "description"),
    group: text(root.group, "group"),
    content_digest: text(root.content_digest, "content_digest"),
    generation: integer(0)(root.generation ?? 0, "generation"),
    strings,
    chunks,
    array_sets: arraySets,
    sample_sets: sampleSets,
    structure_sets: structureSets,
    call_sets: callSets,
    layouts,
    structures,
    calls,
    facts,
    module_runs: places("module_runs"),
    parameter_lists: places("parameter_lists"),
    trials: checkTrials(root.trials, limits),
    visualizations: list(text)(root.visualizations ?? [], "visualizations"),
    figures: list((value, where) => checkFigure(value, limits.lane, where))(root.figures ?? [], "figures"),
    plotly: limits.lane(root.plotly ?? NONE, "plotly"),
    about: checkAbout(root.about),
  };
}

function checkFigure(value: unknown, chunk: (value: unknown, where: string) => number, where: string): Figure {
  const figure = object(value, where);
  return {
    title: text(figure.title, `${where}.title`),
    file: text(figure.file, `${where}.file`),
    per: list(text)(figure.per, `${where}.per`),
    selections: list(chunk)(figure.selections, `${where}.selections`),
  };
}

function checkChunks(value: unknown): ChunkTable {
  const table = object(value, "chunks");
  const rows = rowsOf(table, "bytes", "chunks");
  const chunks = {
    bytes: column(integer(0, LARGEST_CHUNK), rows)(table.bytes, "chunks.bytes"),
    crc32: column(integer(0, 0xffffffff), rows)(table.crc32, "chunks.crc32"),
    codec: column(integer(0, 1), rows)(table.codec, "chunks.codec"),
    width: column(integer(1, 8), rows)(table.width, "chunks.width"),
    inline: column(integer(0, 1), rows)(table.inline, "chunks.inline"),
    identity: list(integer(0))(table.identity ?? [], "chunks.identity"),
  };
  chunks.bytes.forEach((bytes, k) => {
    if (chunks.width[k] !== 1 && (bytes > CHUNK_BYTES || bytes % (chunks.width[k] ?? 1) !== 0)) {
      throw new DamagedBundleError(`chunks.bytes[${k}] does not fit its width.`);
    }
  });
  return chunks;
}

function checkPlaces(value: unknown, chunk: (value: unknown, where: string) => number, where: string): Places {
  const table = object(value, where);
  const rows = rowsOf(table, "chunk", where);
  return {
    chunk: column(chunk, rows)(table.chunk, `${where}.chunk`),
    position: column(integer(0), rows)(table.position, `${where}.position`),
  };
}

function checkArraySet(value: unknown, position: (value: unknown, where: string) => number, where: string): ArraySet {
  const table = object(value, where);
  const rows = rowsOf(table, "name", where);
  return {
    name: column(position, rows)(table.name, `${where}.name`),
    dtype: column(position, rows)(table.dtype, `${where}.dtype`),
    count: column(integer(0), rows)(table.count, `${where}.count`),
  };
}

function checkSampleSet(value: unknown, position: (value: unknown, where: string) => number, where: string): SampleSet {
  const table = object(value, where);
  const rows = rowsOf(table, "index", where);
  return {
    index: column(integer(0), rows)(table.index, `${where}.index`),
    label: column(position, rows)(table.label, `${where}.label`),
  };
}

type Limit = "chunk" | "lane" | "type" | "layout" | "structure_set" | "sample_set" | "array_set" | "triggered" | "facts" | "call_set";
type Limits = Record<Limit, (value: unknown, where: string) => number>;

/** A trial and a rank name one entry. */
function checkTrials(value: unknown, limits: Limits): Trial[] {
  const trials = list((item, where) => checkTrial(item, limits, where))(value, "trials");
  const known = new Set<string>();
  trials.forEach(({ name, rank }, k) => {
    const key = `${rank}/${name}`;
    if (known.has(key)) {
      throw new DamagedBundleError(`trials[${k}] repeats the name and rank of another trial.`);
    }
    known.add(key);
  });
  return trials;
}

function checkTrial(value: unknown, limits: Limits, where: string): Trial {
  const trial = object(value, where);
  return {
    name: text(trial.name, `${where}.name`),
    rank: orNull(integer(0))(trial.rank, `${where}.rank`),
    steps: checkSteps(trial.steps, limits, `${where}.steps`),
    network: limits.chunk(trial.network, `${where}.network`),
    notes: limits.chunk(trial.notes, `${where}.notes`),
    curves: limits.chunk(trial.curves, `${where}.curves`),
    gaps: limits.chunk(trial.gaps, `${where}.gaps`),
    series: limits.lane(trial.series ?? NONE, `${where}.series`),
    histograms: list(limits.chunk)(trial.histograms ?? [], `${where}.histograms`),
    flows: limits.lane(trial.flows ?? NONE, `${where}.flows`),
  };
}

function checkSteps(value: unknown, limits: Limits, where: string): StepColumns {
  const table = object(value, where);
  const rows = rowsOf(table, "step", where);
  const read = <T>(check: (value: unknown, where: string) => T, key: string): T[] => column(check, rows)(table[key], `${where}.${key}`);
  const optional = (check: (value: unknown, where: string) => number, key: string): number[] =>
    table[key] === undefined ? new Array<number>(rows).fill(NONE) : read(check, key);
  const step = read(integer(0), "step");
  if (step.some((number, k) => k > 0 && number <= (step[k - 1] ?? 0))) {
    throw new DamagedBundleError(`${where}.step is not in ascending order.`);
  }
  return {
    step,
    type: read(limits.type, "type"),
    batch_size: read(integer(0), "batch_size"),
    time: read(orNull(number), "time"),
    layout: read(limits.layout, "layout"),
    structure_set: read(limits.structure_set, "structure_set"),
    sample_set: read(limits.sample_set, "sample_set"),
    array_set: read(limits.array_set, "array_set"),
    lane8: read(limits.lane, "lane8"),
    lane4: read(limits.lane, "lane4"),
    lane2: read(limits.lane, "lane2"),
    lane1: read(limits.lane, "lane1"),
    gaps: read(integer(0), "gaps"),
    triggered: optional(limits.triggered, "triggered"),
    facts: optional(limits.facts, "facts"),
    call_set: optional(limits.call_set, "call_set"),
    epoch: table.epoch === undefined ? new Array<null>(rows).fill(null) : read(orNull(number), "epoch"),
  };
}

function checkAbout(value: unknown): About {
  const about = object(value, "about");
  const recording = (item: unknown, where: string) => {
    const fields = object(item, where);
    const field = (key: string): string => text(fields[key] ?? "", `${where}.${key}`);
    return {
      trial: field("trial"),
      rank: integer(0)(fields.rank ?? 0, `${where}.rank`),
      world_size: integer(1)(fields.world_size ?? 1, `${where}.world_size`),
      writer: field("writer"),
      torch_version: field("torch_version"),
      started: field("started"),
      sessions: list(checkSession)(fields.sessions ?? [], `${where}.sessions`),
      left_behind: integer(0)(fields.left_behind ?? 0, `${where}.left_behind`),
    };
  };
  return {
    recordings: list(recording)(about.recordings ?? [], "about.recordings"),
    omissions: list(text)(about.omissions ?? [], "about.omissions"),
    problems: list(text)(about.problems ?? [], "about.problems"),
  };
}

function checkSession(value: unknown, where: string): Session {
  const session = object(value, where);
  return {
    first: orNull(integer(0))(session.first, `${where}.first`),
    last: orNull(integer(0))(session.last, `${where}.last`),
    steps: integer(0)(session.steps, `${where}.steps`),
    closed: orNull(flag)(session.closed, `${where}.closed`),
  };
}
