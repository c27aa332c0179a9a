/** Where two steps begin to differ: the tensors whose statistics do, in the order of the graph. */

import { useMemo, useState } from "preact/hooks";
import type { Second } from "../../../state/comparison/second_view";
import type { OpenStep } from "../../../state/selection/open_step";
import { Button } from "../../../ui/controls/button";
import { Select } from "../../../ui/controls/select";
import { brief, counted, nodeLabel, roleLabel } from "../../../ui/text/format";
import type { PaneProps } from "../pane";
import { differenceOf } from "./difference";
import { chunksOf, type DifferingTensor, type Findings, findDiffering, type Match, match } from "./tensor_differences";

const TOLERANCES = [0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];
const FIRST_TOLERANCE = 1e-5;

/** So many are listed; all are counted. */
const LISTED = 50;

export function DifferingTensors({ store, shown, open, second, other }: PaneProps & { second: Second; other: OpenStep }) {
  const [isOpen, setOpen] = useState(false);
  const [tolerance, setTolerance] = useState(FIRST_TOLERANCE);
  const matched = useMemo(
    () => match(open, other, shown.selection.recording, second.selection.recording),
    [open, other, shown.selection.recording, second.selection.recording],
  );
  const version = store.version.value;
  const findings = useMemo(
    () => (isOpen ? findDiffering(matched, open, other, tolerance) : undefined),
    [isOpen, matched, tolerance, version],
  );
  if (isOpen) {
    store.bundle.chunks.request([...new Set(chunksOf(matched, open, other))]);
  }
  const select = ({ iteration, node, role }: DifferingTensor): void => {
    store.change("iteration", iteration);
    store.change("node", node);
    store.change("role", role);
  };
  return (
    <details class="differing" data-testid="differing" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All tensors of A and B</summary>
      <label class="tolerance">
        Ignore differences up to{" "}
        <Select
          testid="tolerance"
          value={String(tolerance)}
          choices={TOLERANCES.map((value) => [String(value), value === 0 ? "nothing" : `${value} of the value`])}
          onChange={(value) => setTolerance(Number(value))}
        />
      </label>
      <p data-testid="differing-count">{sentence(matched, findings)}</p>
      <ol>
        {findings?.differing.slice(0, LISTED).map((tensor) => (
          <li key={`${tensor.iteration}/${tensor.node}/${tensor.role}`}>
            <Button class="chip" onClick={() => select(tensor)}>
              <bdi>{nodeLabel(tensor.node)}</bdi>
              {tensor.role !== tensor.node && (
                <span class="soft">
                  {" "}
                  / <bdi>{roleLabel(tensor.role)}</bdi>
                </span>
              )}
              {open.graphs.length > 1 && <span class="soft"> in iteration {tensor.iteration}</span>}
            </Button>{" "}
            <span class="soft">
              {tensor.item} {brief(Number(tensor.a))}, {changeOf(tensor)}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** By how much A differs, as its digits may not show it. */
function changeOf({ a, b }: DifferingTensor): string {
  const difference = differenceOf(a, b);
  return Number.isFinite(difference)
    ? `A \u2212 B = ${difference > 0 ? "+" : "\u2212"}${brief(Math.abs(difference))}`
    : `in B ${brief(Number(b))}`;
}

function sentence(matched: Match, findings: Findings | undefined): string {
  if (findings === undefined) {
    return "Comparing\u2026";
  }
  const { compared, differing } = findings;
  const parts = [
    differing.length === 0
      ? `The statistics of all ${counted(compared, "tensor")} agree`
      : `${differing.length} of ${counted(compared, "tensor")} differ`,
  ];
  if (matched.onlyInA > 0) {
    parts.push(`${counted(matched.onlyInA, "tensor")} only in A`);
  }
  if (matched.onlyInB > 0) {
    parts.push(`${counted(matched.onlyInB, "tensor")} only in B`);
  }
  const order =
    differing.length > LISTED
      ? ` The first ${LISTED} in the order of the graph:`
      : differing.length > 1
        ? " In the order of the graph:"
        : "";
  return `${parts.join("; ")}.${order}`;
}
