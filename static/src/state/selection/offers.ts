/** What can be selected on a step: every tensor that its graphs show, with its recordings and aggregations. */

import type { StepContent } from "../../data/bundle";
import { groupedBy } from "../../data/collections";
import type { Graph, SampleSet } from "../../data/format/types";
import { BATCH_AGGREGATIONS, NO_BATCH_AGGREGATION, type TensorRecord } from "../../data/records/record_offsets";
import { type Selection, sampleAggregation } from "./selection";

/** A tensor as it is shown on one iteration. */
export interface Offer {
  iteration: number;
  node: string;
  role: string;
  name: string;
  /** Position in the layout, or -1 where nothing was recorded for it. */
  tensor: number;
  recordings: readonly string[];
  aggregations: readonly string[];
}

export interface StepOffers {
  recordings: readonly string[];
  iterations: number;
  /** The tensors of an iteration, or of one of its nodes; what comes first is preferred. */
  of(iteration: number, node?: string): readonly Offer[];
}

/** What a selection must agree with; attributes that are not named may be anything. */
export type Wanted = Partial<Pick<Selection, "recording" | "iteration" | "node" | "role" | "aggregation">>;

/** Lists what a step offers; each iteration is only worked out when it is asked for. */
export function stepOffers(content: StepContent, graphs: readonly Graph[], samples: SampleSet): StepOffers {
  const { layout, table } = content;
  const recordings = layout.groups.map((group) => group.name);
  const tensorAt = new Map(layout.tensors.name.map((name, k) => [recordKey(name, layout.tensors.iteration[k]!), k]));
  const byIteration = new Map<number, { all: readonly Offer[]; ofNode: ReadonlyMap<string, readonly Offer[]> }>();
  const listOffers = (iteration: number, graph: Graph): Offer[] =>
    orderOfPreference(graph).map((row) => {
      const tensor = tensorAt.get(recordKey(graph.tensors.record_name[row]!, graph.tensors.record_iteration[row]!)) ?? -1;
      const records = recordings.map((recording) => table.byGroup.get(recording)?.get(tensor));
      return {
        iteration,
        node: graph.nodes.name[graph.tensors.node[row]!]!,
        role: graph.tensors.role[row]!,
        name: graph.tensors.name[row]!,
        tensor,
        recordings: recordings.filter((_, k) => records[k] !== undefined),
        aggregations: aggregationsOf(
          records.find((record) => record !== undefined),
          samples,
        ),
      };
    });
  return {
    recordings,
    iterations: graphs.length,
    of(iteration, node) {
      const graph = graphs[iteration];
      let known = byIteration.get(iteration);
      if (known === undefined && graph !== undefined) {
        const all = listOffers(iteration, graph);
        known = { all, ofNode: groupedBy(all, (offer) => offer.node) };
        byIteration.set(iteration, known);
      }
      return (node === undefined ? known?.all : known?.ofNode.get(node)) ?? [];
    },
  };
}

function recordKey(name: string, iteration: number): string {
  return `${iteration}/${name}`;
}

/** Rows of the graph's tensors: those of inputs first, then by the place of their nodes. */
function orderOfPreference(graph: Graph): number[] {
  const { tensors, nodes } = graph;
  const rank = (row: number): number => {
    const node = tensors.node[row]!;
    return nodes.type[node] === "input" && !nodes.name[node]!.endsWith("*old") ? node : node + nodes.name.length;
  };
  return tensors.node.map((_, row) => row).sort((a, b) => rank(a) - rank(b));
}

/** Names of a record's aggregations in the order of its statistics. */
export function aggregationsOf(record: TensorRecord | undefined, samples: SampleSet): readonly string[] {
  if (record === undefined) {
    return [];
  }
  if (!record.hasBatch) {
    return [NO_BATCH_AGGREGATION];
  }
  const recorded = Array.from({ length: record.samples }, (_, k) => sampleAggregation(samples.index[k] ?? k));
  return [...BATCH_AGGREGATIONS, ...recorded];
}

export function agrees(offer: Offer, wanted: Wanted): boolean {
  return (
    (wanted.node === undefined || offer.node === wanted.node) &&
    (wanted.role === undefined || offer.role === wanted.role) &&
    (wanted.recording === undefined ? offer.recordings.length > 0 : offer.recordings.includes(wanted.recording)) &&
    (wanted.aggregation === undefined || offer.aggregations.includes(wanted.aggregation))
  );
}
