import { describe, expect, it } from "vitest";
import { parseGraph } from "../src/data/documents";
import type { Graph } from "../src/data/types";
import { columnsOf, walk, windowAround } from "../src/views/graph/columns";
import { readFilter } from "../src/views/graph/filter";
import { layoutOf } from "../src/views/graph/layout";
import { placeGraph } from "../src/views/graph/placement";
import { endsOf, neighboursOf, shapeKey, type Neighbour } from "../src/views/graph/relations";
import { freeHeight } from "../src/views/graph/routes";
import { graphJson } from "./fixture";
import { gridOf } from "./graphs";

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
      edges: [[0, 2], [0, 3], [1, 3], [3, 4]],
    }),
    "graph",
  );

  it("tell the selected role's connections from those of the node's other roles", () => {
    const named = (neighbours: readonly Neighbour[]) => neighbours.map(({ node, own }) => [node, own]);
    const first = neighboursOf(graph, 2, "first");
    expect([named(first.dependencies), named(first.dependents)]).toEqual([[[0, true], [1, false]], [[3, false]]]);
    const second = neighboursOf(graph, 2, "second");
    expect([named(second.dependencies), named(second.dependents)]).toEqual([[[0, true], [1, true]], [[3, true]]]);
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
    expect(placed.nodes.map((node) => [node.dottedLeft, node.dottedRight])).toEqual([[true, false], [true, true], [false, true]]);
  });

  it("never marks parameters so", () => {
    const parameters: Graph = { ...graph, nodes: { ...graph.nodes, type: ["parameter", "parameter", "parameter"] } };
    expect(place(parameters, () => 10).nodes.some((node) => node.dottedLeft || node.dottedRight)).toBe(false);
  });

  it("keeps the order of rows", () => {
    const unsorted: Graph = { ...graph, nodes: { ...graph.nodes, row: [1, 0, 0] } };
    expect(columnsOf(unsorted)).toEqual([[1, 0], [2]]);
  });
});

describe("the way of an edge", () => {
  it("goes straight on where it can, and else through the nearest gap", () => {
    expect(freeHeight(100, 0, [0, 42])).toBe(100);
    expect(freeHeight(40, 0, [0, 42])).toBe(21);
    expect(freeHeight(-2, 0, [0, 42])).toBe(-19);
    expect(freeHeight(0, 50, [0])).toBe(19);
    expect(freeHeight(0, -50, [0])).toBe(-19);
    expect(freeHeight(1, 50, [0, 42])).toBe(21);
  });
});
