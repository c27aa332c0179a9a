/** What was found in the trial that is shown, and which tensors it is about. */

import type { FindingsDocument, FoundPlace, FoundProblem } from "../../data/format/findings";
import type { Graph, Trial } from "../../data/format/types";
import type { Store } from "../store";

/** From here on, a finding is likely a problem; below it is a symptom. */
const PROBLEM = 2;
export const SYMPTOM = 1;

/** Null while it is not loaded, and where no rule was checked. Called where a view is rendered again when something has arrived. */
export function findingsOf(store: Store): FindingsDocument | null {
  void store.version.value;
  const trial = store.trial.value;
  const loaded = trial === undefined ? null : store.bundle.findings(trial);
  return loaded?.state === "ready" ? loaded.value : null;
}

/** How many causes are likely problems, or worse. */
export function problemCount({ incidents }: FindingsDocument): number {
  return incidents.filter(({ cause }) => cause.severity >= PROBLEM).length;
}

/** The other trials of which it is known how many likely problems they have; one entry for all ranks of a trial. */
export function otherCheckedTrials({ bundle }: Store, shown: Trial): Trial[] {
  const others = bundle.index.trials.filter(({ name, problems }) => name !== shown.name && problems >= 0);
  return [...new Map(others.map((trial) => [trial.name, trial])).values()];
}

/** Causes, each followed by its consequences. */
export function allFindings({ incidents }: FindingsDocument): FoundProblem[] {
  return incidents.flatMap(({ cause, consequences }) => [cause, ...consequences]);
}

/** The findings about the nodes of a graph, by node; what is only good to know is not among them. */
export function findingsByNode(document: FindingsDocument | null, graph: Graph): ReadonlyMap<number, readonly FoundProblem[]> {
  const byNode = new Map<number, FoundProblem[]>();
  const alarms = document === null ? [] : allFindings(document).filter(({ severity }) => severity >= SYMPTOM);
  if (alarms.length === 0) {
    return byNode;
  }
  graph.tensors.node.forEach((node, row) => {
    const known = byNode.get(node) ?? [];
    const own = alarms.filter((finding) => !known.includes(finding) && finding.places.some((place) => isRow(graph, row, place)));
    if (own.length > 0) {
      byNode.set(node, [...known, ...own]);
    }
  });
  return byNode;
}

/** The row of a graph's tensors that a place is about, or -1. */
export function rowOfPlace(graph: Graph, place: FoundPlace): number {
  return graph.tensors.name.findIndex((_, row) => isRow(graph, row, place));
}

function isRow({ tensors }: Graph, row: number, { kind, name, iteration }: FoundPlace): boolean {
  const recorded = tensors.record_name[row]!;
  if (kind === "module") {
    return name !== "" && recorded.startsWith(`${name}: `);
  }
  return recorded === name && (iteration === null || tensors.record_iteration[row] === iteration);
}
