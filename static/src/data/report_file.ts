/** Reads an exported page as text: nothing in it is executed, and what it says is checked like everything else. */

import { parseIndex } from "./format/bundle_index";
import { DamagedBundleError, MissingChunkError } from "./format/errors";
import type { Index } from "./format/types";

const INDEX_BEGINS = '<script type="application/json" id="bundle-index">';
const SCRIPT_ENDS = "</script>";
/** Put together here, so that the script of a page does not hold what stands around a chunk. */
const TAG = "template";
const CHUNK_BEGINS = `<${TAG} id="chunk-`;
const CHUNK_ENDS = `</${TAG}>`;
const NUMBER = /(\d{1,9})">/y;

/** What an exported page holds. */
export interface ReportFile {
  index: Index;
  read: (id: number) => Promise<string>;
}

/** Throws `DamagedBundleError`, or `NewerBundleError`, in words for the person. */
export function readReport(text: string): ReportFile {
  const begins = text.indexOf(INDEX_BEGINS);
  if (begins < 0) {
    throw new DamagedBundleError("It is not a page that comgra-export wrote.");
  }
  const start = begins + INDEX_BEGINS.length;
  const end = text.indexOf(SCRIPT_ENDS, start);
  if (end < 0) {
    throw new DamagedBundleError("It has been cut off. Get the whole file again.");
  }
  const index = parseIndex(text.slice(start, end));
  if (index.chunks.inline.includes(0)) {
    throw new DamagedBundleError(
      "It is the page of a folder: its numbers are in files beside it. Open it in the browser, or drop a single-file report.",
    );
  }
  const places = placesOfChunks(text);
  if (index.chunks.inline.some((_, id) => !places.has(id))) {
    throw new DamagedBundleError("It has been cut off: a part of its data is missing. Get the whole file again.");
  }
  return { index, read: (id) => readChunk(text, places, id) };
}

async function readChunk(text: string, places: ReadonlyMap<number, readonly [number, number]>, id: number): Promise<string> {
  const place = places.get(id);
  if (place === undefined) {
    throw new MissingChunkError("The file that was opened lacks a part of its data.", false);
  }
  return text.slice(...place);
}

/** Where the base64 of each chunk begins and ends. Chunks come behind all scripts; base64 has no tags in it. */
function placesOfChunks(text: string): Map<number, readonly [number, number]> {
  const places = new Map<number, readonly [number, number]>();
  let at = text.indexOf(CHUNK_BEGINS, text.lastIndexOf(SCRIPT_ENDS));
  while (at >= 0) {
    NUMBER.lastIndex = at + CHUNK_BEGINS.length;
    const number = NUMBER.exec(text)?.[1];
    const end = number === undefined ? -1 : text.indexOf(CHUNK_ENDS, NUMBER.lastIndex);
    if (end < 0) {
      break;
    }
    places.set(Number(number), [NUMBER.lastIndex, end]);
    at = text.indexOf(CHUNK_BEGINS, end);
  }
  return places;
}
