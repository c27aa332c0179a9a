import { describe, expect, it } from "vitest";
import { type Look, settled } from "../../../src/page/story/settling";

/** How many looks a view takes that is as given at each, and then stays as it was last. */
async function looksAt(...views: readonly Look[]): Promise<number> {
  let looks = 0;
  await settled(
    () => views[Math.min(looks++, views.length - 1)]!,
    () => Promise.resolve(),
  );
  return looks;
}

const view = (figures: number, outstanding = 0, hasPlaces = true): Look => ({ figures, outstanding, hasPlaces });

describe("a view of a story", () => {
  it("is waited for until four looks found no change", async () => {
    expect(await looksAt(view(2))).toBe(5);
    expect(await looksAt(view(1), view(1), view(2))).toBe(7);
    expect(await looksAt(view(1, 3), view(1, 3), view(1))).toBe(6);
    expect(await looksAt(view(0, 0, false))).toBe(5);
  });

  it("is waited for a little longer if it has no figure, and not for the longest time", async () => {
    expect(await looksAt(view(0))).toBe(13);
    expect(await looksAt(...Array.from({ length: 8 }, () => view(0)), view(1))).toBe(13);
  });

  it("is given up if it does not come", async () => {
    expect(await looksAt(view(0, 1))).toBe(100);
  });
});
