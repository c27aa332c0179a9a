/** The note that is read marks the node that it points at. */

import { useMemo } from "preact/hooks";
import type { Graph } from "../../../data/format/types";
import type { Store } from "../../../state/store";
import type { Layout } from "./layout/layout";

/** Short texts on the corners of items, with that of the note; a collapsed group has it for its members. */
export function useMarksWithNote(
  store: Store,
  graph: Graph,
  layout: Layout,
  marks: ReadonlyMap<number, string>,
): ReadonlyMap<number, string> {
  const [point, place] = [store.story.point.value, store.story.place.value];
  return useMemo(() => {
    const node = point !== null && "node" in point ? graph.nodes.name.indexOf(point.node) : -1;
    const item = layout.items.ofNode[node] ?? -1;
    return item < 0 ? marks : new Map([...marks, [item, `note ${place + 1}`]]);
  }, [graph, layout, marks, point, place]);
}
