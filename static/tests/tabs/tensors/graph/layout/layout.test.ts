import { describe, expect, it } from "vitest";
import { parseGraph } from "../../../../../src/data/format/documents";
import type { Graph } from "../../../../../src/data/format/types";
import { readableLabels, shortHeading } from "../../../../../src/kits/graph/labels";
import { CLOSE, fittingZoom, type PlacedNode, uprightExtent, WIDE } from "../../../../../src/kits/graph/placement";
import { edgeCurve, freeHeight } from "../../../../../src/kits/graph/routes";
import { drawnEdges } from "../../../../../src/tabs/tensors/graph/canvas/drawn_edges";
import { frameOf, roomBelow, targetOf } from "../../../../../src/tabs/tensors/graph/canvas/overview";
import { placeGraph } from "../../../../../src/tabs/tensors/graph/canvas/place_graph";
import { columnsOf, walk, windowAround } from "../../../../../src/tabs/tensors/graph/layout/columns";
import { readFilter } from "../../../../../src/tabs/tensors/graph/layout/filter";
import { ALL_OPEN } from "../../../../../src/tabs/tensors/graph/layout/folding";
import { layoutOf } from "../../../../../src/tabs/tensors/graph/layout/layout";
import { endsOf, type Neighbour, neighboursOf, shapeKey } from "../../../../../src/tabs/tensors/graph/layout/relations";
import { graphJson } from "../../../../support/bundle_fixture";
import { gridOf } from "../../../../support/graphs";

describe("walking", () => {
  // Columns 0 | 1 2 3 | 4 5, centred: 0 is beside 2; 4 and 5 are between the rows of the middle column.
  const columns = columnsOf(gridOf([1, 3, 2]));

  it("goes down and up a column and round its ends", () => {
    expect([1, 2, 3].map((node) => walk(columns, node, "down"))).toEqual([2, 3, 1]);
    expect([1, 2, 3].map((node) => walk(columns, node, "up"))).toEqual([3, 1, 2]);
    expect(walk(columns, 0, "down")).toBe(0);
  });

  it("goes sideways to the row at the same height, and round the sides", () => {
    expect(walk(columns, 0, "right")).toBe(2);
    expect(walk(columns, 1, "left")).toBe(0);
    expect(walk(columns, 0, "left")).toBe(5);
    expect(walk(columns, 3, "right")).toBe(5);
    expect(walk(columns, 4, "right")).toBe(0);
  });

  it("reaches every node", () => {
    const large = columnsOf(gridOf([4, 1, 7, 2]));
    const reached = new Set([0]);
    for (const node of reached) {
      for (const direction of ["left", "right", "up", "down"] as const) {
        reached.add(walk(large, node, direction));
      }
    }
    expect(reached.size).toBe(14);
  });
});

describe("the window", () => {
  it("is everything where there is room", () => {
    const window = windowAround(columnsOf(gridOf([3, 4])), 0, null, 7);
    expect(window.complete).toBe(true);
    expect(window.shown.size).toBe(7);
  });

  it("is the whole columns around the selection", () => {
    const columns = columnsOf(gridOf([10, 10, 10, 10, 10]));
    const window = windowAround(columns, 25, null, 30);
    expect(window.complete).toBe(false);
    expect(window.columns.map((column) => column[0])).toEqual([10, 20, 30]);
  });

  it("is the rows around the selection in a column that is too long", () => {
    const window = windowAround(columnsOf(gridOf([2, 1000])), 502, null, 20);
    expect(window.columns).toEqual([[...Array(20).keys()].map((k) => 492 + k)]);
    expect(windowAround(columnsOf(gridOf([2, 1000])), 1001, null, 20).shown.has(1001)).toBe(true);
  });

  it("never shows more than it may", () => {
    for (const most of [1, 7, 30, 600]) {
      for (const node of [0, 5, 40, 999]) {
        const window = windowAround(columnsOf(gridOf([5, 300, 1, 694])), node, null, most);
        expect(window.shown.size).toBeLessThanOrEqual(most);
        expect(window.shown.has(node)).toBe(true);
      }
    }
  });

  it("stays where it is as long as it shows the neighbouring columns", () => {
    const columns = columnsOf(gridOf([200, 200, 200, 200, 200]));
    const first = windowAround(columns, 450, null, 600);
    expect(windowAround(columns, 410, first, 600)).toBe(first);
    const moved = windowAround(columns, 650, first, 600);
    expect(moved).not.toBe(first);
    expect(moved.shown.has(650)).toBe(true);
  });
});

describe("relations", () => {
  // a -> n/first, a -> n/second, b -> n/second, n/second -> c
  const graph = parseGraph(
    graphJson({
      nodes: ["a", "b", "n", "c"].map((name, k) => ({ name, type: "calculated", column: k, row: 0 })),
      tensors: [
        { name: "a", node: 0, role: "a", record_name: "a", record_iteration: 0 },
        { name: "b", node: 1, role: "b", record_name: "b", record_iteration: 0 },
        { name: "n1", node: 2, role: "first", record_name: "n1", record_iteration: 0 },
        { name: "n2", node: 2, role: "second", record_name: "n2", record_iteration: 0 },
        { name: "c", node: 3, role: "c", record_name: "c", record_iteration: 0 },
      ],
      edges: [
        [0, 2],
        [0, 3],
        [1, 3],
        [3, 4],
      ],
    }),
    "graph",
  );

  it("tell the selected role's connections from those of the node's other roles", () => {
    const named = (neighbours: readonly Neighbour[]) => neighbours.map(({ node, own }) => [node, own]);
    const first = neighboursOf(graph, 2, "first");
    expect([named(first.dependencies), named(first.dependents)]).toEqual([
      [
        [0, true],
        [1, false],
      ],
      [[3, false]],
    ]);
    const second = neighboursOf(graph, 2, "second");
    expect([named(second.dependencies), named(second.dependents)]).toEqual([
      [
        [0, true],
        [1, true],
      ],
      [[3, true]],
    ]);
    const source = neighboursOf(graph, 0, "a");
    expect([named(source.dependencies), named(source.dependents)]).toEqual([[], [[2, true]]]);
    expect(first.dependencies.every(({ carriesGradient }) => carriesGradient)).toBe(true);
  });

  it("tell through which connections no gradient flows; those of the selected role decide, and one gradient is enough", () => {
    const flows = (without_gradient: number[], role: string) =>
      neighboursOf({ ...graph, without_gradient }, 2, role).dependencies.map(({ carriesGradient }) => carriesGradient);
    expect(flows([0], "first")).toEqual([false, true]);
    expect(flows([0], "second")).toEqual([true, true]);
    expect(flows([1, 2], "first")).toEqual([true, false]);
    expect(flows([1, 2], "third")).toEqual([true, false]);
    expect(flows([0, 1], "third")).toEqual([false, true]);
  });

  it("know the ends", () => {
    expect(endsOf(graph)).toEqual({ hasDependencies: [false, false, true, true], hasDependents: [true, true, true, false] });
  });

  it("make a graph look the same only if its nodes and ends are the same", () => {
    expect(shapeKey(gridOf([1, 1], [[0, 1]]))).toBe(shapeKey(gridOf([1, 1], [[0, 1]])));
    expect(shapeKey(gridOf([1, 1], [[0, 1]]))).not.toBe(shapeKey(gridOf([1, 1])));
    expect(shapeKey(gridOf([2]))).not.toBe(shapeKey(gridOf([1, 1])));
  });
});

describe("placement", () => {
  const graph = gridOf([2, 1], [[0, 2]]);
  const place = (drawn: Graph, measure: (text: string) => number) => {
    const layout = layoutOf(drawn, null, readFilter(undefined, undefined));
    return placeGraph(drawn, layout, windowAround(layout.columns, 0, null, 600), measure);
  };
  const placed = place(graph, (text) => 10 * text.length);

  it("puts columns side by side without overlap, and centres them", () => {
    const [top, bottom, right] = placed.nodes;
    expect(top!.x).toBe(bottom!.x);
    expect(top!.x + top!.width / 2).toBeLessThan(right!.x - right!.width / 2);
    expect(right!.y).toBeCloseTo((top!.y + bottom!.y) / 2);
  });

  it("is dotted where a node depends on nothing, or nothing depends on it", () => {
    expect(placed.nodes.map((node) => [node.dottedLeft, node.dottedRight])).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
  });

  it("never marks parameters so", () => {
    const parameters: Graph = { ...graph, nodes: { ...graph.nodes, type: ["parameter", "parameter", "parameter"] } };
    expect(place(parameters, () => 10).nodes.some((node) => node.dottedLeft || node.dottedRight)).toBe(false);
  });

  it("has names of the same size with less around them where it is close, inside their nodes beside the badges", () => {
    const measure = (text: string) => 10 * text.length;
    const close = placeGraph(
      graph,
      layoutOf(graph, null, readFilter(undefined, undefined)),
      windowAround(columnsOf(graph), 0, null, 600),
      measure,
      CLOSE,
    );
    expect(close.nodes.map(({ label, labelWidth }) => [label, labelWidth])).toEqual(
      placed.nodes.map(({ label, labelWidth }) => [label, labelWidth]),
    );
    for (const [k, node] of close.nodes.entries()) {
      expect(node.width).toBeGreaterThanOrEqual(node.labelWidth + node.badgeWidth);
      expect(node.width).toBeLessThan(placed.nodes[k]!.width);
    }
    const size = { width: 300, height: 120 };
    expect(fittingZoom(close, size)).toBeGreaterThan(fittingZoom(placed, size));
  });

  it("is fitted with some space around it", () => {
    const { columns, nodes } = placed;
    const zoom = fittingZoom(placed, { width: 200, height: 4000 });
    expect(zoom * (columns[1]!.right - columns[0]!.left)).toBeCloseTo(200 - 2 * 28);
    const high = fittingZoom(placed, { width: 4000, height: 100 });
    expect(high * (nodes[1]!.y - nodes[0]!.y + 28)).toBeCloseTo(100 - 2 * 28);
  });

  it("leaves room for a heading above its column where all is in view", () => {
    const nodes = placed.nodes.map((node) => ({ ...node }));
    const top = Math.min(...nodes.map(({ y }) => y)) - 14;
    const withHeading = { ...placed, headings: [{ text: "net.", full: "net.", width: 20, room: 80, x: 0, y: top - 12 }] };
    const height = 150;
    const zoom = fittingZoom(withHeading, { width: 4000, height });
    const extent = uprightExtent(withHeading);
    expect([extent.top, extent.bottom]).toEqual([top - 12, -top]);
    expect(extent.above).toBeGreaterThanOrEqual(22);
    expect(extent.above + (extent.bottom - extent.top) * zoom + extent.below).toBeCloseTo(height);
  });

  it("keeps the order of rows", () => {
    const unsorted: Graph = { ...graph, nodes: { ...graph.nodes, row: [1, 0, 0] } };
    expect(columnsOf(unsorted)).toEqual([[1, 0], [2]]);
  });
});

describe("the names of nodes side by side", () => {
  const LETTER = 7;
  const names = ["out", "mem"].flatMap((part) => [`net.subnet_${part}.weight_1`, `net.subnet_${part}.weight_2`]);
  const nodes = names.map((name, k) => ({ name, type: "parameter", column: k >> 1, row: k % 2 }));
  const tensors = names.map((name, node) => ({ name, node, role: name, record_name: name, record_iteration: 0 }));
  const graph = parseGraph(graphJson({ nodes, tensors, edges: [[0, 1]] }), "graph");
  const layout = { ...layoutOf(graph, ALL_OPEN, readFilter("", "")), headings: ["net.subnet_out.", "net.subnet_mem."] };
  const labelled = { ...layout, labelOf: () => "weight_1" };
  const window = windowAround(layout.columns, 0, null, 600);
  const placement = placeGraph(graph, labelled, window, (text) => LETTER * text.length, CLOSE);
  const labelsAt = (zoom: number) =>
    readableLabels(
      placement,
      () => "none",
      () => false,
      { pan: { x: 100, y: 100 }, zoom, width: 800, height: 400 },
    );

  it("leave the letter of its kind in sight, if there is room for both", () => {
    const zoom = 0.8;
    const onNodes = labelsAt(zoom).filter(({ isHeading }) => !isHeading);
    expect(onNodes.map(({ text }) => text)).toEqual(Array(4).fill("weight_1"));
    for (const label of onNodes) {
      const { x, width, badgeWidth } = placement.nodes.find(({ node }) => node === label.node)!;
      expect(label.x - label.width / 2).toBeGreaterThanOrEqual((x - width / 2 + badgeWidth) * zoom + 100);
      expect(label.hidesBadge).toBe(false);
    }
  });

  it("are shortened before they lie over that letter, and lie over it if too little would be left of them", () => {
    const zoom = 0.5;
    const shortened = labelsAt(zoom).filter(({ isHeading }) => !isHeading);
    expect(new Set(shortened.map(({ text }) => text))).toEqual(new Set(["wei\u2026t_1"]));
    for (const label of shortened) {
      const { x, width, badgeWidth } = placement.nodes.find(({ node }) => node === label.node)!;
      expect(label.x - label.width / 2).toBeGreaterThanOrEqual((x - width / 2 + badgeWidth) * zoom + 100);
      expect(label.x + label.width / 2).toBeLessThan((x + width / 2 + placement.measures.columnGap) * zoom + 100);
    }
    expect(shortened.some(({ hidesBadge }) => hidesBadge)).toBe(false);
    expect(labelsAt(0.2).filter(({ isHeading, hidesBadge }) => !isHeading && !hidesBadge)).toEqual([]);
  });

  it("stand below a heading each, shortened to its last parts", () => {
    const headings = labelsAt(0.8).filter(({ isHeading }) => isHeading);
    expect(headings.map(({ text }) => text)).toEqual(["\u2026subnet_out.", "\u2026subnet_mem."]);
    const smaller = labelsAt(0.7).filter(({ isHeading }) => isHeading);
    expect(smaller.map(({ text }) => text)).toEqual(["\u2026ubnet_out.", "\u2026ubnet_mem."]);
    expect(shortHeading("net.subnet_out.", 15)).toBe("net.subnet_out.");
    expect(shortHeading("net.subnet_out.", 8)).toBe("\u2026et_out.");
  });
});

describe("labels of a small graph", () => {
  const graph = gridOf([40, 40, 40, 40, 40, 40, 40, 40]);
  const layout = layoutOf(graph, null, readFilter("", ""));
  const placement = placeGraph(graph, layout, windowAround(layout.columns, 0, null, 600), (text) => 7 * text.length);
  const emphasisOf = (node: number) => (node === 100 ? "selected" : node === 60 || node === 101 ? "neighbour" : "none");
  const screen = { pan: { x: 60, y: 300 }, zoom: 0.3, width: 600, height: 500 };
  const labels = readableLabels(placement, emphasisOf, (node) => node > 310, screen);

  it("never lie over one another, and leave no room for another one", () => {
    const isFree = (x: number, y: number, width: number) =>
      labels.every((other) => Math.abs(other.y - y) >= 11 || Math.abs(other.x - x) >= (other.width + width) / 2);
    for (const [k, { x, y, width }] of labels.entries()) {
      expect(labels.slice(0, k).every((other) => Math.abs(other.y - y) >= 11 || Math.abs(other.x - x) >= (other.width + width) / 2)).toBe(
        true,
      );
      expect(x > 0 && x < 600 && y > 0 && y < 500).toBe(true);
    }
    const drawn = new Set(labels.map(({ node }) => node));
    const left = placement.nodes.filter(
      ({ node, x, y }) => !drawn.has(node) && node <= 310 && y * 0.3 + 300 > 0 && y * 0.3 + 300 < 500 && x * 0.3 + 60 < 600,
    );
    expect(left.length).toBeGreaterThan(0);
    expect(
      left.filter(
        ({ x, y, labelWidth }) => isFree(x * 0.3 + 60, y * 0.3 + 297, labelWidth) && isFree(x * 0.3 + 60, y * 0.3 + 303, labelWidth),
      ),
    ).toEqual([]);
  });

  it("are those of the selected node and its neighbours before others, and none of dimmed ones", () => {
    expect(labels[0]?.node).toBe(100);
    expect(labels.map(({ node }) => node)).toContain(60);
    // Just below the selected one, at a distance of less than a line.
    expect(labels.map(({ node }) => node)).not.toContain(101);
    expect(labels.some(({ node }) => node > 310)).toBe(false);
  });
});

describe("the overview", () => {
  it("has the room below the nodes in its corner", () => {
    const part = { left: 0, right: 400, top: -100, bottom: 100, hasAll: false };
    const nodeAt = (x: number, y: number): PlacedNode => ({ x, y, width: 40, height: 20 }) as PlacedNode;
    // The corner begins at 300, with two pixels per length.
    expect(roomBelow(part, [nodeAt(330, 0), nodeAt(370, -50), nodeAt(270, 80)], 200, 2)).toBe(180);
    expect(roomBelow(part, [nodeAt(285, 60), nodeAt(350, 300), nodeAt(430, 90)], 200, 2)).toBe(60);
    expect(roomBelow(part, [nodeAt(350, 105)], 200, 2)).toBe(0);
    expect(roomBelow(part, [], 200, 2)).toBe(400);
  });

  const columns = columnsOf(gridOf([2, 1000, 4, 300]));
  const graph = gridOf([2, 1000, 4, 300]);
  const layout = layoutOf(graph, null, readFilter("", ""));
  const window = windowAround(columns, 700, null, 100);
  const placement = placeGraph(graph, layout, window, (text) => 7 * text.length);

  it("says where the view is, also in a column of which rows are left out", () => {
    const placed = placement.nodes.find(({ node }) => node === 700)!;
    const part = { left: placed.x - 10, right: placed.x + 10, top: placed.y - 42, bottom: placed.y + 42, hasAll: false };
    const frame = frameOf(part, columns, window, placement);
    // Node 700 has row 698 of 1,000, so it is 198.5 below the middle.
    expect([(frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2]).toEqual([1, 198.5]);
    expect(frame.bottom - frame.top).toBe(2);
  });

  it("finds what a place shows, and whether that is drawn", () => {
    expect(targetOf({ column: 1.2, row: 198.6 }, columns, window, placement)).toMatchObject({
      item: 700,
      at: { y: expect.closeTo(placement.nodes.find(({ node }) => node === 700)!.y + 4.2, 5) },
    });
    expect(targetOf({ column: 2.9, row: 0.4 }, columns, window, placement)).toEqual({ item: 1006 + 150, at: null });
    expect(targetOf({ column: -3, row: -99 }, columns, window, placement)).toEqual({ item: 0, at: null });
  });

  it("puts the middle of a column at its number", () => {
    const all = windowAround(columnsOf(gridOf([1, 3, 2])), 0, null, 600);
    const small = gridOf([1, 3, 2]);
    const drawn = placeGraph(small, layoutOf(small, null, readFilter("", "")), all, () => 30);
    const middles = drawn.columns.map(({ left, right }) => (left + right) / 2);
    const at = (x: number) => frameOf({ left: x, right: x, top: 0, bottom: 0, hasAll: false }, columnsOf(small), all, drawn).left;
    expect(middles.map(at)).toEqual([0, 1, 2]);
    expect(at((middles[1]! + middles[2]!) / 2)).toBeCloseTo(1.5);
    expect(at(2 * middles[0]! - middles[1]!)).toBeCloseTo(-1);
  });
});

describe("the way of an edge", () => {
  it("goes straight on where it can, and else through the nearest gap", () => {
    expect(freeHeight(100, 0, [0, 42], 28)).toBe(100);
    expect(freeHeight(40, 0, [0, 42], 28)).toBe(21);
    expect(freeHeight(-2, 0, [0, 42], 28)).toBe(-19);
    expect(freeHeight(0, 50, [0], 28)).toBe(19);
    expect(freeHeight(0, -50, [0], 28)).toBe(-19);
    expect(freeHeight(1, 50, [0, 42], 28)).toBe(21);
  });

  it("leads back to the left over everything in between", () => {
    const placed = (x: number, y: number) => ({ x, y, width: 100 }) as PlacedNode;
    const columns = [
      { left: -50, right: 50, middles: [0] },
      { left: 100, right: 200, middles: [-84, -42, 0] },
      { left: 250, right: 350, middles: [0] },
    ];
    const { distances, weights } = edgeCurve(placed(300, 0), placed(0, 0), { measures: WIDE, columns }, 0);
    // The straight way leads from 350 to -50; seen along it, above is to the right.
    expect(weights[0]).toBeLessThan(0);
    expect(weights[3]).toBeGreaterThan(1);
    expect(distances).toEqual([0, 112, 112, 0].map((distance) => expect.closeTo(distance, 5)));
  });
});

describe("the connections that are drawn", () => {
  const node = (number: number, x: number, type: string) => ({ node: number, id: `n${number}`, type, x, y: 0, width: 100 }) as PlacedNode;
  const placement = {
    measures: WIDE,
    nodes: [node(0, 0, "input"), node(1, 200, "calculated"), node(2, 400, "loss")],
    headings: [],
    columns: [],
  };
  const neighbours = {
    dependencies: [{ node: 0, own: true, carriesGradient: false }],
    dependents: [
      { node: 2, own: false, carriesGradient: true },
      { node: 7, own: true, carriesGradient: true },
    ],
  };

  it("are those of the selected node, in the colors of its neighbours, where both ends are drawn", () => {
    const edges = drawnEdges(placement, 1, neighbours, [], []);
    expect([...edges].map(([id, { source, target, type, classes }]) => [id, source, target, type, classes])).toEqual([
      ["e0-1", "n0", "n1", "input", ["without-gradient"]],
      ["e1-2", "n1", "n2", "loss", ["thin"]],
    ]);
  });

  it("are those on the trace too, each once", () => {
    const traced = [
      { from: 0, to: 1, carriesGradient: false },
      { from: 0, to: 2, carriesGradient: true },
    ];
    const edges = drawnEdges(placement, 1, neighbours, traced, []);
    expect([...edges].map(([id, { classes }]) => [id, classes])).toEqual([
      ["e0-1", ["without-gradient"]],
      ["e1-2", ["thin"]],
      ["e0-2", ["traced"]],
    ]);
    expect(edges.get("e0-2")?.type).toBe("input");
  });

  it("are those that only one of two graphs has too, marked where they are drawn already", () => {
    const differing = [
      { from: 0, to: 1, onlyIn: "A", carriesGradient: false },
      { from: 0, to: 2, onlyIn: "B", carriesGradient: true },
      { from: 0, to: 7, onlyIn: "A", carriesGradient: true },
    ] as const;
    const edges = drawnEdges(placement, 1, neighbours, [], differing);
    expect([...edges].map(([id, { classes }]) => [id, classes])).toEqual([
      ["e0-1", ["without-gradient", "only-in-a"]],
      ["e1-2", ["thin"]],
      ["e0-2", ["thin", "only-in-b"]],
    ]);
  });
});
