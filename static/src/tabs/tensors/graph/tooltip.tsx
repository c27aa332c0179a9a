/** The node or group under the pointer, in words. */

import { type Graph, TENSOR_TYPES } from "../../../data/format/types";
import type { Group } from "../../../kits/graph/placement";
import { Tooltip } from "../../../kits/graph/tooltip";
import { BADGE_WORDS, countBadges } from "../../../state/badges/badges";
import type { NodeMark } from "../../../state/comparison/graph_match";
import { brief, counted, percent, roleLabel } from "../../../ui/text/format";
import type { Hover } from "./canvas/canvas";
import { statisticLabel, strongestMember } from "./coloring/node_numbers";
import type { Colored } from "./coloring/use_coloring";
import type { ItemBadges } from "./item_badges";
import type { Layout } from "./layout/layout";

interface Props {
  graph: Graph;
  layout: Layout;
  hover: Hover;
  colored: Colored | null;
  /** What is special about it beside the graph of B. */
  mark: NodeMark | undefined;
  badges: ItemBadges;
}

export function NodeTooltip({ graph, layout, hover: { node, x, y }, colored, mark, badges }: Props) {
  const group = layout.items.groups.get(node);
  const name = group?.prefix ?? graph.nodes.name[node];
  return name === undefined ? null : (
    <Tooltip testid="graph-tooltip" x={x} y={y}>
      <strong>{name}</strong>
      {group === undefined ? (
        <OfNode graph={graph} node={node} colored={colored} />
      ) : (
        <OfGroup graph={graph} group={group} colored={colored} />
      )}
      {(group === undefined ? (badges.ofNode.get(node) ?? []).map(({ text }) => text) : groupBadges(group, badges)).map((text) => (
        <span key={text}>{text}</span>
      ))}
      {mark !== undefined && <span>{mark === "A" ? "only in A" : "other tensors in B, or of another kind"}</span>}
    </Tooltip>
  );
}

/** What is wrong in a group: `NaN: 3 nodes`. */
function groupBadges({ members }: Group, { ofNode }: ItemBadges): string[] {
  const all = members.map((node) => (ofNode.get(node) ?? []).map(({ badge }) => badge));
  return [...countBadges(all)].map(([badge, count]) => `${BADGE_WORDS[badge]}: ${counted(count, "node")}`);
}

function OfNode({ graph, node, colored }: { graph: Graph; node: number; colored: Colored | null }) {
  const roles = graph.tensors.node.filter((own) => own === node).length;
  return (
    <>
      <span>{graph.nodes.type[node]}</span>
      {roles > 1 && <span>{counted(roles, "role")}</span>}
      {colored !== null && <span>{numberInWords(colored, node)}</span>}
    </>
  );
}

function OfGroup({ graph, group: { members }, colored }: { graph: Graph; group: Group; colored: Colored | null }) {
  const counts = TENSOR_TYPES.map((type) => ({ type, count: members.filter((node) => graph.nodes.type[node] === type).length }));
  const strongest = colored === null ? undefined : strongestMember(members, colored.numbers);
  return (
    <>
      <span>
        {counted(members.length, "node")}:{" "}
        {counts
          .filter(({ count }) => count > 0)
          .map(({ type, count }) => `${count} ${type}`)
          .join(", ")}
      </span>
      {colored !== null && (
        <span>
          {strongest === undefined
            ? missing(colored)
            : `largest magnitude: ${numberInWords(colored, strongest)} in ${graph.nodes.name[strongest]}`}
        </span>
      )}
      <span>double click to expand</span>
    </>
  );
}

/** The number of a node, and, where its tensors have several, which one it is. */
function numberInWords(colored: Colored, node: number): string {
  const {
    choice: { isDifference },
    numbers,
  } = colored;
  const statistic = statisticLabel(colored.choice.statistic);
  const number = numbers[node];
  if (number === undefined) {
    return missing(colored);
  }
  const text = isDifference ? `${statistic}, A \u2212 B: ${percent(number.value)}` : `${statistic} ${brief(number.value)}`;
  return number.among > 1 ? `${text} (role ${roleLabel(number.role)}, one of ${number.among})` : text;
}

function missing({ choice: { statistic, isDifference } }: Colored): string {
  return isDifference ? `no ${statisticLabel(statistic)} in both` : `no ${statisticLabel(statistic)}`;
}
