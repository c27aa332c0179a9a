/** The instructions that build plain data, by their codes. Those that could do anything else are not among them. */

import { LONGEST_NAME } from "./pickle_bytes";
import { latin1, PickledDict, PickledTuple } from "./pickle_globals";
import type { PickleMachine } from "./pickle_machine";

export const STOP = 0x2e;

type Follow = (machine: PickleMachine) => void;

/** By the letters of their codes. */
const LETTERS: Readonly<Record<string, Follow>> = {
  "(": (machine) => machine.mark(),
  "0": (machine) => machine.popOrMark(),
  "1": (machine) => void machine.sinceMark(),
  "2": (machine) => machine.push(machine.top()),
  N: (machine) => machine.push(null),
  I: (machine) => machine.push(machine.data.textInteger()),
  J: (machine) => machine.push(machine.data.signed()),
  K: (machine) => machine.push(machine.data.integer(1)),
  M: (machine) => machine.push(machine.data.integer(2)),
  L: (machine) => machine.push(machine.data.textLong()),
  F: (machine) => machine.push(machine.data.textFloat()),
  G: (machine) => machine.push(machine.data.binaryFloat()),
  S: (machine) => machine.push(machine.data.textString()),
  T: (machine) => machine.push(latin1(machine.data.octets(4))),
  U: (machine) => machine.push(latin1(machine.data.octets(1))),
  V: (machine) => machine.push(machine.data.textUnicode()),
  X: (machine) => machine.push(machine.data.unicode(4)),
  B: (machine) => machine.push(machine.data.octets(4)),
  C: (machine) => machine.push(machine.data.octets(1)),
  ")": (machine) => machine.push(new PickledTuple([])),
  t: (machine) => machine.push(new PickledTuple(machine.sinceMark())),
  "]": (machine) => machine.push([]),
  l: (machine) => machine.push(machine.sinceMark()),
  a: (machine) => machine.append([machine.pop()]),
  e: (machine) => machine.append(machine.sinceMark()),
  "}": (machine) => machine.push(new PickledDict()),
  d: (machine) => {
    const items = machine.sinceMark();
    machine.push(new PickledDict());
    machine.set(items);
  },
  s: (machine) => {
    const value = machine.pop();
    machine.set([machine.pop(), value]);
  },
  u: (machine) => machine.set(machine.sinceMark()),
  p: (machine) => machine.put(machine.data.place()),
  g: (machine) => machine.get(machine.data.place()),
  q: (machine) => machine.put(machine.data.integer(1)),
  r: (machine) => machine.put(machine.data.integer(4)),
  h: (machine) => machine.get(machine.data.integer(1)),
  j: (machine) => machine.get(machine.data.integer(4)),
  c: (machine) => machine.global(machine.data.line(LONGEST_NAME), machine.data.line(LONGEST_NAME)),
  R: (machine) => machine.reduce(),
  b: (machine) => machine.build(),
};

/** Those of later protocols, which have no letters. */
export const INSTRUCTIONS: ReadonlyMap<number, Follow> = new Map<number, Follow>([
  ...Object.entries(LETTERS).map(([letter, follow]): [number, Follow] => [letter.charCodeAt(0), follow]),
  [0x80, (machine) => machine.data.protocol()],
  ...[1, 2, 3].map((count): [number, Follow] => [
    0x84 + count,
    (machine) => machine.push(new PickledTuple(Array.from({ length: count }, () => machine.pop()).reverse())),
  ]),
  [0x88, (machine) => machine.push(true)],
  [0x89, (machine) => machine.push(false)],
  [0x8a, (machine) => machine.push(machine.data.long(1))],
  [0x8b, (machine) => machine.push(machine.data.long(4))],
  [0x8c, (machine) => machine.push(machine.data.unicode(1))],
  [0x8d, (machine) => machine.push(machine.data.unicode(8))],
  [0x8e, (machine) => machine.push(machine.data.octets(8))],
  [
    0x93,
    (machine) => {
      const name = machine.pop();
      machine.global(machine.pop(), name);
    },
  ],
  [0x94, (machine) => machine.memoize()],
  [0x95, (machine) => machine.data.frame()],
  [0x96, (machine) => machine.push(machine.data.octets(8))],
]);
