/** What about a graph is not as one would expect, in words: of which nodes it is, and how many of them are drawn. */

import { useMemo } from "preact/hooks";
import type { Graph } from "../../../data/format/types";
import type { OpenStep } from "../../../state/selection/open_step";
import { counted, grouped } from "../../../ui/text/format";
import { type Differences, differencesInWords } from "./compare/differing_edges";
import type { Window } from "./layout/columns";
import { type Filter, hiddenInWords } from "./layout/filter";
import type { Items } from "./layout/items";
import type { Layout } from "./layout/layout";

interface Props {
  open: OpenStep;
  iteration: number;
  graph: Graph;
  layout: Layout;
  filter: Filter;
  window: Window;
  differences: Differences;
  /** Whether the selected node, or the group that holds it, is not left out. */
  isDrawn: boolean;
}

export function GraphNotes({ open, iteration, graph, layout: { items }, filter, window, differences, isDrawn }: Props) {
  const hidden = useMemo(() => hiddenInWords(graph, filter), [graph, filter]);
  const notes: string[] = [];
  if (open.graphError !== null) {
    notes.push(`The dependencies could not be loaded; the tensors are listed by type. ${open.graphError.message}`);
  } else if (open.hasGraph[iteration] === false) {
    notes.push("The dependencies of this iteration were not recorded; its tensors are listed by type.");
  }
  notes.push(...groupsInWords(items), ...partInWords(items, window), ...differencesInWords(differences));
  if (hidden !== "") {
    notes.push(`${hidden}${isDrawn ? "" : ", the selected one among them"}.`);
  }
  return notes.length === 0 ? null : (
    <p class="graph-note" data-testid="graph-note">
      {notes.join(" ")}
    </p>
  );
}

/** The nodes of the drawing and what they are in; nothing where each is by itself. */
export function groupsInWords({ groups, numbers }: Items): string[] {
  const single = numbers.length - groups.size;
  const inGroups = [...groups.values()].reduce((sum, { members }) => sum + members.length, 0);
  const alone = single > 0 ? ` and ${counted(single, "single node")}` : "";
  return groups.size === 0 ? [] : [`${counted(inGroups + single, "node")} in ${counted(groups.size, "group")}${alone}.`];
}

/** How many of them are drawn; nothing where all are. */
export function partInWords({ groups, numbers }: Items, window: Window): string[] {
  return window.complete
    ? []
    : [`${grouped(window.shown.size)} of ${grouped(numbers.length)} ${groups.size > 0 ? "of these" : "nodes"} shown around the selection.`];
}
