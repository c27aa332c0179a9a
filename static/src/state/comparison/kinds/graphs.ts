/** What only one of two dependency graphs has: nodes, roles of nodes, connections, and gradients through them. */

import { connectionsOf, missing, type NamedConnection, type NamedTensor, tensorsOf } from "../graph_match";
import { difference, type Kind, type KindDifference, type Seen, type Side } from "./difference";

/** All iterations together: a step with more of them has no other nodes. */
export function differingGraphs(a: Side, b: Side): KindDifference[] {
  const isSame = a.open.graphs.length === b.open.graphs.length && a.open.graphs.every((graph, k) => graph === b.open.graphs[k]);
  if (isSame) {
    return [];
  }
  const [tensorsOfA, tensorsOfB] = [tensorsOf(a.open.graphs), tensorsOf(b.open.graphs)];
  const [nodesOfA, nodesOfB] = [tensorsOfA, tensorsOfB].map((tensors) => new Set([...tensors.values()].map(({ node }) => node))) as [
    Set<string>,
    Set<string>,
  ];
  const inBoth = (node: string): boolean => nodesOfA.has(node) && nodesOfB.has(node);
  const isOfBoth = ({ from, to }: NamedConnection): boolean => inBoth(from) && inBoth(to);
  const lackingNodes = [...onlyIn(missing(tensorsOfA, tensorsOfB), inBoth, "a"), ...onlyIn(missing(tensorsOfB, tensorsOfA), inBoth, "b")];
  if (!a.open.hasGraph.includes(true) || !b.open.hasGraph.includes(true)) {
    return lackingNodes;
  }
  const [ofA, ofB] = [connectionsOf(a.open.graphs), connectionsOf(b.open.graphs)];
  // A connection of a node that one side lacks says nothing more.
  const lacking = [
    ...missing(ofA, ofB)
      .filter(isOfBoth)
      .map((connection) => connected(connection, "connection", true, undefined)),
    ...missing(ofB, ofA)
      .filter(isOfBoth)
      .map((connection) => connected(connection, "connection", undefined, true)),
  ];
  const flows = ({ carriesGradient }: NamedConnection): Seen => carriesGradient || undefined;
  const otherGradient = [...ofA].flatMap(([key, connection]) => {
    const other = ofB.get(key);
    const isSameFlow = other === undefined || other.carriesGradient === connection.carriesGradient;
    return isSameFlow ? [] : [connected(connection, "gradient", flows(connection), flows(other))];
  });
  return [...lackingNodes, ...lacking, ...otherGradient];
}

/** Whole nodes once, and the roles that only one side has of a node of both. */
function onlyIn(tensors: readonly NamedTensor[], inBoth: (node: string) => boolean, has: "a" | "b"): KindDifference[] {
  const seen = new Set<string>();
  return tensors.flatMap(({ node, role }) => {
    const isNode = !inBoth(node);
    if (isNode && seen.has(node)) {
      return [];
    }
    seen.add(node);
    return [
      {
        ...difference(isNode ? "node" : "tensor", isNode ? node : `${node} / ${role}`, undefined, undefined),
        [has]: true,
        place: { iteration: null, node, role },
      },
    ];
  });
}

function connected({ from, to }: NamedConnection, kind: Kind, a: Seen, b: Seen): KindDifference {
  return { ...difference(kind, `${from} \u2192 ${to}`, a, b), place: { iteration: null, node: to, role: null } };
}
