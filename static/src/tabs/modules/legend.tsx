/** What the boxes and lines of the modules mean. */

import { BadgeLegend } from "../../kits/graph/badge_legend";
import { type Badge, countBadges } from "../../state/badges/badges";
import type { DrawnLevel } from "./drawing/level_drawing";

const BOXES: readonly { kind: string; name: string }[] = [
  { kind: "input", name: "input" },
  { kind: "output", name: "output" },
  { kind: "leaf", name: "module" },
  { kind: "openable", name: "module with submodules" },
  { kind: "row", name: "several, folded" },
];

/** What is explained only where it is drawn. */
const TENSORS = [
  { kind: "tensor", name: "registered tensor" },
  { kind: "outside", name: "tensor from elsewhere" },
  { kind: "inside", name: "not returned by its module" },
] as const;

interface Props {
  drawn: DrawnLevel | null;
  selected: number;
  select: (item: number) => void;
}

export function ModuleLegend({ drawn, selected, select }: Props) {
  const badges = drawn?.items.map((item) => item.badges) ?? [];
  const goToNext = (badge: Badge): void => {
    const having = [...badges.keys()].filter((item) => badges[item]!.includes(badge));
    select(having.find((item) => item > selected) ?? having[0] ?? selected);
  };
  return (
    <ul class="legend module-legend" aria-label="Legend">
      {BOXES.map(({ kind, name }) => (
        <li key={kind}>
          <span class={`module-box module-box-${kind}`} aria-hidden="true" />
          {name}
        </li>
      ))}
      {TENSORS.filter(({ kind }) => drawn?.items.some(({ node }) => node.kind === kind)).map(({ kind, name }) => (
        <li key={kind} data-testid={`legend-${kind}`}>
          <span class={`module-box module-box-${kind}`} aria-hidden="true" />
          {name}
        </li>
      ))}
      {drawn?.links.some(({ direct }) => direct) === true && (
        <li data-testid="legend-direct">
          <span class="legend-direct" aria-hidden="true" />
          read without being an input
        </li>
      )}
      <BadgeLegend counts={countBadges(badges)} what="node" onNext={goToNext} />
      <li>
        <span class="legend-dashes" aria-hidden="true" />
        no gradient flows
      </li>
    </ul>
  );
}
