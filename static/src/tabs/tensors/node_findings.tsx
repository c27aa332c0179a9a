/** What is wrong with the node that is selected, a line each. */

import type { Graph } from "../../data/format/types";
import { findingsByNode, findingsOf } from "../../state/findings/found";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { CodeText } from "../../ui/text/code_text";

/** Lines that are shown. */
const LINES = 3;

export function NodeFindings({ store, graph, node }: { store: Store; graph: Graph | null | undefined; node: string }) {
  const document = findingsOf(store);
  const own = graph == null ? [] : (findingsByNode(document, graph).get(graph.nodes.name.indexOf(node)) ?? []);
  return own.length === 0 ? null : (
    <ul class="remarks" data-testid="node-findings">
      {own.slice(0, LINES).map((finding, k) => (
        <li key={k}>
          <span dir="auto">
            <CodeText text={finding.message} />
          </span>{" "}
          <Button class="link" onClick={() => (store.tab.value = "overview")}>
            Finding: {finding.title}
          </Button>
        </li>
      ))}
      {own.length > LINES && <li class="soft">and {own.length - LINES} more on the Overview tab</li>}
    </ul>
  );
}
