/** The order of nodes in which every edge leads on. */

/** The nodes, each moved before the first one that an edge leads to from it. If edges go in circles, some do not lead on. */
export function sourcesFirst<Node>(nodes: readonly Node[], edges: ReadonlyMap<Node, ReadonlyMap<Node, unknown>>): Node[] {
  const sourcesOf = new Map<Node, Node[]>(nodes.map((node) => [node, []]));
  for (const [source, sinks] of edges) {
    [...sinks.keys()].forEach((sink) => sourcesOf.get(sink)!.push(source));
  }
  const ordered: Node[] = [];
  const begun = new Set<Node>();
  const add = (node: Node): void => {
    if (!begun.has(node)) {
      begun.add(node);
      sourcesOf.get(node)!.forEach(add);
      ordered.push(node);
    }
  };
  nodes.forEach(add);
  return ordered;
}
