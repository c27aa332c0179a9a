/** A short story as a part of an address. */

import { fromBase64, inflate } from "../../data/arrays/codec";
import { DamagedBundleError, messageOf } from "../../data/format/errors";
import { type StoryNote, storyNotes } from "../../data/format/story";

/** Longer addresses are cut off by some programs that pass them on. */
export const MOST_ADDRESS_LETTERS = 6000;

/** What such an address may inflate to. */
const MOST_BYTES = 1_000_000;

/** The notes in letters that an address may hold. */
export async function encodeStory(notes: readonly StoryNote[]): Promise<string> {
  const rows = notes.map(({ view, text, title, point }) => [view.slice(1), text, title, point]);
  const stream = new Blob([JSON.stringify(rows)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
}

/** The notes of an address. Rejects with `DamagedBundleError` where it holds none that can be shown. */
export async function decodeStory(text: string): Promise<StoryNote[]> {
  if (text.length > MOST_ADDRESS_LETTERS) {
    throw new DamagedBundleError("it is too long");
  }
  const base64 = text.replace(/-/g, "+").replace(/_/g, "/");
  const bytes = await inflate(fromBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, "=")), MOST_BYTES);
  let rows: unknown;
  try {
    rows = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new DamagedBundleError(messageOf(error));
  }
  const notes = Array.isArray(rows) ? rows.map((row: unknown) => (Array.isArray(row) ? noteOf(row) : row)) : rows;
  return storyNotes(notes, "The story");
}

function noteOf([view, text, title, point]: unknown[]): unknown {
  return { view: `#${view}`, text, title, point };
}
