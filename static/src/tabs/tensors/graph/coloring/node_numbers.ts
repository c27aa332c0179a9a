/** A statistic of every node of a graph: read from the numbers of the step, one per tensor, then one per node. */

import type { Graph } from "../../../../data/format/types";
import type { TensorRecord } from "../../../../data/records/record_offsets";
import { roleWithoutIteration } from "../../../../state/comparison/graph_match";
import type { Offer } from "../../../../state/selection/offers";
import type { OpenStep } from "../../../../state/selection/open_step";
import { differenceOf } from "../../compare/difference";
import { PARAMETER_STATISTICS, type ParameterStatistic, type StepParameters } from "./step_parameters";

/** Statistics of recorded tensors. */
const RECORDED_STATISTICS = ["abs_mean", "abs_max", "mean", "std", "svd"] as const;

/** Statistics by which nodes can be coloured, in the order in which they are offered. */
export const STATISTICS = [...RECORDED_STATISTICS, ...PARAMETER_STATISTICS] as const;
export type Statistic = (typeof STATISTICS)[number];

const LABELS: Readonly<Partial<Record<Statistic, string>>> = { update_norm: "update norm", update_ratio: "update / norm" };

/** How a statistic is called. */
export function statisticLabel(statistic: Statistic): string {
  return LABELS[statistic] ?? statistic;
}

/** Whether it is about parameters themselves, whatever is recorded of them. */
export function isOfParameters(statistic: Statistic): statistic is ParameterStatistic {
  return (PARAMETER_STATISTICS as readonly Statistic[]).includes(statistic);
}

/** The statistics that the tensors of an iteration have in a recording type, and those of its parameters. */
export function statisticsOf(open: OpenStep, iteration: number, recording: string, parameters: StepParameters | null): Statistic[] {
  const records = recordsOf(open, iteration, recording);
  const items = new Set(records.flatMap(({ record }) => record.items));
  const hasParameters =
    parameters !== null && open.offers.of(iteration).some(({ tensor }) => parameters.has(open.content.layout.tensors.name[tensor]!));
  return [
    ...RECORDED_STATISTICS.filter(
      (statistic) => items.has(statistic) || (items.has("single_value") && statistic !== "std" && statistic !== "svd"),
    ),
    ...(hasParameters ? PARAMETER_STATISTICS : []),
  ];
}

/** Reads what a step says about the parameters of an iteration. */
export function readParameters(
  open: OpenStep,
  iteration: number,
  parameters: StepParameters,
  statistic: ParameterStatistic,
): TensorNumbers {
  const numbered = open.offers.of(iteration).flatMap(({ node, role, tensor }) => {
    const name = open.content.layout.tensors.name[tensor]!;
    return parameters.has(name) ? [{ node, role, name, value: parameters.read(name, statistic) }] : [];
  });
  return {
    numbers: numbered.flatMap(({ node, role, value }) => (value === undefined || value === null ? [] : [{ node, role, value }])),
    chunks: [...new Set(numbered.flatMap(({ name }) => parameters.chunks(name)))],
    isComplete: numbered.every(({ value }) => value !== undefined),
  };
}

type RecordedStatistic = (typeof RECORDED_STATISTICS)[number];

interface Recorded {
  offer: Offer;
  record: TensorRecord;
}

function recordsOf(open: OpenStep, iteration: number, recording: string): Recorded[] {
  const group = open.content.table.byGroup.get(recording);
  return open.offers.of(iteration).flatMap((offer) => {
    const record = group?.get(offer.tensor);
    return record === undefined ? [] : [{ offer, record }];
  });
}

/** A number of a tensor, by its node and its role. */
export interface TensorNumber {
  node: string;
  role: string;
  value: number;
}

export interface TensorNumbers {
  numbers: readonly TensorNumber[];
  /** All chunks that these numbers are in. */
  chunks: readonly number[];
  /** Whether some of them are not loaded. */
  isComplete: boolean;
}

/**
 * Reads a statistic of every tensor of an iteration, under the chosen aggregation where a tensor has it and else under its first one.
 * A single value is its own mean, and its magnitude its own largest. A gradient that was absent is no number, although it is stored as 0.
 */
export function readStatistic(
  open: OpenStep,
  iteration: number,
  recording: string,
  aggregation: string,
  statistic: RecordedStatistic,
): TensorNumbers {
  const numbers: TensorNumber[] = [];
  const chunks = new Set<number>();
  let isComplete = true;
  for (const { offer, record } of recordsOf(open, iteration, recording)) {
    const single = record.items.indexOf("single_value");
    const item = single >= 0 && statistic !== "std" && statistic !== "svd" ? single : record.items.indexOf(statistic);
    if (item < 0) {
      continue;
    }
    const number = Math.max(0, offer.aggregations.indexOf(aggregation));
    const all = open.content.numbers.statistics(record, number);
    open.content.numbers.overviewChunks(record, number).forEach((chunk) => chunks.add(chunk));
    const value = all.at(item);
    const facts = open.content.numbers.facts(record);
    if (value === undefined || facts === undefined) {
      isComplete = false;
    } else if (!facts.gradientAbsent) {
      numbers.push({
        node: offer.node,
        role: offer.role,
        value: single >= 0 && statistic !== "mean" ? Math.abs(Number(value)) : Number(value),
      });
    }
  }
  return { numbers, chunks: [...chunks], isComplete };
}

/** How much A differs from B, per tensor with a number in both: the difference over the larger magnitude, from -2 to 2. */
export function relativeDifferences(a: TensorNumbers, b: TensorNumbers): TensorNumbers {
  const key = ({ node, role }: TensorNumber): string => JSON.stringify([node, roleWithoutIteration(role)]);
  const others = new Map(b.numbers.map((number) => [key(number), number.value]));
  const numbers = a.numbers.flatMap((number) => {
    const other = others.get(key(number));
    return other === undefined ? [] : [{ ...number, value: relativeDifference(number.value, other) }];
  });
  return { numbers, chunks: [...new Set([...a.chunks, ...b.chunks])], isComplete: a.isComplete && b.isComplete };
}

/** 0 where both are the same, NaN among them. */
function relativeDifference(a: number, b: number): number {
  const difference = differenceOf(a, b);
  const largest = Math.max(Math.abs(a), Math.abs(b));
  if (difference === 0 || !Number.isFinite(largest)) {
    return difference;
  }
  // The difference of two finite numbers may be infinite.
  return Number.isFinite(difference) ? difference / largest : a / largest - b / largest;
}

/** The number that stands for a node, the role that it belongs to, and among how many roles it was chosen. */
export interface NodeNumber {
  value: number;
  role: string;
  among: number;
}

/** The number of the largest magnitude of every node; NaN before all. */
export function numberPerNode(graph: Graph, numbers: readonly TensorNumber[]): (NodeNumber | undefined)[] {
  const best = new Map<string, NodeNumber>();
  for (const { node, role, value } of numbers) {
    const known = best.get(node);
    const among = (known?.among ?? 0) + 1;
    best.set(node, known !== undefined && weight(value) <= weight(known.value) ? { ...known, among } : { value, role, among });
  }
  return graph.nodes.name.map((name) => best.get(name));
}

/** The numbers with that of the selected role for the selected node, where it has one; the same array where that is so already. */
export function withSelected(
  strongest: readonly (NodeNumber | undefined)[],
  numbers: readonly TensorNumber[],
  selected: number,
  { node, role }: { node: string; role: string },
): readonly (NodeNumber | undefined)[] {
  const known = strongest[selected];
  const own =
    known === undefined || known.role === role ? undefined : numbers.find((number) => number.node === node && number.role === role);
  if (known === undefined || own === undefined) {
    return strongest;
  }
  const changed = strongest.slice();
  changed[selected] = { ...known, value: own.value, role };
  return changed;
}

/** The member of a group with the number of the largest magnitude; NaN before all. Undefined where no member has a number. */
export function strongestMember(members: readonly number[], numbers: readonly (NodeNumber | undefined)[]): number | undefined {
  let strongest: number | undefined;
  for (const node of members) {
    const number = numbers[node];
    if (number !== undefined && (strongest === undefined || weight(number.value) > weight(numbers[strongest]!.value))) {
      strongest = node;
    }
  }
  return strongest;
}

function weight(value: number): number {
  return Number.isNaN(value) ? Infinity : value === Infinity || value === -Infinity ? Number.MAX_VALUE : Math.abs(value);
}
