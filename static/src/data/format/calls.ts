/** Reads the calls of watched modules, as distrustfully as the index. */

import { column, fail, flag, integer, object, oneOf, orNull, rowsOf, text } from "./checks";
import { type Calls, PORT_SIDES } from "./types";

/** `modules` in the network are not known here: who looks one up must expect that it is missing. */
export function parseCalls(value: unknown, where: string): Calls {
  const root = object(value, where);
  const calls = object(root.calls, `${where}.calls`);
  const ports = object(root.ports, `${where}.ports`);
  const callCount = rowsOf(calls, "module", `${where}.calls`);
  const portCount = rowsOf(ports, "call", `${where}.ports`);
  const call = <T>(check: (value: unknown, where: string) => T, key: string): T[] =>
    column(check, callCount)(calls[key], `${where}.calls.${key}`);
  const port = <T>(check: (value: unknown, where: string) => T, key: string): T[] =>
    column(check, portCount)(ports[key], `${where}.ports.${key}`);
  const optional = <T>(check: (value: unknown, where: string) => T | null, key: string): (T | null)[] =>
    ports[key] === undefined ? new Array<null>(portCount).fill(null) : port(check, key);
  const parsed: Calls = {
    calls: {
      module: call(integer(0), "module"),
      parent: call(integer(-1, callCount - 1), "parent"),
      number: call(integer(0), "number"),
      training: call(flag, "training"),
      raised: call(flag, "raised"),
    },
    ports: {
      call: port(integer(0, callCount - 1), "call"),
      side: port(oneOf(PORT_SIDES), "side"),
      path: port(text, "path"),
      record_name: port(orNull(text), "record_name"),
      record_iteration: port(orNull(integer(-1)), "record_iteration"),
      text: port(orNull(text), "text"),
      meaning: optional(orNull(text), "meaning"),
      gradient_record_name: optional(orNull(text), "gradient_record_name"),
      gradient_record_iteration: optional(orNull(integer(-1)), "gradient_record_iteration"),
    },
  };
  checkOrder(parsed, where);
  return parsed;
}

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
