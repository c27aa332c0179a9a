/** Which tensors were registered by name in the forward pass of a call. */

import { type Call, callSuffix, type Flow, type FlowRecord, OUTERMOST } from "./call_graph";

/** Positions of the records that were registered in the call `parent` itself, and are neither inputs nor outputs of it. */
export function registeredIn(flow: Flow, parent: number): number[] {
  const call = flow.calls[parent];
  if (call === undefined) {
    return [];
  }
  const atPorts = new Set([...call.inputs, ...call.outputs].map(({ record }) => record));
  // At the ports of a call, the recorder names tensors after it: `m.fc (call 2): output`.
  const callNames = new Set(flow.calls.map(({ name, number }) => `${name}${callSuffix(number)}`));
  const isOfPort = (name: string): boolean => name.includes(": ") && callNames.has(name.slice(0, name.indexOf(": ")));
  const isHere = (record: FlowRecord): boolean =>
    record.module === call.name &&
    record.iteration === flow.iteration &&
    record.row >= 0 &&
    record.type !== "parameter" &&
    !isOfPort(record.name) &&
    isWithin(flow.calls, parent, record.home);
  return [...flow.records.keys()].filter((k) => !atPorts.has(k) && isHere(flow.records[k]!));
}

function isWithin(calls: readonly Call[], parent: number, row: number | null): boolean {
  let around = row ?? OUTERMOST;
  while (around >= 0 && around !== parent) {
    around = calls[around]!.parent;
  }
  return around === parent;
}
