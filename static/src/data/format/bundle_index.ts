/** Reads the index, which is treated as hostile until every number in it is known to point at something. */

import { integer, list, object, oneOf, optional, record, text } from "./checks";
import { DamagedBundleError, messageOf, NewerBundleError } from "./errors";
import { checkChecksum } from "./index_checksum";
import { startAddress, storyNotes } from "./story";
import {
  about,
  arraySet,
  chunkTable,
  FORMAT,
  figure,
  type Index,
  type Limits,
  NONE,
  places,
  runOverview,
  sampleSet,
  stepTypes,
  type Trial,
  trial,
  VERSION,
} from "./types";

/**
 * Parses and checks the index of a bundle.
 *
 * Throws `NewerBundleError` for a bundle of a later version and `DamagedBundleError` for anything else that is wrong.
 */
export function parseIndex(source: string): Index {
  checkChecksum(source);
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
  const chunks = chunkTable(root.chunks, "chunks");
  const position = integer(0, strings.length - 1);
  const chunk = integer(0, chunks.bytes.length - 1);
  const lane = integer(-1, chunks.bytes.length - 1);
  const listed = optional(places(chunk), { chunk: [], position: [] });
  const parts = record({
    layouts: places(chunk),
    structures: places(chunk),
    array_sets: list(arraySet(position)),
    sample_sets: list(sampleSet(position)),
    facts: listed,
    calls: listed,
    module_runs: listed,
    parameter_lists: listed,
    generator: text,
    title: text,
    description: text,
    group: text,
    content_digest: text,
    generation: optional(integer(0), 0),
    runs: optional(list(runOverview), []),
    step_types: optional(stepTypes(position), { type: [], trained: [] }),
    visualizations: optional(list(text), []),
    figures: optional(list(figure(lane)), []),
    plotly: optional(lane, NONE),
    about,
    story: optional(storyNotes, []),
    start: optional(startAddress, ""),
  })(root, "");
  const sets = record({
    structure_sets: list(list(integer(-1, parts.structures.chunk.length - 1))),
    call_sets: optional(list(list(integer(-1, parts.calls.chunk.length - 1))), []),
  })(root, "");
  const limits: Limits = {
    chunk,
    lane,
    type: position,
    layout: integer(0, parts.layouts.chunk.length - 1),
    structure_set: integer(0, sets.structure_sets.length - 1),
    sample_set: integer(0, parts.sample_sets.length - 1),
    array_set: integer(0, parts.array_sets.length - 1),
    triggered: integer(-1, strings.length - 1),
    facts: integer(-1, parts.facts.chunk.length - 1),
    call_set: integer(-1, sets.call_sets.length - 1),
  };
  const trials = list(trial(limits))(root.trials, "trials");
  checkNames(trials);
  if (parts.runs.length > 0 && parts.runs.length !== trials.length) {
    throw new DamagedBundleError(`runs should have an entry for each of the ${trials.length} trials.`);
  }
  return { format: FORMAT, version, strings, chunks, ...parts, ...sets, trials };
}

/** A trial and a rank name one entry. */
function checkNames(trials: readonly Trial[]): void {
  const known = new Set<string>();
  trials.forEach(({ name, rank }, k) => {
    const key = `${rank}/${name}`;
    if (known.has(key)) {
      throw new DamagedBundleError(`trials[${k}] repeats the name and rank of another trial.`);
    }
    known.add(key);
  });
}
