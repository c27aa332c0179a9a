/** The tensors of a module: what goes into its calls and comes out of them, and its own parameters. */

import type { Bundle, Loaded } from "../../data/bundle";
import type { Network, Trial } from "../../data/types";

export interface ModuleTensor {
  /** As what it is shown: `input x`, `output`, `weight`. */
  label: string;
  name: string;
  iteration: number;
  isParameter: boolean;
}

export interface ModuleTensors {
  tensors: readonly ModuleTensor[];
  /** Of how many different iterations there are not yet the calls. */
  waiting: number;
}

const INITIAL_ITERATION = -1;
/** The calls of so many different iterations are looked at: of a network that is never twice the same, there are as many as steps. */
const MOST_CALLS = 32;
/** Calls of a module in one iteration whose tensors are shown. */
export const MOST_CALLS_SHOWN = 4;

/** What there is of a module, given by its position in the network, in an iteration of the steps of a trial. */
export function tensorsOfModule(bundle: Bundle, trial: Trial, network: Network, module: number, iteration: number): Loaded<ModuleTensors> {
  const numbers = new Set<number>();
  for (let step = 0; step < trial.steps.step.length && numbers.size < MOST_CALLS; step++) {
    const number = bundle.callSet(trial, step)[iteration] ?? -1;
    if (number >= 0) {
      numbers.add(number);
    }
  }
  const found = new Map<string, ModuleTensor>();
  let waiting = 0;
  for (const number of numbers) {
    const calls = bundle.calls(number);
    if (calls.state === "failed") {
      return calls;
    }
    if (calls.state === "loading") {
      waiting += 1;
      continue;
    }
    const { calls: of, ports } = calls.value;
    ports.call.forEach((row, port) => {
      const [name, at] = [ports.record_name[port]!, ports.record_iteration[port]!];
      const count = of.number[row]!;
      if (of.module[row] === module && name !== null && at !== null && count < MOST_CALLS_SHOWN) {
        const side = ports.side[port]!;
        const path = ports.path[port]!;
        const label = `${side === "input" ? `input${path === "input" ? "" : ` ${path}`}` : path}${count === 0 ? "" : ` (call ${count + 1})`}`;
        found.set(`${side}/${label}/${at}/${name}`, { label, name, iteration: at, isParameter: false });
        const [gradient, gradientAt] = [ports.gradient_record_name[port]!, ports.gradient_record_iteration[port]!];
        if (gradient !== null && gradientAt !== null) {
          const alone = `${label}, through this call alone`;
          found.set(`${side}/${alone}/${gradientAt}/${gradient}`, { label: alone, name: gradient, iteration: gradientAt, isParameter: false });
        }
      }
    });
  }
  const isInput = ([key]: [string, ModuleTensor]): boolean => key.startsWith("input/");
  const entries = [...found];
  const parameters = network.parameters.filter((parameter) => parameter.module === module).map((parameter): ModuleTensor => {
    const own = network.modules[module]!.name;
    const label = parameter.name.startsWith(`${own}.`) ? parameter.name.slice(own.length + 1) : parameter.name;
    return { label, name: parameter.alias_of ?? parameter.name, iteration: INITIAL_ITERATION, isParameter: true };
  });
  const tensors = [...entries.filter(isInput), ...entries.filter((entry) => !isInput(entry))].map(([, tensor]) => tensor);
  return { state: "ready", value: { tensors: [...tensors, ...parameters], waiting } };
}
