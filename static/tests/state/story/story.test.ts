import { beforeEach, describe, expect, it } from "vitest";
import type { StoryNote } from "../../../src/data/format/story";
import { openFirstView } from "../../../src/state/loading/first_view";
import { addressOfView, showNote } from "../../../src/state/story/show_note";
import { Story } from "../../../src/state/story/story";
import { decodeStory, encodeStory, MOST_ADDRESS_LETTERS } from "../../../src/state/story/story_link";
import { buildBundle, ownStep } from "../../support/bundle_fixture";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";

const note = (text: string, view = "#v=1&tab=about"): StoryNote => ({ view, title: "", text, point: null });

describe("a story", () => {
  let story: Story;
  const texts = () => story.notes.value.map(({ text }) => text).join("");
  beforeEach(() => {
    story = new Story([note("a"), note("b"), note("c")]);
  });

  it("takes a note behind the one that is read, or at its end", () => {
    story.add(note("d"));
    expect(texts()).toBe("abcd");
    story.place.value = 0;
    story.add(note("e"));
    expect([texts(), story.place.value]).toEqual(["aebcd", 1]);
  });

  it("moves, changes and removes notes, and brings a removed one back", () => {
    story.move(0, 1);
    expect([texts(), story.place.value]).toEqual(["bac", 1]);
    story.move(0, -1);
    story.move(2, 1);
    expect(texts()).toBe("bac");
    story.edit(2, note("x"));
    expect(texts()).toBe("bax");
    story.remove(0);
    expect([texts(), story.place.value]).toEqual(["ax", -1]);
    story.undoRemoval();
    expect(texts()).toBe("bax");
    expect(story.beforeRemoval.value).toBeNull();
  });

  it("keeps what is being written while it is closed, but no empty form", () => {
    const written = { title: "", text: "begun", isMoved: true, point: { kind: "none" as const, name: "", step: "" } };
    story.isOpen.value = true;
    story.draft.value = -1;
    story.close();
    expect([story.isOpen.value, story.draft.value]).toEqual([false, null]);
    story.draft.value = 1;
    story.written.value = written;
    story.close();
    expect([story.draft.value, story.written.value]).toEqual([1, written]);
    story.edit(1, note("begun"));
    expect([story.draft.value, story.written.value]).toEqual([null, null]);
  });

  it("comes back unchanged after files were shown, and a newer build leaves what was written", () => {
    story.add(note("d"));
    story.take([note("other")], true);
    expect([texts(), story.isUnsaved.value]).toEqual(["other", false]);
    story.take([note("a")], false);
    expect([texts(), story.isUnsaved.value]).toEqual(["abcd", true]);
    story.take([note("newer")], false);
    expect(texts()).toBe("abcd");
    story.setSaved();
    story.take([note("newer")], false);
    expect(texts()).toBe("newer");
  });
});

describe("a story in an address", () => {
  it("is the same notes again, whatever is in them", async () => {
    const notes: StoryNote[] = [
      { view: "#v=1&tab=tensors&node=%26", title: "</script>", text: "**a**\n`b` \u{1f600} \u0000", point: { node: "x" } },
      { view: "#v=1", title: "", text: "b", point: { cell: [0, 3] } },
      { view: "#v=1", title: "", text: "c", point: { curve: "loss", step: -1.5 } },
    ];
    const text = await encodeStory(notes);
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(await decodeStory(text)).toEqual(notes);
  });

  it("is refused where it is damaged, too long, no story, or inflates to more than a story can have", async () => {
    const good = await encodeStory([note("a")]);
    const packed = async (value: unknown): Promise<string> => {
      const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
      return Buffer.from(await new Response(stream).arrayBuffer()).toString("base64url");
    };
    const bomb = await packed(Array.from({ length: 200 }, () => ["v=1".padEnd(7000, "a"), "a".repeat(5000), "", null]));
    expect(bomb.length).toBeLessThan(MOST_ADDRESS_LETTERS);
    const tooMany = await packed(Array.from({ length: 201 }, () => ["v=1", "a", "", null]));
    for (const text of [
      good.slice(2),
      "%%%",
      "a".repeat(MOST_ADDRESS_LETTERS + 1),
      bomb,
      tooMany,
      await packed({}),
      await packed([["v=1", 3]]),
    ]) {
      await expect(decodeStory(text), text.slice(0, 20)).rejects.toThrow();
    }
    // Longer than programs pass on, though there is a story in it.
    const noise = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(2500))).toString("hex");
    const long = await packed([0, 1, 2].map(() => ["v=1", noise(), "", null]));
    expect(long.length).toBeGreaterThan(MOST_ADDRESS_LETTERS);
    await expect(decodeStory(long)).rejects.toThrow(/too long/);
  });
});

describe("the notes of a page", () => {
  const step = (view: string) => Number(/step=(\d+)/.exec(view)?.[1]);
  const open = (change: (index: any) => void = () => undefined) => storeOf(dataOfBundle(buildBundle([ownStep(3), ownStep(7)]), change));

  it("are those of its index, and each shows its view", async () => {
    const store = open(
      (index) => (index.story = [note("a", "#v=1&tab=tensors&step=7"), note("b", "#v=1&tab=about&step=3"), note("c", "#no")]),
    );
    await shownBy(store);
    showNote(store, 0);
    expect([store.tab.value, store.selection.value.step, store.story.isOpen.value]).toEqual(["tensors", 7, true]);
    expect(step(addressOfView(store))).toBe(7);
    showNote(store, 1);
    expect([store.tab.value, store.selection.value.step]).toEqual(["about", 3]);
    expect(store.messages.value).toEqual([]);
    showNote(store, 2);
    expect([store.tab.value, store.story.place.value]).toEqual(["about", 2]);
    expect(store.messages.value[0]).toMatch(/cannot be read/);
  });

  it("begin with the view that the author chose", async () => {
    const store = open((index) => (index.start = "#v=1&tab=notes&step=7"));
    openFirstView(store);
    expect([store.tab.value, store.selection.value.step]).toEqual(["notes", 7]);
    const other = open((index) => (index.start = "#nothing of ours"));
    openFirstView(other);
    expect(other.tab.value).toBe("overview");
  });

  it.each([
    ["a view that is no address", { view: "https://example.org#v=1" }],
    ["a view that is too long", { view: `#${"a".repeat(8000)}` }],
    ["a text that is too long", { text: "a".repeat(5001) }],
    ["a text that is none", { text: null }],
    ["an unknown point", { point: { place: 1 } }],
    ["a cell that is none", { point: { cell: [-1] } }],
    ["a cell of too many dimensions", { point: { cell: new Array(33).fill(0) } }],
    ["a step that is none", { point: { curve: "loss", step: "NaN" } }],
  ])("are refused with %s", (_, wrong) => {
    expect(() => open((index) => (index.story = [{ ...note("a"), ...wrong }]))).toThrow(/story\[0\]/);
  });
});
