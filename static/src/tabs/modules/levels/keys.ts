/** The keys of calls: the same for the same call on another step. */

import { type Flow, OUTERMOST } from "./call_graph";

export function callKey(number: number, name: string): string {
  return `${number}.${name}`;
}

/** The name of the module that a key of a call is about; empty for none. */
export function nameOfKey(key: string): string {
  return key.slice(key.indexOf(".") + 1);
}

/** The row of a call by its key, which is empty for `OUTERMOST`; null where the call was not made. */
export function rowOf(flow: Flow, key: string): number | null {
  if (key === "") {
    return OUTERMOST;
  }
  const row = flow.calls.findIndex(({ number, name }) => callKey(number, name) === key);
  return row < 0 ? null : row;
}
