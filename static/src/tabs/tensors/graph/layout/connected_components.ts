/** The circles of a graph. */

import type { Links } from "./adjacency";

/** Numbers the strongly connected component of every node (Tarjan's algorithm): within one, each node can reach each other. */
export function componentsOf({ start, others }: Links): Uint32Array {
  const count = start.length - 1;
  const component = new Uint32Array(count);
  // When a node was first met, from 1 on, and the earliest node on the stack that can be reached from it.
  const met = new Uint32Array(count);
  const earliest = new Uint32Array(count);
  const isOpen = new Uint8Array(count);
  const next = start.slice(0, count);
  const open: number[] = [];
  let time = 0;
  let components = 0;
  for (let root = 0; root < count; root++) {
    const way = met[root] === 0 ? [root] : [];
    while (way.length > 0) {
      const node = way[way.length - 1]!;
      if (met[node] === 0) {
        time += 1;
        met[node] = earliest[node] = time;
        isOpen[node] = 1;
        open.push(node);
      }
      if (next[node]! < start[node + 1]!) {
        const other = others[next[node]!]!;
        next[node]! += 1;
        if (met[other] === 0) {
          way.push(other);
        } else if (isOpen[other] === 1) {
          earliest[node] = Math.min(earliest[node]!, met[other]!);
        }
        continue;
      }
      way.pop();
      const before = way[way.length - 1];
      if (before !== undefined) {
        earliest[before] = Math.min(earliest[before]!, earliest[node]!);
      }
      if (earliest[node] === met[node]) {
        for (let last = -1; last !== node; ) {
          last = open.pop()!;
          isOpen[last] = 0;
          component[last] = components;
        }
        components += 1;
      }
    }
  }
  return component;
}
