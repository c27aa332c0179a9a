/** The connections between items: those of their nodes, merged. */

import type { Graph } from "../../../../data/format/types";
import { type Adjacency, adjacencyOf, type Links } from "./adjacency";
import type { Items } from "./items";

/** As between nodes, but by the place of an item among `items.numbers`. There may be circles. */
export interface Quotient extends Adjacency {
  placeOf: ReadonlyMap<number, number>;
}

/** Takes time proportional to the nodes and their connections. */
export function quotientOf(graph: Graph, items: Items): Quotient {
  const { dependents, carriesGradient } = adjacencyOf(graph);
  const placeOf = new Map(items.numbers.map((item, place) => [item, place]));
  const placeOfNode = Int32Array.from(items.ofNode, (item) => placeOf.get(item) ?? -1);
  const count = items.numbers.length;
  const start = new Uint32Array(count + 1);
  const others: number[] = [];
  const carries: number[] = [];
  // The place in `others` of an item, if it is there already for the item at hand.
  const at = new Int32Array(count).fill(-1);
  items.numbers.forEach((item, place) => {
    start[place] = others.length;
    for (const node of items.groups.get(item)?.members ?? [item]) {
      for (let k = dependents.start[node]!; k < dependents.start[node + 1]!; k++) {
        const other = placeOfNode[dependents.others[k]!]!;
        if (other < 0 || other === place) {
          continue;
        }
        if (at[other]! < start[place]) {
          at[other] = others.push(other) - 1;
          carries.push(0);
        }
        carries[at[other]!]! |= carriesGradient[k]!;
      }
    }
  });
  start[count] = others.length;
  const links = { start, others: Uint32Array.from(others) };
  return { placeOf, dependents: links, dependencies: reversed(links), carriesGradient: Uint8Array.from(carries) };
}

/** The same connections, seen from their other ends. */
function reversed({ start, others }: Links): Links {
  const from: Links = { start: new Uint32Array(start.length), others: new Uint32Array(others.length) };
  for (const other of others) {
    from.start[other + 1]! += 1;
  }
  for (let k = 1; k < start.length; k++) {
    from.start[k]! += from.start[k - 1]!;
  }
  const next = from.start.slice();
  for (let k = 0; k + 1 < start.length; k++) {
    for (let link = start[k]!; link < start[k + 1]!; link++) {
      const other = others[link]!;
      from.others[next[other]!] = k;
      next[other]! += 1;
    }
  }
  return from;
}
