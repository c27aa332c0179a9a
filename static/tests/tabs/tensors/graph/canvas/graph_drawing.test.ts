import { describe, expect, it } from "vitest";
import { topOfFinding } from "../../../../../src/kits/graph/node_signs";
import { readPalette } from "../../../../../src/kits/graph/palette";
import type { DrawnNode } from "../../../../../src/tabs/tensors/graph/canvas/canvas";
import { graphDrawing } from "../../../../../src/tabs/tensors/graph/canvas/graph_drawing";
import { type ColorChoice, colorDifferences, colorNodes } from "../../../../../src/tabs/tensors/graph/coloring/coloring";
import { markup } from "../../../../../src/ui/figure/svg";

const LOOK = { emphasis: "none", dimmed: false, hatched: false, sign: "", mark: "", badges: [] };
// Colours are their own names.
const PALETTE = readPalette((name) => name);

/** A node of 12 x 8 pixels at the origin. */
function nodeWith(look: Partial<DrawnNode["look"]>, changed: Partial<DrawnNode> = {}): DrawnNode {
  const place = { x: 6, y: 4, width: 12, height: 8, badgeWidth: 4, dottedLeft: false, dottedRight: false };
  return {
    ...place,
    id: "0",
    node: 0,
    type: "calculated",
    name: "hidden",
    label: "hidden",
    group: null,
    unrecorded: false,
    blank: false,
    fill: "#440154",
    ink: "#ffffff",
    ...changed,
    look: { ...LOOK, ...look },
  } as DrawnNode;
}

/** The figure of one node, by the numbers of three. */
function figureOf(node: DrawnNode, numbers: readonly number[], choice: Partial<ColorChoice> = {}): string {
  const known = numbers.map((value) => ({ value, role: "r", among: 1 }));
  const whole: ColorChoice = { statistic: "abs_mean", scale: null, isDifference: false, ...choice };
  const coloring = whole.isDifference ? colorDifferences(known) : colorNodes(known, whole.scale);
  const graph = { nodes: [node], edges: [], faint: [], headings: [] };
  return graphDrawing({ graph, palette: PALETTE, colored: { choice: whole, coloring } })
    .content.map(markup)
    .join("\n");
}

describe("the figure of a graph", () => {
  it("has all connections faintly, as far as they reach", () => {
    const graph = { nodes: [nodeWith({})], edges: [], headings: [] };
    const way = [
      [12, 4],
      [30, -100],
      [60, 4],
    ] as const;
    const [without, drawn] = [[], [way]].map((faint) => graphDrawing({ graph: { ...graph, faint }, palette: PALETTE, colored: null }));
    expect(drawn!.content.map(markup).join("")).toContain('d="M12,4Q30,-100 60,4"');
    expect(drawn!.height - without!.height).toBe(104);
    expect(without!.content.map(markup).join("")).not.toContain("faint");
  });
});

describe("the figure of a graph whose nodes are coloured by numbers", () => {
  it("fills nodes with their colours, and writes their names so that they can be read", () => {
    const figure = figureOf(nodeWith({}), [1, 2, 3]);
    expect(figure).toContain('<rect x="0" y="0" width="12" height="8" fill="#440154" fill-opacity="1"/>');
    expect(figure).toMatch(/<text [^>]*fill="#ffffff"[^>]*>hidden<\/text>/);
  });

  it("has signs of what has no place on the scale, and hatches what has no number", () => {
    const sign = (text: string) => new RegExp(`<g class="sign"><rect [^>]*fill="([a-z-]+)"/><text [^>]*>${text}</text></g>`);
    expect(sign("NaN").exec(figureOf(nodeWith({ sign: "NaN" }), [NaN, 1]))?.[1]).toBe("bad");
    expect(sign("0").exec(figureOf(nodeWith({ sign: "0" }), [0, 1]))?.[1]).toBe("text");
    expect(sign("B").exec(figureOf(nodeWith({ mark: "B" }), [0, 1]))?.[1]).toBe("text");
    // Lines from the upper and the right side down to the left, 6 pixels from one to the next.
    expect(figureOf(nodeWith({ hatched: true }), [1])).toContain('d="M6,0L0,6M12,0L4,8M12,6L10,8"');
  });

  it("has badges on the corner of their node, from right to left, and the sign of its number once", () => {
    const texts = (look: Partial<DrawnNode["look"]>): string[] =>
      [...figureOf(nodeWith(look), [1]).matchAll(/<g class="sign"><rect [^>]*><text x="([^"]+)"[^>]*>([^<]+)<\/text>/g)]
        .sort((a, b) => Number(b[1]) - Number(a[1]))
        .map(([, , text]) => text!);
    expect(texts({ badges: ["nan", "zero"], sign: "<" })).toEqual(["&lt;", "NaN", "0"]);
    expect(texts({ badges: ["nan", "infinite"], sign: "NaN" })).toEqual(["NaN", "\u221e"]);
  });

  it("has the sign of a finding above the tips of arrows, and never far above its node", () => {
    // A node from 86 to 114, at whose middle arrows end, each five pixels high to both sides.
    const node = { y: 100, height: 28 };
    expect(topOfFinding(node, 15) + 15).toBe(95);
    expect(topOfFinding(node, 19) + 19).toBe(95);
    // A larger one, in a small graph, reaches down instead.
    expect(topOfFinding(node, 30)).toBe(76);
  });

  it("has the sign of a finding beside its node, where it covers none", () => {
    const [, x, width] = /<rect x="(-?[0-9.]+)" y="[^"]+" width="([0-9.]+)" height="15" fill="bad"\/>/.exec(
      figureOf(nodeWith({ badges: ["finding"] }), [1]),
    )!;
    // The node begins at 0.
    expect(Number(x) + Number(width)).toBeLessThanOrEqual(0);
    expect(figureOf(nodeWith({}), [1])).not.toContain("bad");
  });

  it("says what the colours mean", () => {
    expect(figureOf(nodeWith({}), [1, 2, 3])).toContain(">abs_mean from 1 to 3</text>");
    expect(figureOf(nodeWith({}), [0.25, 100, -4], { scale: "log", statistic: "mean" })).toContain(
      ">mean from 0.25 to 100, logarithmic, of magnitudes</text>",
    );
    expect(figureOf(nodeWith({}), [0, -0.5, 0.25], { isDifference: true, statistic: "update_ratio" })).toContain(
      ">update / norm, A \u2212 B, relative to the larger of both: from \u221250 % to +50 %</text>",
    );
    expect(figureOf(nodeWith({}), [NaN])).not.toContain("color-scale");
  });

  it("has a scale from the colour of the smallest number to that of the largest", () => {
    const stops = (figure: string) => [...figure.matchAll(/offset="([^"]+)" stop-color="([^"]+)"/g)].map(([, at, color]) => [at, color]);
    const ends = (all: string[][]) => [all[0], all.at(-1)];
    expect(ends(stops(figureOf(nodeWith({}), [1, 2])) as string[][])).toEqual([
      ["0%", "rgb(68, 1, 84)"],
      ["100%", "rgb(253, 231, 37)"],
    ]);
    // Nothing differs in the middle.
    expect(stops(figureOf(nodeWith({}), [0, 1], { isDifference: true }))[2]).toEqual(["50%", "rgb(238, 238, 238)"]);
  });
});
