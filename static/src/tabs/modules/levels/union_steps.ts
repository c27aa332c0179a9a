/** A level over all recorded steps of a type: what differs is loaded as it is needed. */

import type { Bundle, Loaded } from "../../../data/bundle";
import type { Layout, Network, Trial } from "../../../data/format/types";
import { type Flow, flowOf } from "./call_graph";
import { type ShownLevel, shownLevel, Union } from "./displayed_level";
import { rowOf } from "./keys";

/** An iteration of a step: positions of its calls, its structure, and a layout that fits. */
interface Version {
  calls: number;
  structure: number;
  layout: number;
  iteration: number;
}

export interface UnionResult {
  /** Null until all is there. */
  level: ShownLevel | null;
  loaded: number;
  total: number;
  error: Error | null;
  /** Whether something is there that has not been worked out yet. */
  hasMore: boolean;
}

/** Calls that are worked out at a time, so that the page answers in between. */
const CALLS_AT_A_TIME = 4000;

/** Keeps the levels of what was loaded, so that each is worked out once. */
export class StepsUnion {
  private readonly groups: readonly { versions: readonly string[]; steps: number }[];
  private readonly versions = new Map<string, Version>();
  private readonly levels = new Map<string, ShownLevel | null>();

  /** `open` is the key of the call whose level is wanted; empty: what was called outside all modules. */
  constructor(
    private readonly bundle: Bundle,
    private readonly trial: Trial,
    steps: readonly number[],
    private readonly open: string,
  ) {
    const groups = new Map<string, { versions: string[]; steps: number }>();
    for (const step of steps) {
      const versions = this.versionsOf(step);
      const key = versions.join(" ");
      const group = groups.get(key) ?? { versions, steps: 0 };
      group.steps += 1;
      groups.set(key, group);
    }
    this.groups = [...groups.values()];
  }

  private versionsOf(step: number): string[] {
    const structures = this.bundle.index.structure_sets[this.trial.steps.structure_set[step] ?? -1] ?? [];
    const keys = this.bundle.callSet(this.trial, step).flatMap((calls, iteration): string[] => {
      const structure = structures[iteration] ?? -1;
      const key = `${calls}/${structure}/${iteration}`;
      if (calls >= 0 && !this.versions.has(key)) {
        this.versions.set(key, { calls, structure, layout: this.trial.steps.layout[step]!, iteration });
      }
      return calls < 0 ? [] : [key];
    });
    return [...new Set(keys)];
  }

  /** Takes some of what is there, and asks for what is missing. */
  read(network: Network): UnionResult {
    let error: Error | null = null;
    let calls = 0;
    let hasMore = false;
    for (const [key, version] of this.versions) {
      if (this.levels.has(key)) {
        continue;
      }
      if (calls > CALLS_AT_A_TIME) {
        hasMore = true;
        break;
      }
      const flow = this.flowOf(version, network);
      if (flow.state === "ready") {
        calls += flow.value.flow.calls.length;
        this.levels.set(key, this.levelOf(flow.value.flow, flow.value.layout));
      } else if (flow.state === "failed") {
        error ??= flow.error;
      }
    }
    const [loaded, total] = [this.levels.size, this.versions.size];
    if (loaded < total) {
      return { level: null, loaded, total, error, hasMore };
    }
    const union = new Union();
    for (const { versions, steps } of this.groups) {
      union.add(
        versions.map((key) => this.levels.get(key) ?? null).filter((level) => level !== null),
        steps,
      );
    }
    return { level: union.level, loaded, total, error, hasMore };
  }

  private flowOf({ calls, structure, layout, iteration }: Version, network: Network): Loaded<{ flow: Flow; layout: Layout }> {
    const [tree, kept] = [this.bundle.calls(calls), this.bundle.layout(layout)];
    const graph = structure < 0 ? null : this.bundle.graph(structure);
    const failed = [tree, kept, graph].find((part) => part?.state === "failed");
    if (failed?.state === "failed") {
      return failed;
    }
    if (tree.state !== "ready" || kept.state !== "ready" || (graph !== null && graph.state !== "ready")) {
      return { state: "loading" };
    }
    return {
      state: "ready",
      value: { flow: flowOf(tree.value, graph === null ? null : graph.value, kept.value, network, iteration), layout: kept.value },
    };
  }

  /** Null where the call was not made. */
  private levelOf(flow: Flow, layout: Layout): ShownLevel | null {
    const row = rowOf(flow, this.open);
    return row === null ? null : shownLevel(flow, row, layout);
  }
}
