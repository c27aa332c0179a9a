/** The connections that are drawn: those of the selected node, those on the trace, and those that only one of two graphs has. */

import type { TensorType } from "../../../../data/format/types";
import type { Placement } from "../../../../kits/graph/placement";
import { edgeCurve } from "../../../../kits/graph/routes";
import { DIFFERENCE_CLASSES } from "../../../../kits/graph/style";
import type { DifferingEdge } from "../compare/differing_edges";
import type { Neighbour, Neighbours } from "../layout/relations";
import type { TracedEdge } from "../layout/trace";

/** An edge as it is drawn, between the ids of two nodes; its curve as `edgeCurve` gives it. */
export interface DrawnEdge {
  source: string;
  target: string;
  type: TensorType;
  distances: readonly number[];
  weights: readonly number[];
  classes: readonly string[];
}

/** The edges by their ids. An edge needs both ends drawn; an edge of the selected node is not drawn again for the trace. */
export function drawnEdges(
  placement: Placement,
  selected: number,
  { dependencies, dependents }: Neighbours,
  traced: readonly TracedEdge[],
  differing: readonly DifferingEdge[],
): Map<string, DrawnEdge> {
  const byNode = new Map(placement.nodes.map((node) => [node.node, node]));
  const edges = new Map<string, DrawnEdge>();
  // `number` tells edges apart that have the same way.
  const add = (from: number, to: number, neighbour: Neighbour, number: number, kinds: readonly string[]): void => {
    const [id, source, target] = [edgeId(from, to), byNode.get(from), byNode.get(to)];
    if (source !== undefined && target !== undefined && !edges.has(id)) {
      const { type } = neighbour.node === from ? source : target;
      const classes = [...kinds, ...(neighbour.own ? [] : ["thin"]), ...(neighbour.carriesGradient ? [] : ["without-gradient"])];
      edges.set(id, { source: source.id, target: target.id, type, ...edgeCurve(source, target, placement, number), classes });
    }
  };
  dependencies.forEach((neighbour, k) => add(neighbour.node, selected, neighbour, k, []));
  dependents.forEach((neighbour, k) => add(selected, neighbour.node, neighbour, k, []));
  traced.forEach(({ from, to, carriesGradient }, k) => add(from, to, { node: from, own: true, carriesGradient }, k, ["traced"]));
  differing.forEach(({ from, to, onlyIn, carriesGradient }, k) => {
    add(from, to, { node: from, own: false, carriesGradient }, k, []);
    const edge = edges.get(edgeId(from, to));
    if (edge !== undefined) {
      edges.set(edgeId(from, to), { ...edge, classes: [...edge.classes, DIFFERENCE_CLASSES[onlyIn]] });
    }
  });
  return edges;
}

function edgeId(from: number, to: number): string {
  return `e${from}-${to}`;
}
