import { describe, expect, it } from "vitest";
import { readPalette } from "../../../../src/kits/graph/palette";
import { layersOf, layOut, place } from "../../../../src/tabs/modules/drawing/layout";
import { drawLevel, foldedInto, walkLevel } from "../../../../src/tabs/modules/drawing/level_drawing";
import { modulesDrawing } from "../../../../src/tabs/modules/drawing/level_figure";
import { type ShownLevel, shownLevel, Union } from "../../../../src/tabs/modules/levels/displayed_level";
import { callShapes, type FoldableNode, fold, rowsOf, unfoldedAround } from "../../../../src/tabs/modules/levels/folding";
import { markup } from "../../../../src/ui/figure/svg";
import { type Described, flowFrom, materialOf } from "../../../support/call_graphs";

/** x, then blocks of two modules each, then the head. */
function chain(count: number, change: (k: number) => string = () => "Block"): Described {
  const blocks = Array.from({ length: count }, (_, k) => k);
  return {
    calls: [
      ["m", -1, "h0", "y"],
      ...blocks.flatMap((k): Described["calls"] => [
        [`m.b${k}`, 0, `h${k}`, `h${k + 1}`],
        [`m.b${k}.fc`, 1 + 2 * k, `h${k}`, `h${k + 1}`],
      ]),
      ["m.head", 0, `h${count}`, "y"],
    ],
    edges: [...blocks.map((k) => `h${k}>h${k + 1}`), `h${count}>y`],
    modules: Object.fromEntries(blocks.map((k) => [`m.b${k}`, change(k)])),
  };
}

function levelFrom(described: Described, parent = 0): ShownLevel {
  return shownLevel(flowFrom(described), parent, materialOf(described).layout);
}

const ROOM = { width: 800, height: 600 };
const measure = (text: string): number => 8 * text.length;
const draw = (level: ShownLevel, unfolded: readonly string[] = []) => drawLevel(level, unfolded, ROOM, measure);
const titles = (level: ShownLevel, unfolded: readonly string[] = []): string[] =>
  draw(level, unfolded).items.map(({ title, subtitle }) => `${title}/${subtitle}`);

describe("badges", () => {
  it("are on the drawing of each box in which something is wrong", () => {
    const level = levelFrom(chain(12));
    const nodes = level.nodes.map((node) => (node.title === "b7" ? { ...node, badges: ["finding", "zero"] as const } : node));
    const drawn = draw({ ...level, nodes });
    expect(drawn.items.map(({ badges }) => badges)).toEqual([[], ["finding", "zero"], [], []]);
    expect(drawn.items[1]!.title).toBe("Block \u00d7 12 \u00b7 finding");
    const figure = modulesDrawing(
      drawn,
      readPalette((name) => name),
    )
      .content.map(markup)
      .join("");
    expect([...figure.matchAll(/<rect [^>]*fill="([a-z]+)"\/><text [^>]*>(!|0)<\/text>/g)].map(([, fill, sign]) => [fill, sign])).toEqual([
      ["bad", "!"],
      ["text", "0"],
    ]);
  });
});

describe("folding", () => {
  it("makes one node of equal blocks in a row, until they are unfolded", () => {
    const level = levelFrom(chain(12));
    expect(titles(level)).toEqual(["input in0/2 \u00d7 3", "Block \u00d7 12/b0 \u2013 b11", "head/head", "output/2 \u00d7 3"]);
    expect(titles(level, ["0.m.b0"])).toHaveLength(15);
    expect(draw(level).links.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  it("leaves two alone", () => {
    expect(titles(levelFrom(chain(2)))).toHaveLength(5);
    expect(titles(levelFrom(chain(3)))).toHaveLength(4);
  });

  it("ends a row where type, settings, mode or what is inside differs", () => {
    expect(titles(levelFrom(chain(6, (k) => (k === 3 ? "Other" : "Block")))).map((title) => title.split("/")[0])).toEqual([
      "input in0",
      "Block \u00d7 3",
      "b3",
      "b4",
      "b5",
      "head",
      "output",
    ]);
    expect(titles(levelFrom(chain(3, (k) => (k === 1 ? "Block; width=2" : "Block; width=1"))))).toHaveLength(6);
    const inEval = chain(3);
    inEval.calls[3] = ["m.b1", 0, "h1", "h2", "eval"];
    expect(titles(levelFrom(inEval))).toHaveLength(6);
    const deeper = chain(3);
    deeper.calls[4]![0] = "m.b1.conv";
    expect(titles(levelFrom(deeper))).toHaveLength(6);
  });

  it("gives equal calls equal shapes, and only these", () => {
    const shapes = callShapes(flowFrom(chain(3)));
    expect(shapes[1]).toBe(shapes[3]);
    expect(shapes[2]).toBe(shapes[4]);
    expect(new Set([shapes[0], shapes[1], shapes[2], shapes[7]]).size).toBe(4);
  });

  it("keeps a row together that reads something from before it, and ends it at what comes from within it", () => {
    const node = (key: string, shape: string | null = null): FoldableNode => ({ key, shape });
    const nodes = [node("x"), node("mask"), node("a", "s"), node("b", "s"), node("c", "s")];
    const chained = [
      { from: 0, to: 2 },
      { from: 2, to: 3 },
      { from: 3, to: 4 },
    ];
    const masked = [
      { from: 1, to: 3 },
      { from: 1, to: 4 },
    ];
    expect(rowsOf(nodes, [...chained, ...masked])).toEqual([[2, 3, 4]]);
    // Dense connections within the row stay inside it.
    expect(rowsOf(nodes, [...chained, { from: 2, to: 4 }])).toEqual([[2, 3, 4]]);
    // a > z > c would lead out of the row and back.
    const around = [node("x"), node("a", "s"), node("b", "s"), node("z"), node("c", "s")];
    expect(
      rowsOf(around, [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
        { from: 1, to: 3 },
        { from: 3, to: 4 },
        { from: 2, to: 4 },
      ]),
    ).toEqual([]);
    // Side by side is not in a row.
    expect(
      rowsOf(nodes, [
        { from: 0, to: 2 },
        { from: 0, to: 3 },
        { from: 0, to: 4 },
      ]),
    ).toEqual([]);
  });

  it("never draws more than can be drawn", () => {
    const nodes = Array.from({ length: 3000 }, (_, k): FoldableNode => ({ key: `n${k}`, shape: null }));
    const edges = nodes.slice(1).map((_, k) => ({ from: k, to: k + 1 }));
    const drawn = fold(nodes, edges, []);
    expect(drawn.items.length).toBeLessThanOrEqual(300);
    expect(drawn.items.length).toBeGreaterThan(100);
    expect(drawn.items.flatMap(({ members }) => members)).toEqual(nodes.map((_, k) => k));
    const first = drawn.items[0]!;
    expect(first.kind).toBe("rest");
    const opened = fold(nodes, edges, [first.key]);
    expect(opened.items.slice(0, first.members.length).map(({ key }) => key)).toEqual(first.members.map((k) => `n${k}`));
    // If too many are unfolded, the last ones count.
    const all = drawn.items.map(({ key }) => key);
    const kept = fold(nodes, edges, all);
    expect(kept.items.length * 2 - 1).toBeLessThanOrEqual(600);
    expect(kept.items.at(-1)!.kind).toBe("single");
    expect(kept.items[0]!.kind).toBe("rest");
  });
});

describe("drawing a node alone", () => {
  const around = (level: ShownLevel, unfolded: readonly string[], key: string): string[] =>
    unfoldedAround(
      level.nodes,
      level.edges,
      unfolded,
      level.nodes.findIndex((node) => node.key === key),
    );

  it("unfolds the row that it is in, and no other", () => {
    const level = levelFrom(chain(12));
    expect(around(level, ["0.elsewhere"], "0.m.b7")).toEqual(["0.elsewhere", "0.m.b0"]);
    expect(around(level, ["0.m.b0"], "0.m.b7")).toEqual(["0.m.b0"]);
    expect(around(level, [], "0.m.head")).toEqual([]);
  });

  it("unfolds a row within what would have been too much to draw", () => {
    const types = Array.from({ length: 900 }, (_, k) => (k >= 450 && k < 460 ? "Same" : `T${k}`));
    const level = levelFrom({
      calls: [["m", -1, "h0", "h900"], ...types.map((_, k): Described["calls"][number] => [`m.x${k}`, 0, `h${k}`, `h${k + 1}`])],
      edges: [],
      modules: Object.fromEntries(types.map((type, k) => [`m.x${k}`, type])),
    });
    const drawn = draw(level, around(level, [], "0.m.x455"));
    expect(drawn.items.find(({ key }) => key === "0.m.x455")?.kind).toBe("single");
  });
});

describe("folding again", () => {
  it("knows what a node was unfolded from", () => {
    const level = levelFrom(chain(5));
    const at = (key: string): number => level.nodes.findIndex((node) => node.key === key);
    expect(foldedInto(level, ["0.m.b0", "0.elsewhere"], at("0.m.b3"))).toBe("0.m.b0");
    expect(foldedInto(level, ["0.m.b0"], at("0.m.head"))).toBeUndefined();
    expect(foldedInto(level, [], at("0.m.b3"))).toBeUndefined();
  });

  it("knows so of what would have been too much to draw", () => {
    const long = levelFrom({
      calls: [
        ["m", -1, "h0", "h900"],
        ...Array.from({ length: 900 }, (_, k): Described["calls"][number] => [`m.x${k}`, 0, `h${k}`, `h${k + 1}`]),
      ],
      edges: [],
      modules: Object.fromEntries(Array.from({ length: 900 }, (_, k) => [`m.x${k}`, `T${k}`])),
    });
    const drawn = draw(long);
    const second = drawn.items[1]!;
    expect(second.kind).toBe("rest");
    expect(foldedInto(long, [second.key], second.members[1]!)).toBe(second.key);
    expect(foldedInto(long, [second.key], drawn.items[2]!.members[0]!)).toBeUndefined();
  });
});

describe("the layout", () => {
  const sizes = (count: number) => Array.from({ length: count }, () => ({ width: 100, height: 40 }));
  const isFirst = (node: number): boolean => node === 0;

  it("puts each node behind all that it reads, and what reads nothing just before its reader", () => {
    // 0 > 1 > 2 > 4, 0 > 4, and 3 > 4 with nothing before it.
    const edges = [
      { from: 0, to: 1 },
      { from: 1, to: 2 },
      { from: 2, to: 4 },
      { from: 0, to: 4 },
      { from: 3, to: 4 },
    ];
    expect(layersOf(5, edges, isFirst)).toEqual([0, 1, 2, 2, 3]);
    expect(layersOf(5, edges, (node) => node === 0 || node === 3)).toEqual([0, 1, 2, 0, 3]);
  });

  it("draws a chain as a straight line", () => {
    const placed = place(
      sizes(3),
      [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
      ],
      isFirst,
      "down",
    );
    expect(placed.positions).toEqual([
      { x: 0, y: 0 },
      { x: 0, y: 84 },
      { x: 0, y: 168 },
    ]);
    expect(placed.bounds).toEqual({ left: -50, right: 50, top: -20, bottom: 188 });
  });

  it("leads a long edge past the nodes between its ends", () => {
    const placed = place(
      sizes(3),
      [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
        { from: 0, to: 2 },
      ],
      isFirst,
      "down",
    );
    const [way] = placed.ways[2]!;
    expect(placed.ways.map((points) => points.length)).toEqual([0, 0, 1]);
    expect(way!.y).toBe(placed.positions[1]!.y);
    expect(Math.abs(way!.x - placed.positions[1]!.x)).toBeGreaterThan(50);
  });

  it("crosses no edges that need not cross", () => {
    // 0 > 3, 1 > 2 is crossed in the order of the numbers.
    const placed = place(
      sizes(4),
      [
        { from: 0, to: 3 },
        { from: 1, to: 2 },
      ],
      () => false,
      "down",
    );
    expect(placed.positions[3]!.x < placed.positions[2]!.x).toBe(placed.positions[0]!.x < placed.positions[1]!.x);
  });

  it("takes the direction in which more can be seen", () => {
    const edges = Array.from({ length: 9 }, (_, k) => ({ from: k, to: k + 1 }));
    expect(layOut(sizes(10), edges, isFirst, { width: 400, height: 1000 }).direction).toBe("down");
    expect(layOut(sizes(10), edges, isFirst, { width: 1600, height: 200 }).direction).toBe("right");
  });

  it("is the same each time, without overlaps, for any graph", () => {
    let state = 1;
    const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
    for (let round = 0; round < 30; round++) {
      const count = 1 + Math.floor(random() * 30);
      const nodes = Array.from({ length: count }, () => ({ width: 60 + random() * 200, height: 44 }));
      const edges = Array.from({ length: Math.floor(random() * 2 * count) }, () => ({
        from: Math.floor(random() * count),
        to: Math.floor(random() * count),
      })).filter(({ from, to }) => from !== to);
      for (const direction of ["down", "right"] as const) {
        const placed = place(nodes, edges, isFirst, direction);
        expect(place(nodes, edges, isFirst, direction)).toEqual(placed);
        for (let a = 0; a < count; a++) {
          for (let b = 0; b < a; b++) {
            const [one, other] = [placed.positions[a]!, placed.positions[b]!];
            const apart = Math.abs(one.x - other.x) >= (nodes[a]!.width + nodes[b]!.width) / 2 || Math.abs(one.y - other.y) >= 44;
            expect(apart).toBe(true);
          }
        }
        for (const { from, to } of edges) {
          expect(placed.layers[Math.min(from, to)]! < placed.layers[Math.max(from, to)]!).toBe(true);
        }
      }
    }
  });
});

describe("walking", () => {
  it("follows edges along the flow, and layers across it", () => {
    const level = levelFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.a", 0, "x", "a"],
        ["m.b", 0, "x", "b"],
        ["m.c", 0, "a b", "y"],
      ],
      edges: ["x>a", "x>b", "a>y", "b>y"],
    });
    const drawn = drawLevel(level, [], { width: 300, height: 900 }, measure);
    expect(drawn.direction).toBe("down");
    const at = (title: string): number => drawn.items.findIndex((item) => item.title === title);
    const [left, right] = [...drawn.placed.orders[1]!];
    expect(walkLevel(drawn, -1, "down")).toBe(at("input in0"));
    expect(drawn.placed.orders[1]).toContain(walkLevel(drawn, at("input in0"), "down"));
    expect(walkLevel(drawn, left!, "right")).toBe(right);
    expect(walkLevel(drawn, right!, "right")).toBe(right);
    expect(walkLevel(drawn, right!, "left")).toBe(left);
    expect(walkLevel(drawn, right!, "down")).toBe(at("c"));
    expect(walkLevel(drawn, at("c"), "up")).not.toBe(at("c"));
    expect(walkLevel(drawn, at("input in0"), "up")).toBe(at("input in0"));
  });
});

describe("many steps", () => {
  const through = (...branches: string[]): Described => ({
    calls: [
      ["m", -1, "x", "y"],
      ...branches.map((name, k): Described["calls"][number] => [
        `m.${name}`,
        0,
        k === 0 ? "x" : `t${k - 1}`,
        k === branches.length - 1 ? "y" : `t${k}`,
      ]),
    ],
    edges: branches.map((_, k) => `${k === 0 ? "x" : `t${k - 1}`}>${k === branches.length - 1 ? "y" : `t${k}`}`),
  });

  it("say how often each node and each edge occurred", () => {
    const union = new Union();
    // The first branch on 37 steps, the second one on 3.
    union.add([levelFrom(through("fc", "a", "out"))], 37);
    union.add([levelFrom(through("fc", "b", "out"))], 3);
    const { nodes, edges, steps } = union.level;
    expect(steps).toBe(40);
    expect(nodes.map((node) => `${node.key} ${node.steps}`)).toEqual([
      "input in0 40",
      "0.m.fc 40",
      "0.m.b 3",
      "0.m.a 37",
      "0.m.out 40",
      "output output 40",
    ]);
    expect(edges.map((edge) => `${nodes[edge.from]!.title}>${nodes[edge.to]!.title} ${edge.steps}`)).toEqual([
      "input in0>fc 40",
      "fc>b 3",
      "fc>a 37",
      "b>out 3",
      "a>out 37",
      "out>output 40",
    ]);
    const drawn = draw(union.level);
    expect(drawn.items.map(({ subtitle }) => subtitle)).toContain("b \u00b7 3 of 40 steps");
    expect(drawn.edges.map(({ label }) => label)).toEqual(["", "3 of 40", "37 of 40", "3 of 40", "37 of 40", ""]);
  });

  it("count a step with several iterations once", () => {
    const union = new Union();
    union.add([levelFrom(through("a", "b")), levelFrom(through("a")), levelFrom(through("a", "b"))], 5);
    const { nodes, edges } = union.level;
    expect(nodes.map(({ steps }) => steps)).toEqual([5, 5, 5, 5]);
    expect(edges.map((edge) => `${nodes[edge.from]!.title}>${nodes[edge.to]!.title} ${edge.steps}`)).toEqual([
      "input in0>a 5",
      "a>b 5",
      "a>output 5",
      "b>output 5",
    ]);
  });

  it("have a node for every call of a loop, however long it was", () => {
    const loop = (count: number): Described => ({
      calls: [
        ["m", -1, "t0", `t${count}`],
        ...Array.from({ length: count }, (_, k): Described["calls"][number] => ["m.cell", 0, `t${k}`, `t${k + 1}`]),
      ],
      edges: Array.from({ length: count }, (_, k) => `t${k}>t${k + 1}`),
    });
    const union = new Union();
    union.add([levelFrom(loop(2))], 1);
    union.add([levelFrom(loop(5))], 1);
    expect(union.level.nodes.filter(({ kind }) => kind === "call").map(({ title, steps }) => `${title} ${steps}`)).toEqual([
      "cell 2",
      "cell (call 2) 2",
      "cell (call 3) 1",
      "cell (call 4) 1",
      "cell (call 5) 1",
    ]);
    // The three that only the longer one has are folded on their own.
    expect(titles(union.level).map((text) => text.split("/")[0])).toEqual([
      "input in0",
      "cell",
      "cell (call 2)",
      "cell \u00d7 3 \u00b7 1 of 2 steps",
      "output",
    ]);
  });
});
