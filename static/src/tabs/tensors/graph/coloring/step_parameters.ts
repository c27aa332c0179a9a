/** What a step says about its parameters, by their names: norms, norms of updates, and one over the other. */

import { useMemo } from "preact/hooks";
import type { Numbers } from "../../../../data/arrays/lanes";
import type { Loaded } from "../../../../data/bundle";
import type { Network, ParameterList } from "../../../../data/format/types";
import type { OpenStep } from "../../../../state/selection/open_step";
import type { Store } from "../../../../state/store";

export const PARAMETER_STATISTICS = ["norm", "update_norm", "update_ratio"] as const;
export type ParameterStatistic = (typeof PARAMETER_STATISTICS)[number];

/** Norms, norms of updates, and differences of accumulated gradients. */
const ROWS = 3;

export class StepParameters {
  /** Where a parameter is in the list of the step. */
  private readonly places: ReadonlyMap<string, number>;

  constructor(
    private readonly numbers: Numbers,
    { parameters }: Network,
    private readonly list: Pick<ParameterList, "parameter">,
  ) {
    const positions = new Map(parameters.map(({ name }, position) => [name, position]));
    const placeOf = new Map(
      numbers.length === ROWS * list.parameter.length ? list.parameter.map((position, place) => [position, place]) : [],
    );
    this.places = new Map(
      parameters.flatMap(({ name, alias_of: original }): [string, number][] => {
        const place = placeOf.get(positions.get(name)!) ?? (original === null ? undefined : placeOf.get(positions.get(original) ?? -1));
        return place === undefined ? [] : [[name, place]];
      }),
    );
  }

  has(name: string): boolean {
    return this.places.has(name);
  }

  /** The chunks that hold what there is about a parameter. */
  chunks(name: string): number[] {
    return this.rowsOf(name).flatMap((k) => this.numbers.chunks(k, k + 1));
  }

  /** Undefined while it is not loaded; null where there is none: an update of a parameter of norm 0 has no ratio to it. */
  read(name: string, statistic: ParameterStatistic): number | null | undefined {
    const [norm, update] = this.rowsOf(name).map((k) => this.numbers.at(k));
    if (norm === undefined || update === undefined) {
      return undefined;
    }
    switch (statistic) {
      case "norm":
        return Number(norm);
      case "update_norm":
        return Number(update);
      default:
        return Number(norm) === 0 ? null : Number(update) / Number(norm);
    }
  }

  /** The places of its norm and that of its update. */
  private rowsOf(name: string): number[] {
    const place = this.places.get(name);
    return place === undefined ? [] : [place, this.list.parameter.length + place];
  }
}

/** Null where the step says nothing about parameters, or that is not loaded. */
export function useStepParameters(store: Store, open: OpenStep | null): StepParameters | null {
  // Read so that this is worked out again when something has arrived.
  void store.version.value;
  const { bundle } = store;
  const facts = open && readyValue(bundle.facts(open.trial, open.step));
  const network = open && facts && readyValue(bundle.network(open.trial));
  const list = facts && readyValue(bundle.parameterList(facts.parameter_list));
  return useMemo(
    () => (open && network && list ? new StepParameters(open.content.numbers.parameters, network, list) : null),
    [open, network, list],
  );
}

function readyValue<T>(loaded: Loaded<T>): T | null {
  return loaded.state === "ready" ? loaded.value : null;
}
