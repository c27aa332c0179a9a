import { describe, expect, it } from "vitest";
import { faintEdges } from "../../../../../src/tabs/tensors/graph/canvas/faint_edges";
import { placeGraph } from "../../../../../src/tabs/tensors/graph/canvas/place_graph";
import { windowAround } from "../../../../../src/tabs/tensors/graph/layout/columns";
import { readFilter } from "../../../../../src/tabs/tensors/graph/layout/filter";
import { layoutOf } from "../../../../../src/tabs/tensors/graph/layout/layout";
import { gridOf } from "../../../../support/graphs";

// Columns 0 | 1 2 | 3 | 4, and an edge past a column.
const EDGES: [number, number][] = [
  [0, 1],
  [0, 2],
  [2, 3],
  [1, 4],
];
const GRAPH = gridOf([1, 2, 1, 1], EDGES);
const LAYOUT = layoutOf(GRAPH, null, readFilter(undefined, undefined));

function placed(headings: readonly string[]) {
  return placeGraph(GRAPH, { ...LAYOUT, headings }, windowAround(LAYOUT.columns, 0, null, 600), (text) => 7 * text.length);
}

describe("the headings of columns", () => {
  it("stand once above columns beside each other that have the same", () =>
    expect(placed(["net.", "net.", "head.", "net."]).headings.map(({ full }) => full)).toEqual(["net.", "head.", "net."]));

  it("stand again after a column without one", () =>
    expect(placed(["net.", "", "net.", "net."]).headings.map(({ full }) => full)).toEqual(["net.", "net."]));
});

describe("faint edges", () => {
  const placement = placed(["", "", "", ""]);
  const sideOf = (node: number, side: -1 | 1): number[] => {
    const { x, y, width } = placement.nodes.find((candidate) => candidate.node === node)!;
    return [x + (side * width) / 2, y];
  };

  it("lead from the right side of a node to the left side of another, for every connection", () =>
    expect(faintEdges(GRAPH, LAYOUT.items, placement, 400).map((way) => [way[0], way.at(-1)])).toEqual(
      [...EDGES].sort(([a], [b]) => a - b).map(([from, to]) => [sideOf(from, 1), sideOf(to, -1)]),
    ));

  it("are none where they would be too many", () => expect(faintEdges(GRAPH, LAYOUT.items, placement, 3)).toEqual([]));
});
