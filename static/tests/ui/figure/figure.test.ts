import { describe, expect, it } from "vitest";
import type { StyledCurve } from "../../../src/kits/charts/curve_data";
import { type CurvesShown, curvesDrawing, thinned } from "../../../src/kits/charts/curve_figure";
import { WIDE } from "../../../src/kits/graph/placement";
import { edgeCurve } from "../../../src/kits/graph/routes";
import type { DrawnNode } from "../../../src/tabs/tensors/graph/canvas/canvas";
import { pointsOf } from "../../../src/tabs/tensors/graph/canvas/graph_drawing";
import { histogramOf } from "../../../src/tabs/tensors/histogram/bins";
import { histogramDrawing } from "../../../src/tabs/tensors/histogram/histogram_figure";
import { type Figure, figureElement } from "../../../src/ui/figure/figure";
import { finenessOf } from "../../../src/ui/figure/raster";
import { logarithmicLines, scaleAround, scaleOf, ticksOf, tickTexts } from "../../../src/ui/figure/scale";
import { element, markup, type SvgElement, svgFile, textElement } from "../../../src/ui/figure/svg";
import { textWidth, wrapped } from "../../../src/ui/figure/text";
import { atOnce } from "../../../src/ui/scheduling/time_slices";

const curve = (t: number[], v: number[], marksOnly = false): StyledCurve => ({
  name: "loss",
  type: "train",
  t,
  v,
  style: { color: 0, marker: 0, dash: [], width: 1.75 },
  marksOnly,
});
const shown = (curves: StyledCurve[], changed: Partial<CurvesShown> = {}): CurvesShown => ({
  curves,
  visible: curves.map(() => true),
  logarithmic: false,
  full: false,
  range: null,
  extent: [],
  marked: null,
  marks: undefined,
  labels: { x: "training step", y: "value" },
  colorOf: () => "#1f6fc4",
  ...changed,
});

function all(roots: readonly (SvgElement | string)[], test: (element: SvgElement) => boolean): SvgElement[] {
  return roots.flatMap((root) => (typeof root === "string" ? [] : [...(test(root) ? [root] : []), ...all(root.children, test)]));
}
const ofClass = (roots: readonly SvgElement[], name: string): SvgElement[] => all(roots, ({ attributes }) => attributes.class === name);
const texts = (roots: readonly SvgElement[]): string[] =>
  all(roots, ({ name }) => name === "text").map(({ children }) => String(children[0]));

describe("SVG as text", () => {
  it("escapes whatever a name holds", () => {
    expect(markup(textElement("a<b>&\"'", 1, 2.345, 12))).toBe(`<text x="1" y="2.35" font-size="12">a&lt;b&gt;&amp;&quot;'</text>`);
    expect(markup(element("a", { title: '"\n<' }))).toBe(`<a title="&quot;&#10;&lt;"/>`);
  });

  it("has no character that XML forbids", () => {
    const hostile = "\u0000\u0008\u001b\ufffe\ud800x\udc00\u{1f600}]]>";
    expect(markup(element("a", {}, hostile))).toBe("<a>\ufffd\ufffd\ufffd\ufffd\ufffdx\ufffd\u{1f600}]]&gt;</a>");
  });

  it("does not let a name turn what follows it", () => {
    expect(textElement("a\u202eb\u2067", 0, 0, 12).children).toEqual(["a\ufffdb\ufffd"]);
  });

  it("is a file of its own", () => {
    expect(svgFile(element("svg", { width: 1 }))).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="1"/>\n`,
    );
  });
});

describe("ticks", () => {
  it("are round numbers within the scale", () => {
    expect(ticksOf(scaleOf(0, 10, false), 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticksOf(scaleOf(-0.3, 0.3, false), 6)).toEqual([-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]);
    expect(ticksOf(scaleOf(1003, 1017, false), 4)).toEqual([1005, 1010, 1015]);
  });

  it("are powers of ten on a logarithm, and fewer where there are many", () => {
    expect(ticksOf(scaleOf(0.005, 200, true), 6)).toEqual([0.01, 0.1, 1, 10, 100]);
    expect(ticksOf(scaleOf(1e-12, 1e12, true), 5)).toEqual([1e-12, 1e-7, 1e-2, 1e3, 1e8]);
    expect(ticksOf(scaleOf(1.5, 6, true), 6)).toEqual([2, 5]);
  });

  it("of a long logarithmic scale are its only lines; a short one has a line for each digit", () => {
    expect(logarithmicLines(scaleOf(1e-5, 1e2, true), 4)).toEqual([1e-5, 1e-3, 0.1, 10]);
    expect(logarithmicLines(scaleOf(7, 30, true), 4)).toEqual([7, 8, 9, 10, 20, 30]);
  });

  it("are written in one notation", () => {
    expect(tickTexts([1e-5, 1e-3, 0.1, 10])).toEqual(["1e-5", "1e-3", "1e-1", "1e+1"]);
    expect(tickTexts([0, 0.0002, 0.1 + 0.2])).toEqual(["0", "2e-4", "3e-1"]);
    expect(tickTexts([0, 0.1 + 0.2, 100_234])).toEqual(["0", "0.3", "100234"]);
    expect(tickTexts([-5e-7, 0, 5e-7])).toEqual(["-5e-7", "0", "5e-7"]);
  });

  it("end, however large or close the numbers are", () => {
    for (const scale of [
      scaleOf(-1.7e308, 1.7e308, false),
      scaleAround([1e300], false),
      scaleOf(1, 1 + 1e-15, false),
      scaleAround([5e-324], true),
      scaleAround([], true),
    ]) {
      const ticks = ticksOf(scale, 6);
      expect(ticks.length).toBeLessThan(20);
      expect(ticks.every((tick) => Number.isFinite(scale.place(tick)))).toBe(true);
    }
  });
});

describe("a figure of curves", () => {
  // The plot is 600 wide from 88, and 300 high from 14. The values from 0 to 10 have a margin of 0.5 to either side: 300 / 11 pixels each.
  const yOf = (value: number): number => Math.round((14 + (300 / 11) * (10.5 - value)) * 100) / 100;

  it("draws the points where they belong", () => {
    const { content } = curvesDrawing(shown([curve([0, 50, 100], [0, 10, 5])]));
    const [line] = all(ofClass(content, "curve"), ({ attributes }) => attributes.fill === "none");
    expect(line?.attributes.d).toBe(`M88,${yOf(0)}L388,${yOf(10)}L688,${yOf(5)}`);
    expect(all(ofClass(content, "curve"), ({ name }) => name === "circle")).toHaveLength(3);
    expect(texts(ofClass(content, "axis-x"))).toEqual(["0", "20", "40", "60", "80", "100"]);
    expect(texts(ofClass(content, "axis-y"))).toEqual(["0", "2", "4", "6", "8", "10"]);
  });

  it("shows the zoomed times alone, with the line up to both ends", () => {
    const { content } = curvesDrawing(shown([curve([0, 100, 200], [0, 10, 0])], { range: [50, 150] }));
    const [line] = all(ofClass(content, "curve"), ({ attributes }) => attributes.fill === "none");
    // From 5 over 10 to 5 again, with 0.25 to either side: 300 / 5.5 pixels each.
    const [edge, top] = [14 + (300 / 5.5) * 5.25, 14 + (300 / 5.5) * 0.25].map((value) => Math.round(value * 100) / 100);
    expect(line?.attributes.d).toBe(`M88,${edge}L388,${top}L688,${edge}`);
    expect(ofClass(ofClass(content, "curve"), "mark")).toHaveLength(1);
  });

  it("leaves out what is hidden, and interrupts the line where a value has no height", () => {
    const drawn = curvesDrawing(
      shown([curve([0, 1, 2, 3, 4], [1, NaN, 100, -1, 10]), curve([0, 4], [1e6, 1e6])], { visible: [true, false], logarithmic: true }),
    ).content;
    expect(ofClass(drawn, "curve")).toHaveLength(1);
    expect(ofClass(drawn, "legend-entry")).toHaveLength(1);
    const [line] = all(ofClass(drawn, "curve"), ({ attributes }) => attributes.fill === "none");
    expect(String(line?.attributes.d).match(/M/g)).toHaveLength(3);
    expect(texts(ofClass(drawn, "not-finite"))).toEqual(["NaN"]);
  });

  it("has NaN and infinity above, each in a row of its own, and minus infinity below", () => {
    const drawn = curvesDrawing(shown([curve([0, 1, 2, 3, 4], [1, NaN, Infinity, -Infinity, 10])])).content;
    const [marks] = ofClass(drawn, "not-finite");
    const words = all([marks!], ({ name }) => name === "text").map(({ attributes }) => [
      Number(attributes.x),
      Number(attributes.y) < 14 + 150,
      Number(attributes.y),
    ]);
    // At steps 2, 1 and 3 of 0 to 4.
    expect(words.map(([x, isAbove]) => [x, isAbove])).toEqual([
      [388, true],
      [238, true],
      [538, false],
    ]);
    expect(words[0]![2]).not.toBe(words[1]![2]);
    expect(new Set(ofClass([marks!], "mark").map(({ attributes }) => attributes.stroke))).toEqual(new Set(["#d9001b"]));
  });

  it("marks the step, and points without a line", () => {
    const { content } = curvesDrawing(shown([curve([0, 10], [1, 2], true)], { marked: 5 }));
    expect(ofClass(content, "marked")[0]?.attributes.x1).toBe(388);
    expect(all(ofClass(content, "curve"), ({ attributes }) => attributes.fill === "none")).toEqual([]);
    expect(ofClass(ofClass(content, "curve"), "mark")).toHaveLength(2);
  });

  it("keeps peaks when there are more points than pixels", () => {
    const points = Array.from({ length: 100_000 }, (_, k) => [k / 100, k === 54_321 ? 500 : k % 7] as const);
    const kept = thinned(points);
    expect(kept.length).toBeLessThanOrEqual(4 * 2001);
    expect(Math.max(...kept.map(([, y]) => y))).toBe(500);
    expect([kept[0], kept.at(-1)]).toEqual([points[0], points.at(-1)]);
  });

  it("has the range of many curves as an area around their median, and marks of steps", () => {
    const band = { low: [0, 10], high: [10, 30], curves: 7, notFinite: 0 };
    const marks = {
      findings: [
        { step: 5, severity: 3, titles: ["a"] },
        { step: 99, severity: 3, titles: ["b"] },
      ],
      triggered: [10],
    };
    const median = { ...curve([0, 10], [5, 20]), band };
    const { content } = curvesDrawing(shown([median], { marks }));
    // From 0 to 30, with 1.5 to either side: 300 / 33 pixels for 1.
    const y = (value: number) => Number((14 + (300 / 33) * (31.5 - value)).toFixed(2));
    expect(ofClass(content, "band").map(({ attributes }) => attributes.d)).toEqual([`M88,${y(10)}L688,${y(30)}L688,${y(10)}L88,${y(0)}Z`]);
    // Both steps that are shown have a mark beside the two of the points.
    expect(
      ofClass(content, "mark").length -
        ofClass(ofClass(content, "curve"), "mark").length -
        ofClass(ofClass(content, "legend-entry"), "mark").length,
    ).toBe(2);
  });

  it("has what lies outside its range at the edge", () => {
    const v = [...Array.from({ length: 20 }, (_, k) => k % 2), 1e6];
    const drawn = (full: boolean) =>
      ofClass(
        curvesDrawing(
          shown(
            [
              curve(
                v.map((_, k) => k),
                v,
              ),
            ],
            { full },
          ),
        ).content,
        "curve",
      )[0]!.children[0];
    const last = (full: boolean) =>
      String((drawn(full) as SvgElement).attributes.d)
        .split("L")
        .at(-1);
    expect(last(false)).toBe("688,14");
    expect(last(true)).not.toBe("688,14");
  });

  it("has the last of several points at one time, as the page does", () => {
    const drawn = (t: number[], v: number[]) => JSON.stringify(curvesDrawing(shown([curve(t, v)])).content);
    expect(drawn([0, 0, 50, 100, 100], [9, 0, 10, -40, 5])).toBe(drawn([0, 50, 100], [0, 10, 5]));
  });
});

describe("a figure of a histogram", () => {
  it("has a bar per bin, as high as there are values", () => {
    const histogram = atOnce(histogramOf([0, 0, 0, 2], [[0, 4]], { low: 0, high: 2 }, false, "I64"));
    const census = { nan: 0, positiveInfinity: 0, negativeInfinity: 0, zeros: 3, finite: 4, low: 0, high: 2, mean: 0.5, std: 1 };
    const bars = all(ofClass(histogramDrawing(histogram, census, "#000000").content, "bars"), ({ name }) => name === "rect");
    // 270 pixels for 3.15 values.
    expect(bars.map(({ attributes }) => Math.round(Number(attributes.height)))).toEqual([257, 0, 86]);
    expect(bars.map(({ attributes }) => attributes.x)).toEqual([88.5, 288.5, 488.5]);
  });
});

describe("an edge of a figure of the graph", () => {
  it("has the control points that it has on the screen", () => {
    const node = (x: number, y: number): DrawnNode => ({
      node: 0,
      id: `${x}`,
      name: "",
      label: "",
      labelWidth: 0,
      type: "calculated",
      group: null,
      x,
      y,
      width: 100,
      height: 28,
      badgeWidth: 20,
      dottedLeft: false,
      dottedRight: false,
      look: { emphasis: "none", dimmed: false, hatched: false, sign: "", mark: "", badges: [] },
      unrecorded: false,
      blank: false,
      fill: null,
      ink: "",
    });
    const [from, to] = [node(0, 0), node(300, 80)];
    const points = pointsOf(from, to, edgeCurve(from, to, { measures: WIDE, columns: [] }, 0));
    // Level out of one and into the other, 0.35 gaps of 48 pixels.
    expect(points.map(([x, y]) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10])).toEqual([
      [50, 0],
      [66.8, 0],
      [233.2, 80],
      [250, 80],
    ]);
  });
});

describe("the caption", () => {
  const figure: Figure = {
    title: "Curves",
    drawing: { width: 700, height: 100, content: [] },
    facts: [
      ["trial", "a".repeat(500)],
      ["step", "5"],
    ],
    remarks: ["One node."],
    source: "comgra_export 1",
    nameParts: [],
  };

  it("says what is shown, in lines that fit", () => {
    const root = figureElement(figure);
    const lines = ofClass([root], "caption").flatMap(({ children }) => children as SvgElement[]);
    expect(texts(lines)[0]).toBe("Curves");
    expect(texts(lines).join(" ")).toMatch(/trial: a+ ?a*\u2026\u00a0\u00b7 step: 5 One node\. comgra_export 1/);
    for (const line of lines) {
      expect(textWidth(String(line.children[0]), Number(line.attributes["font-size"]))).toBeLessThanOrEqual(700);
    }
    expect(Number(root.attributes.height)).toBeGreaterThan(Math.max(...lines.map(({ attributes }) => Number(attributes.y))));
  });

  it("breaks words that are longer than a line", () => {
    expect(wrapped("one eeeeeeeeee", textWidth("eeee", 10), 10)).toEqual(["one", "eeee", "eeee", "ee"]);
    expect(wrapped("", 100, 10)).toEqual([]);
  });
});

describe("a PNG", () => {
  it("is twice as fine, unless that were more than a browser draws", () => {
    expect(finenessOf(700, 500)).toBe(2);
    expect(finenessOf(32_000, 500)).toBe(0.5);
  });
});
