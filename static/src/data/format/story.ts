/** The story of a bundle: what somebody says of its views. It comes from a file, an address or a form, and is hostile until checked. */

import { also, type Check, type Checked, fail, integer, list, number, object, optional, record, text } from "./checks";

/** As in `comgra_export/exporter/format/constants.py`. */
export const MOST_NOTES = 200;
export const MOST_TITLE_LETTERS = 200;
export const MOST_TEXT_LETTERS = 5000;
export const MOST_VIEW_LETTERS = 8000;
const MOST_NAME_LETTERS = 2000;
const MOST_CELL_INDICES = 32;

/** A text of at most so many letters: not halves of them, which is what JavaScript counts. */
function short(most: number): Check<string> {
  return also(text, (value, where) => {
    if (value.length > 2 * most || [...value].length > most) {
      fail(where, `at most ${most} characters long`);
    }
  });
}

const address: Check<string> = also(short(MOST_VIEW_LETTERS), (value, where) => {
  if (!value.startsWith("#")) {
    fail(where, "the part of an address from # on");
  }
});

/** A node of the graph, a value of the tensor of the view, or a place in a curve. */
type Point = { node: string } | { cell: number[] } | { curve: string; step: number };

const NODE = record({ node: short(MOST_NAME_LETTERS) });
const CURVE = record({
  curve: short(MOST_NAME_LETTERS),
  step: also(number, (step, where) => void (Math.abs(step) < 2 ** 53 || fail(where, "a step"))),
});
const CELL = record({
  cell: also(list(integer(0)), ({ length }, where) => void (length <= MOST_CELL_INDICES || fail(where, "an index"))),
});

function point(value: unknown, where: string): Point | null {
  if (value === null || value === undefined) {
    return null;
  }
  const given = object(value, where);
  return "node" in given ? NODE(given, where) : "cell" in given ? CELL(given, where) : CURVE(given, where);
}

/** What somebody says of a view; the title may be empty. */
export type StoryNote = Checked<typeof storyNote>;
const storyNote = record({
  view: address,
  title: optional(short(MOST_TITLE_LETTERS), ""),
  text: short(MOST_TEXT_LETTERS),
  point,
});

export const storyNotes: Check<StoryNote[]> = (value, where) => {
  if (Array.isArray(value) && value.length > MOST_NOTES) {
    fail(where, `a list of at most ${MOST_NOTES} notes`);
  }
  return list(storyNote)(value, where);
};

/** The view that a page opens with; empty where it says none. */
export const startAddress: Check<string> = (value, where) => (value === "" ? "" : address(value, where));
