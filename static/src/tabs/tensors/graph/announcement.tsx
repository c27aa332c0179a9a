/** Tells a screen reader what has been selected. */

import { nodeLabel } from "../../../ui/text/format";
import type { ItemBadges } from "./item_badges";
import type { Layout } from "./layout/layout";
import type { Neighbour, Neighbours } from "./layout/relations";

interface Props {
  layout: Layout;
  selected: number;
  neighbours: Neighbours;
  badges: ItemBadges;
}

export function Announcement({ layout: { graph, items }, selected, neighbours, badges }: Props) {
  const name = graph.nodes.name[selected];
  const group = items.groups.get(items.ofNode[selected] ?? -1);
  const place = group === undefined ? "" : `, in the collapsed group ${group.prefix}`;
  const { dependencies, dependents } = neighbours;
  const wrong = (badges.ofNode.get(selected) ?? []).map(({ text }) => `; ${text}`).join("");
  return (
    <p class="visually-hidden" role="status" aria-live="polite">
      {name !== undefined &&
        `${nodeLabel(name)}, ${graph.nodes.type[selected]}${place}; depends on ${inWords(dependencies)}, needed by ${inWords(dependents)}${wrong}`}
    </p>
  );
}

/** How many there are, and to or from how many of them no gradient flows. */
function inWords(neighbours: readonly Neighbour[]): string {
  const without = neighbours.filter((neighbour) => !neighbour.carriesGradient).length;
  return without === 0 ? `${neighbours.length}` : `${neighbours.length} (${without} without gradient)`;
}
