/** Places the nodes of a dependency graph in columns. */

import type { Graph } from "../../../../data/format/types";
import { shortHeading } from "../../../../kits/graph/labels";
import {
  type Measures,
  type PlacedColumn,
  type PlacedHeading,
  type PlacedNode,
  type Placement,
  WIDE,
} from "../../../../kits/graph/placement";
import { elided } from "../../../../ui/text/format";
import type { Window } from "../layout/columns";
import { hasEnds, type Layout } from "../layout/layout";

const LONGEST_LABEL = 28;

/** Places the nodes and groups of a window in centred columns as wide as their labels. `measure` gives the width of a text. */
export function placeGraph(
  graph: Graph,
  layout: Layout,
  window: Window,
  measure: (text: string) => number,
  measures: Measures = WIDE,
): Placement {
  const { name, type } = graph.nodes;
  const { nodeHeight, badgeWidth, rowHeight, columnGap, padding, headingDistance } = measures;
  const nodes: PlacedNode[] = [];
  const headings: PlacedHeading[] = [];
  const columns: PlacedColumn[] = [];
  let left = 0;
  for (const [place, members] of window.columns.entries()) {
    const labels = members.map((item) => elided(layout.labelOf(item), LONGEST_LABEL));
    const widths = labels.map((text) => Math.ceil(measure(text)));
    const width = widths.reduce((most, own) => Math.max(most, own + badgeWidth + 2 * padding), measures.width);
    const x = left + width / 2;
    const top = -((members.length - 1) * rowHeight) / 2;
    members.forEach((item, k) => {
      const group = layout.items.groups.get(item) ?? null;
      const ownType = group?.type ?? type[item]!;
      const has = hasEnds(graph, layout, item);
      nodes.push({
        node: item,
        id: `n${item}`,
        name: group?.prefix ?? name[item]!,
        label: labels[k]!,
        labelWidth: widths[k]!,
        type: ownType,
        group,
        x,
        y: top + k * rowHeight,
        width,
        height: nodeHeight,
        badgeWidth,
        dottedLeft: ownType !== "parameter" && !has.dependencies,
        dottedRight: ownType !== "parameter" && !has.dependents,
      });
    });
    columns.push({ left, right: left + width, middles: members.map((_, k) => top + k * rowHeight) });
    const full = layout.headings[window.numbers[place]!] ?? "";
    // Once above columns beside each other that have the same.
    if (full !== "" && full !== layout.headings[window.numbers[place - 1] ?? -1]) {
      const text = fitted(full, width + columnGap - Math.min(16, columnGap / 3), measure);
      headings.push({ x, y: top - nodeHeight / 2 - headingDistance, text, full, width: measure(text), room: width + columnGap });
    }
    left += width + columnGap;
  }
  return { measures, nodes, headings, columns };
}

function fitted(text: string, width: number, measure: (text: string) => number): string {
  const size = measure(text);
  return size <= width ? text : shortHeading(text, Math.floor((text.length * width) / size));
}
