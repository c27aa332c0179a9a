/** What is wrong with the node that is selected, a line each: findings, and bad values in what is not shown. */

import type { Graph } from "../../data/format/types";
import { BADGE_WORDS } from "../../state/badges/badges";
import { tensorBadges } from "../../state/badges/step_badges";
import { findingsByNode, findingsOf } from "../../state/findings/found";
import type { OpenStep } from "../../state/selection/open_step";
import { FORWARD } from "../../state/selection/selection";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { counted } from "../../ui/text/format";
import { LinkedText } from "../../ui/text/linked_text";

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
            <LinkedText store={store} text={finding.message} step={null} finding={finding} />
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

/** NaN, infinities and nothing but zeros in what was recorded of the tensor and is not shown now. */
export function OtherRecordings({ store, open, tensor, shown }: { store: Store; open: OpenStep; tensor: number; shown: string }) {
  const others = (tensorBadges(store, open).get(tensor) ?? []).filter(({ recording }) => recording !== shown);
  return others.length === 0 ? null : (
    <ul class="remarks" data-testid="other-recordings">
      {others.map(({ kind, recording, count }) => (
        <li key={`${kind}/${recording}`}>
          {kind === "zero" ? "All zero" : `${counted(count, "value")} ${BADGE_WORDS[kind]}`} in{" "}
          <Button class="link" onClick={() => store.change("recording", recording)}>
            <bdi>{recording === FORWARD ? "the values" : recording}</bdi>
          </Button>
          .
        </li>
      ))}
    </ul>
  );
}
