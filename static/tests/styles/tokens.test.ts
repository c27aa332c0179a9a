/** Sizes, weights, spaces and colours stand in styles/tokens.css alone, and every token that a style sheet names is one. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const STYLES = join(import.meta.dirname, "../../src/styles");
const TOKENS = readFileSync(join(STYLES, "tokens.css"), "utf8");
const SHEETS = readdirSync(STYLES, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".css") && path !== "tokens.css");

/** What a declaration may not hold, by its property. */
const RAW: readonly (readonly [RegExp, RegExp])[] = [
  [/^font-size$/, /^(?!inherit$|var\(--size-)/],
  [/^font-weight$/, /^(?!inherit$|var\(--weight-)/],
  [/^font$/, /\d(?:px|pt|r?em)\b/],
  [/^(?:padding|margin|(?:row-|column-)?gap)/, /\b(?:[2-9]|\d\d+)(?:\.\d+)?px|r?em\b/],
  [/^border-.*radius$|^border-radius$/, /\b(?:[2-9]|\d\d+)px/],
  [
    /^(?!content$)/,
    /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|oklch|lab|lch)a?\(|(?<![\w-])(?:black|white|red|green|blue|gr[ae]y|orange|yellow)(?![\w-])/i,
  ],
];

function declarations(sheet: string): (readonly [string, string])[] {
  const text = readFileSync(join(STYLES, sheet), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  return [...text.matchAll(/(?<=[{;]\s*)([a-z-]+):\s*([^;{}]+);/g)].map(([, property, value]) => [property!, value!.trim()] as const);
}

describe("the visual system", () => {
  it.each(SHEETS)("has all values of %s", (sheet) => {
    const raw = declarations(sheet).filter(([property, value]) => RAW.some(([of, wrong]) => of.test(property) && wrong.test(value)));
    expect(raw.map(([property, value]) => `${property}: ${value}`)).toEqual([]);
  });

  it("has four sizes of text, which follow the reader's, and two weights", () => {
    const onScreen = TOKENS.split("@media print")[0]!;
    const sizes = [...onScreen.matchAll(/--size-(\w+): ([\d.]+)rem;/g)].map(([, name, size]) => [name, Number(size) * 16]);
    expect(sizes).toEqual([
      ["small", 12],
      ["body", 13],
      ["heading", 16],
      ["title", 20],
    ]);
    expect(TOKENS.match(/--weight-\w+:/g)).toHaveLength(2);
  });

  it("has every size, weight, space and radius that a style sheet names", () => {
    const named = SHEETS.flatMap((sheet) => readFileSync(join(STYLES, sheet), "utf8").match(/--(?:size|weight|space|radius)-\w+/g) ?? []);
    expect([...new Set(named)].filter((token) => !TOKENS.includes(`${token}:`))).toEqual([]);
    expect(named.length).toBeGreaterThan(300);
  });
});
