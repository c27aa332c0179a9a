/** Chooses what is traced from the selected node, and says how many nodes that are. */

import type { Store } from "../../../state/store";
import { type Choice, Select } from "../../../ui/controls/select";
import { memo } from "../../../ui/memo";
import { counted, elided, nodeLabel } from "../../../ui/text/format";
import type { Trace } from "./layout/trace";

interface Props {
  store: Store;
  node: string;
  trace: Trace | null;
}

const KINDS: readonly Choice[] = [
  ["", "nothing"],
  ["ancestors", "its ancestors"],
  ["descendants", "its descendants"],
  ["both", "both"],
  ["paths", "paths from here"],
];

const LONGEST_NAME = 40;

export const TraceBar = memo(({ store, node, trace }: Props) => {
  const choose = (kind: string): void => {
    store.setView("trace", kind || null);
    store.setView("to", kind === "paths" ? node : null);
  };
  const kind = trace?.kind ?? "";
  return (
    <div class="graph-option" role="group" aria-label="Trace through the graph">
      <label for="graph-trace">Trace</label>
      <Select id="graph-trace" testid="graph-trace" value={kind} choices={KINDS} onChange={choose} />
    </div>
  );
});

/** How many nodes those are, in the graph, where it moves nothing. `to`: the other end of paths, whether or not it is in this graph. */
export function TraceCount({ trace, node, to }: { trace: Trace | null; node: string; to: string }) {
  return trace === null ? null : (
    <span class="soft" role="status" data-testid="trace-count">
      {traceInWords(trace, node, to)}
    </span>
  );
}

export function traceInWords(trace: Trace, node: string, to: string): string {
  const [here, other] = [node, to].map((name) => `\u201c${elided(nodeLabel(name), LONGEST_NAME)}\u201d`);
  switch (trace.kind) {
    case "ancestors":
      return counted(trace.ancestors, "ancestor");
    case "descendants":
      return counted(trace.descendants, "descendant");
    case "both":
      return `${counted(trace.ancestors, "ancestor")}, ${counted(trace.descendants, "descendant")}`;
    case "paths":
      if (trace.to < 0) {
        return `${other} is not in this graph`;
      }
      if (node === to) {
        return `Select another node to see the paths between it and ${other}`;
      }
      return trace.connected ? `${counted(trace.between, "node")} between ${here} and ${other}` : `No path between ${here} and ${other}`;
  }
}
