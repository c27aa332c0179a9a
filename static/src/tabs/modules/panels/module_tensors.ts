/** The tensors of a module: what goes into its calls and comes out of them, and its parameters, as far as no called part has them. */

import type { Bundle, Loaded } from "../../../data/bundle";
import type { Calls, Network, Trial } from "../../../data/format/types";
import { nameWithin, type PartsWithParameters, parametersAt, partsWithParameters } from "../../../ui/text/module_tree";

/** A tensor of the recording. */
interface RecordedAs {
  name: string;
  iteration: number;
}

export interface ModuleTensor {
  /** As what it is shown: `input x`, `output`, `weight`. */
  label: string;
  isParameter: boolean;
  /** As what the same tensor is shown before; null where this is the first time. */
  sameAs: string | null;
  /** Which tensor it is on steps of each type: in evaluation, what a dropout was given goes on under that name. */
  recordedAs: ReadonlyMap<string, RecordedAs>;
}

interface ModuleTensors {
  tensors: readonly ModuleTensor[];
  /** Its parts that have parameters of their own; null where it is not known yet which parts are called. */
  parts: PartsWithParameters | null;
  /** Of how many different iterations there are not yet the calls. */
  waiting: number;
}

const INITIAL_ITERATION = -1;
/** For each type of steps, the calls of so many different iterations are read: a network that never repeats itself has as many as steps. */
const MOST_CALLS = 32;
/** Calls of a module in one iteration whose tensors are shown. */
const MOST_CALLS_SHOWN = 4;

/** A place of a module where a tensor was seen, with its tensors by type of steps. */
interface Place {
  side: string;
  label: string;
  /** Whether it is only what of a gradient comes through the call. */
  isThroughCall: boolean;
  byType: Map<string, Map<string, RecordedAs>>;
}

/** What there is of a module, given by its position in the network, in an iteration of the steps of these types. */
export function tensorsOfModule(
  bundle: Bundle,
  trial: Trial,
  network: Network,
  module: number,
  iteration: number,
  types: readonly string[],
): Loaded<ModuleTensors> {
  const places = new Map<string, Place>();
  const called = new Set<number>();
  let waiting = 0;
  for (const type of types) {
    for (const number of callsOf(bundle, trial, iteration, type)) {
      const calls = bundle.calls(number);
      if (calls.state === "failed") {
        return calls;
      }
      if (calls.state === "ready") {
        addPorts(calls.value, module, type, places);
        calls.value.calls.module.forEach((name) => called.add(name));
      } else {
        waiting += 1;
      }
    }
  }
  const recorded = [...places.values()].flatMap((place) =>
    rowsOf(place.byType).map((recordedAs, _, rows) => ({ place, recordedAs, isOnly: rows.length === 1 })),
  );
  const isInput = ({ place }: { place: Place }): boolean => place.side === "input";
  const tensors = withSame([...recorded.filter(isInput), ...recorded.filter((entry) => !isInput(entry))]);
  const parts = waiting === 0 ? partsWithParameters(network, module, called) : null;
  return {
    state: "ready",
    value: { tensors: [...tensors, ...parametersOf(network, module, waiting === 0 ? called : null, types)], parts, waiting },
  };
}

/** The positions of the different calls of an iteration of the steps of a type. */
function callsOf(bundle: Bundle, trial: Trial, iteration: number, type: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (let step = 0; step < trial.steps.step.length && numbers.size < MOST_CALLS; step++) {
    const number = bundle.typeOf(trial, step) === type ? (bundle.callSet(trial, step)[iteration] ?? -1) : -1;
    if (number >= 0) {
      numbers.add(number);
    }
  }
  return numbers;
}

function addPorts({ calls, ports }: Calls, module: number, type: string, places: Map<string, Place>): void {
  const add = (side: Place["side"], label: string, tensor: RecordedAs, isThroughCall = false): void => {
    const place = places.get(`${side}/${label}`) ?? { side, label, isThroughCall, byType: new Map<string, Map<string, RecordedAs>>() };
    places.set(`${side}/${label}`, place);
    const own = place.byType.get(type) ?? new Map<string, RecordedAs>();
    place.byType.set(type, own.set(`${tensor.iteration}/${tensor.name}`, tensor));
  };
  ports.call.forEach((row, port) => {
    const [name, iteration] = [ports.record_name[port]!, ports.record_iteration[port]!];
    const count = calls.number[row]!;
    if (calls.module[row] !== module || name === null || iteration === null || count >= MOST_CALLS_SHOWN) {
      return;
    }
    const side = ports.side[port]!;
    const path = ports.path[port]!;
    const label = `${side === "input" ? `input${path === "input" ? "" : ` ${path}`}` : path}${count === 0 ? "" : ` (call ${count + 1})`}`;
    add(side, label, { name, iteration });
    const [gradient, gradientIteration] = [ports.gradient_record_name[port]!, ports.gradient_record_iteration[port]!];
    if (gradient !== null && gradientIteration !== null) {
      add(side, `${label}, through this call alone`, { name: gradient, iteration: gradientIteration }, true);
    }
  });
}

/**
 * A tensor may be at several places, as the query of an attention that is its key too; what of its gradient comes through the call is then
 * there once. The tensors of a place that has several may be at another one on other steps.
 */
function withSame(recorded: readonly { place: Place; recordedAs: ReadonlyMap<string, RecordedAs>; isOnly: boolean }[]): ModuleTensor[] {
  const first = new Map<string, string>();
  return recorded.flatMap(({ place: { label, isThroughCall }, recordedAs, isOnly }) => {
    if (!isOnly) {
      return [{ label, isParameter: false, sameAs: null, recordedAs }];
    }
    const key = JSON.stringify([...recordedAs].map(([type, { name, iteration }]) => [type, name, iteration]));
    const sameAs = first.get(key) ?? null;
    first.set(key, sameAs ?? label);
    return isThroughCall && sameAs !== null ? [] : [{ label, isParameter: false, sameAs, recordedAs }];
  });
}

/** One row where each type of steps has one tensor; where some type has several, they follow one another. */
function rowsOf(byType: ReadonlyMap<string, ReadonlyMap<string, RecordedAs>>): Map<string, RecordedAs>[] {
  const rows: Map<string, RecordedAs>[] = [];
  for (const [type, tensors] of byType) {
    [...tensors.values()].forEach((tensor, k) => {
      rows[k] ??= new Map();
      rows[k].set(type, tensor);
    });
  }
  return rows;
}

/** `called` are the modules that are called; null where that is not known yet, and each may be. */
function parametersOf(network: Network, module: number, called: ReadonlySet<number> | null, types: readonly string[]): ModuleTensor[] {
  const parameters =
    called === null ? network.parameters.filter((parameter) => parameter.module === module) : parametersAt(network, module, called);
  return parameters.map((parameter) => {
    const recordedAs = { name: parameter.alias_of ?? parameter.name, iteration: INITIAL_ITERATION };
    return {
      label: nameWithin(network.modules[module]!.name, parameter.name),
      isParameter: true,
      sameAs: null,
      recordedAs: new Map(types.map((type) => [type, recordedAs])),
    };
  });
}
