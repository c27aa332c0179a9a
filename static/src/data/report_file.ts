/** Reads an exported page as text: nothing in it is executed, and what it says is checked like everything else. */

import { parseIndex } from "./bundle_index";
import { DamagedBundleError, MissingChunkError } from "./errors";
import type { Index } from "./types";

const INDEX_BEGINS = '<script type="application/json" id="bundle-index">';
const SCRIPT_ENDS = "</script>";
const TEMPLATE = /<template id="chunk-(\d{1,9})">/y;
const TEMPLATE_ENDS = "</template>";

/** What an exported page holds. */
export interface ReportFile {
  index: Index;
  read: (id: number) => Promise<string>;
}

/** Throws `DamagedBundleError`, or `NewerBundleError`, in words for the person. */
export function readReport(text: string): ReportFile {
  const begins = text.indexOf(INDEX_BEGINS);
  if (begins < 0) {
    throw new DamagedBundleError("It is not a page that comgra-export has written.");
  }
  const start = begins + INDEX_BEGINS.length;
  const end = text.indexOf(SCRIPT_ENDS, start);
  if (end < 0) {
    throw new DamagedBundleError("It has been cut off. Get the whole file again.");
  }
  const index = parseIndex(text.slice(start, end));
  if (index.chunks.inline.includes(0)) {
    throw new DamagedBundleError("It is the page of a folder, whose numbers are in files beside it. Open it in the browser itself, or drop a report that is one file.");
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
  let at = text.indexOf("<template ", text.lastIndexOf(SCRIPT_ENDS));
  while (at >= 0) {
    TEMPLATE.lastIndex = at;
    const found = TEMPLATE.exec(text);
    const end = found === null ? -1 : text.indexOf(TEMPLATE_ENDS, TEMPLATE.lastIndex);
    if (found === null || end < 0) {
      break;
    }
    places.set(Number(found[1]), [TEMPLATE.lastIndex, end]);
    at = text.indexOf("<template ", end);
  }
  return places;
}
