/** Where two steps begin to differ: the tensors whose statistics do, in the order of computation. */

import { useLayoutEffect, useMemo } from "preact/hooks";
import { BATCH_AGGREGATIONS } from "../../../data/records/record_offsets";
import type { Place } from "../../../state/comparison/kinds/difference";
import { followDifference, linkInA } from "../../../state/comparison/links";
import type { Second } from "../../../state/comparison/second_view";
import type { OpenStep } from "../../../state/selection/open_step";
import { type ListOptions, readListOptions, TOLERANCES, writeListOptions } from "../../../state/tab_options/comparison_lists";
import { Select } from "../../../ui/controls/select";
import { Cell, HeaderRow, VirtualRows } from "../../../ui/controls/virtual_rows";
import { useSliced } from "../../../ui/scheduling/time_slices";
import { counted, nodeLabel, numberText, roleLabel } from "../../../ui/text/format";
import { numbersInWords } from "../numbers_in_words";
import type { PaneProps } from "../pane";
import { differenceOf } from "./difference";
import { OtherSteps } from "./other_steps";
import {
  byRelativeDifference,
  type Criterion,
  chunksOf,
  type DifferingTensor,
  type Findings,
  findDiffering,
  type Match,
  match,
  SINGLE_VALUE,
} from "./tensor_differences";

const ROW_HEIGHT = 26;

/** Rows that are in sight at once. */
const MOST_ROWS = 8;

const COLUMNS = ["Tensor", "Statistic", "A", "B", "A \u2212 B"];

type Props = PaneProps & { second: Second; other: OpenStep };

export function DifferingTensors(props: Props) {
  const { store, open } = props;
  const text = store.view.value.get("lists");
  const choice = useMemo(() => readListOptions(text), [text]);
  const { recording } = props.shown.selection;
  const { matched, findings, criterion } = useFindings(props, choice);
  const { isByOrder } = choice;
  // Steps of a single trial are expected to differ.
  const isSameStep = props.other.trial !== open.trial && stepOf(props.other) === stepOf(open);
  const listed = useMemo(
    () => (isByOrder ? findings?.differing : findings && byRelativeDifference(findings.differing)) ?? [],
    [findings, isByOrder],
  );
  const asksOtherSteps = isSameStep && findings !== null && findings.compared > 0 && findings.differing.length === 0;
  useLayoutEffect(() => {
    const [first] = findings?.differing ?? [];
    if (findings !== null && !asksOtherSteps) {
      followDifference(store, first === undefined ? null : linkInA(store, placeOf(first)));
    }
  }, [findings]);
  return (
    <section aria-label="Tensors that differ" data-testid="differing">
      <div class="compare-summary">
        <strong data-testid="differing-count">{sentence(matched, findings)}</strong>
        {asksOtherSteps && <OtherSteps {...props} recording={recording} matched={matched} criterion={criterion} />}
        <Choices items={matched.items} choice={choice} onChange={(changed) => store.setView("lists", writeListOptions(changed))} />
        <span class="soft">{numbersInWords(store, recording, BATCH_AGGREGATIONS[criterion.aggregation]!, open)}</span>
      </div>
      {listed.length > 0 && (
        <VirtualRows
          count={listed.length}
          rowHeight={ROW_HEIGHT}
          mostRows={MOST_ROWS}
          label="Tensors that differ"
          testId="differing-table"
          resetKey={text ?? ""}
          goTo={null}
          header={<HeaderRow class="compare-row tensor-row" columns={COLUMNS} numbers={COLUMNS.slice(2)} />}
          renderRow={(row, top) => (
            <Row
              key={row}
              row={row}
              top={top}
              tensor={listed[row]!}
              link={linkInA(store, placeOf(listed[row]!))}
              withIteration={open.graphs.length > 1}
            />
          )}
          onRange={() => undefined}
        />
      )}
    </section>
  );
}

function stepOf({ trial, step }: OpenStep): number {
  return trial.steps.step[step]!;
}

function placeOf({ iteration, node, role }: DifferingTensor): Place {
  return { iteration: iteration < 0 ? null : iteration, node, role };
}

/** What differs, as soon as the statistics of all tensors are there. */
function useFindings(
  { store, shown, open, second, other }: Props,
  { statistic: asked, tolerance }: ListOptions,
): { matched: Match; findings: Findings | null; criterion: Criterion } {
  const { chunks } = store.bundle;
  const { recording, aggregation: shownAggregation } = shown.selection;
  const recordingOfB = second.selection.recording;
  const matched = useMemo(() => match(open, other, recording, recordingOfB), [open, other, recording, recordingOfB]);
  const statistic = knownOf(matched.items, asked);
  const aggregation = Math.max(0, (BATCH_AGGREGATIONS as readonly string[]).indexOf(shownAggregation));
  const needed = useMemo(() => [...new Set(chunksOf(matched, open, other, aggregation))], [matched, aggregation]);
  chunks.request(needed);
  // Read so that this is rendered again when something has arrived.
  void store.version.value;
  const isLoaded = needed.every((id) => chunks.peek(id) !== undefined);
  const findings = useSliced(isLoaded ? () => findDiffering(matched, open, other, { statistic, aggregation, tolerance }) : null, [
    isLoaded,
    matched,
    statistic,
    aggregation,
    tolerance,
  ]);
  return { matched, findings, criterion: { statistic, aggregation, tolerance } };
}

/** Null, which is any, where the tensors lack what is asked for. */
function knownOf(items: readonly string[], statistic: string | null): string | null {
  return items.find((item) => item === statistic) ?? null;
}

interface ChoicesProps {
  items: readonly string[];
  choice: ListOptions;
  onChange: (choice: ListOptions) => void;
}

function Choices({ items, choice, onChange }: ChoicesProps) {
  const { statistic, tolerance, isByOrder } = choice;
  const statistics = items.filter((item) => item !== SINGLE_VALUE);
  return (
    <>
      <Select
        testid="differing-statistic"
        label="Statistic by which tensors are compared"
        value={knownOf(items, statistic) ?? ""}
        choices={[["", "any statistic"], ...statistics.map((item) => [item, item] as const)]}
        onChange={(item) => onChange({ ...choice, statistic: item || null })}
      />
      <Select
        testid="tolerance"
        label="Differences that count"
        value={String(tolerance)}
        choices={TOLERANCES.map((value) => [String(value), value === 0 ? "every difference" : `beyond ${value} of the value`])}
        onChange={(value) => onChange({ ...choice, tolerance: Number(value) })}
      />
      <Select
        testid="differing-order"
        label="Order of the tensors"
        value={isByOrder ? "" : "largest"}
        choices={[
          ["", "in order of computation"],
          ["largest", "largest relative difference first"],
        ]}
        onChange={(order) => onChange({ ...choice, isByOrder: order === "" })}
      />
    </>
  );
}

interface RowProps {
  row: number;
  top: number;
  tensor: DifferingTensor;
  link: string;
  withIteration: boolean;
}

function Row({ row, top, tensor, link, withIteration }: RowProps) {
  const { node, role, iteration, item, a, b } = tensor;
  const of = withIteration && iteration >= 0 ? `, iteration ${iteration}` : "";
  return (
    <div class="compare-row tensor-row" role="row" aria-rowindex={row + 2} data-testid="differing-tensor" style={{ top: `${top}px` }}>
      <Cell title={`${node} / ${role}${of}`}>
        <a href={link}>
          <bdi>{nodeLabel(node)}</bdi>
          {role !== node && (
            <>
              {" / "}
              <bdi>{roleLabel(role)}</bdi>
            </>
          )}
        </a>
        <span class="soft">{of}</span>
      </Cell>
      <Cell class="soft">{item === SINGLE_VALUE ? "value" : item}</Cell>
      <Cell class="number">{numberText(a, "")}</Cell>
      <Cell class="number">{numberText(b, "")}</Cell>
      <Cell class="number">{numberText(differenceOf(a, b), "")}</Cell>
    </div>
  );
}

function sentence(matched: Match, findings: Findings | null): string {
  if (findings === null) {
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
  return `${parts.join("; ")}.`;
}
