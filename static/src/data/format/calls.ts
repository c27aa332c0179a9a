/** Reads the calls of watched modules, as distrustfully as the index. */

import { also, fail } from "./checks";
import { type Calls, callsAndPorts } from "./types";

/** `modules` in the network are not known here: who looks one up must expect that it is missing. */
export const parseCalls = also(callsAndPorts, checkOrder);

/** A call is made within an earlier one, and the calls of a module are counted from 0 on. */
function checkOrder({ calls, ports }: Calls, where: string): void {
  const counts = new Map<number, number>();
  calls.module.forEach((module, k) => {
    const before = counts.get(module) ?? 0;
    if (calls.parent[k]! >= k) {
      fail(`${where}.calls.parent[${k}]`, "an earlier call");
    }
    if (calls.number[k] !== before) {
      fail(`${where}.calls.number[${k}]`, `${before}`);
    }
    counts.set(module, before + 1);
  });
  ports.record_name.forEach((name, k) => {
    if ((name === null) !== (ports.record_iteration[k] === null)) {
      fail(`${where}.ports.record_iteration[${k}]`, "present where record_name is");
    }
    const gradient = ports.gradient_record_name[k]!;
    if ((gradient === null) !== (ports.gradient_record_iteration[k] === null)) {
      fail(`${where}.ports.gradient_record_iteration[${k}]`, "present where gradient_record_name is");
    }
    if (gradient !== null && (name === null || ports.side[k] !== "input")) {
      fail(`${where}.ports.gradient_record_name[${k}]`, "null if no tensor goes in");
    }
  });
}
