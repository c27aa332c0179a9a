/** Every connection between what is drawn, as a thin line behind the edges of the selected node. */

import type { Graph } from "../../../../data/format/types";
import type { Placement } from "../../../../kits/graph/placement";
import { edgeCurve, type Point } from "../../../../kits/graph/routes";
import type { Items } from "../layout/items";
import { tracedEdges } from "../layout/trace";
import { pointsOf } from "./graph_drawing";

/** The ways of all connections between what is drawn; none where they are more than `most`. */
export function faintEdges(graph: Graph, items: Items, placement: Placement, most: number): (readonly Point[])[] {
  const byNode = new Map(placement.nodes.map((node) => [node.node, node]));
  const sides = new Uint8Array(graph.nodes.name.length).fill(1);
  return tracedEdges(graph, { sides }, items, (item) => byNode.has(item), most).map(({ from, to }, k) => {
    const [source, target] = [byNode.get(from)!, byNode.get(to)!];
    return pointsOf(source, target, edgeCurve(source, target, placement, k));
  });
}
