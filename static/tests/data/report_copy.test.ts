import { describe, expect, it } from "vitest";
import { parseIndex } from "../../src/data/format/bundle_index";
import type { StoryNote } from "../../src/data/format/story";
import { asciiMarkup, indexWithStory } from "../../src/data/report_copy";
import { buildBundle, ownStep } from "../support/bundle_fixture";

const NOTES: StoryNote[] = [
  {
    view: "#v=1&tab=about",
    title: "</script><!--<script>",
    text: 'a \u2028 \u{1f600} ,"story":[ &amp; ,\\"start\\":"',
    point: { node: "<b>" },
  },
];

/** As the exporter writes it, whose numbers JavaScript writes in another way. */
const JSON_OF_PAGE = buildBundle([ownStep(3)]).index.replace('"time":[0]', '"time":[1e-05]');

describe("the index of a copy", () => {
  it("has other notes, and all else as it was", () => {
    const index = `${JSON_OF_PAGE.slice(0, -1)},"story":[{"view":"#v=1","title":"","text":"old","point":null}],"start":"#v=1&tab=graphs"}`;
    const copy = indexWithStory(index, NOTES);
    expect(copy.startsWith(JSON_OF_PAGE.slice(0, -1))).toBe(true);
    expect(copy).not.toMatch(/[<>&]|old/);
    expect(copy).toMatch(/^[\x20-\x7e]*$/);
    expect(parseIndex(copy)).toEqual({ ...parseIndex(index), story: NOTES });
    // A copy of the copy, and one without notes.
    expect(indexWithStory(copy, NOTES)).toBe(copy);
    expect(parseIndex(indexWithStory(copy, [])).story).toEqual([]);
  });

  it("has them also where the page of an earlier version has none", () => {
    expect(JSON_OF_PAGE).not.toContain("story");
    expect(parseIndex(indexWithStory(JSON_OF_PAGE, NOTES))).toEqual({ ...parseIndex(JSON_OF_PAGE), story: NOTES });
  });

  it("is never damaged in silence", () => {
    expect(() => indexWithStory(JSON_OF_PAGE, [{ ...NOTES[0]!, text: "a".repeat(5001) }])).toThrow(/text/);
  });
});

it("markup of a copy is ASCII", () => {
  expect(asciiMarkup("<p>\u00e9 \u{1f600}</p>")).toBe("<p>&#233; &#128512;</p>");
});
