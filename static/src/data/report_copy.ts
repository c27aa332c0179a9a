/** The text of a page with another story in it: what a copy of it is made of. `docs/bundle-format.md` says how a page is written. */

import { parseIndex } from "./format/bundle_index";
import { withChecksum, withoutChecksum } from "./format/index_checksum";
import type { StoryNote } from "./format/story";

/** What an index ends with. */
const STORY_BEGINS = ',"story":[';

/** As the exporter writes them, so that nothing in the index ends the element that it is put into. */
const NOT_IN_SCRIPT = /[<>&\u007f-\uffff]/g;

/** The JSON of an index with other notes, and all else as it was, letter by letter. Throws where the result is not an index. */
export function indexWithStory(json: string, notes: readonly StoryNote[]): string {
  const { start } = parseIndex(json);
  const index = withoutChecksum(json);
  const at = index.lastIndexOf(STORY_BEGINS);
  const rest = at < 0 ? index.trimEnd().slice(0, -1) : index.slice(0, at);
  const end = `,"story":${JSON.stringify(notes)},"start":${JSON.stringify(start)}}`;
  const escaped = end.replace(NOT_IN_SCRIPT, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const whole = withChecksum(rest + escaped);
  parseIndex(whole);
  return whole;
}

/** Markup in ASCII, as pages are. */
export function asciiMarkup(markup: string): string {
  return markup.replace(/[\u0080-\u{10ffff}]/gu, (letter) => `&#${letter.codePointAt(0)};`);
}
