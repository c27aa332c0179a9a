/** The script stays small: every page carries it. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const DIST = join(import.meta.dirname, "../dist");

/** The script before pages had an overview, a timeline and stories, and what those may add to it. */
const BEFORE = 1_313_049;
const MOST_ADDED = 0.15;

it("is at most 15 % larger than before the overview, the timeline and stories", () => {
  expect(statSync(join(DIST, "viewer.js")).size).toBeLessThanOrEqual(BEFORE * (1 + MOST_ADDED));
});
