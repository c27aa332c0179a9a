/**
 * Reads a pickle that may be hostile: numbers, texts, arrays and containers of them come out, and nothing else can.
 *
 * A pickle is a program for a small stack machine, and Python's own reader lets it call whatever it names. This reader knows the instructions
 * that build plain data, and the names that numpy uses for arrays. Any other is refused where it stands. It is the same as
 * `comgra_export/importers/allow_list_pickle.py`. What a pickle builds by referring to one thing again and again is counted each time, so
 * that memory stays within a fixed multiple of the file.
 */

import { ForeignDataError, RefusedError } from "./errors";
import { GLOBALS, latin1, PickledArray, PickledDict, PickledDtype, PickledGlobal, PickledTuple } from "./pickled";

const MOST_PROTOCOL = 5;
const MOST_DEPTH = 64;
/** Containers and arrays that are referred to several times are legitimate, but not without end. */
const MOST_GROWTH = 16;
const MOST_DIGITS = 40;
const MOST_NAME = 200;
const MOST_KEY_PARTS = 8;
const CUT_OFF = "it ends in the middle; it may have been cut off";

/**
 * Reads a pickle of any protocol from 0 to 5; what comes after its end is ignored, as Python does. `file` is how messages name it.
 *
 * Returns null, booleans, numbers, bigints (integers beyond 2^53), texts, `NumpyArray` (of scalars too), lists, `PickledTuple` and `PickledDict`
 * of these. Throws `ForeignDataError`.
 */
export function readPickle(data: Uint8Array<ArrayBuffer>, file: string): unknown {
  const machine = new Machine(data);
  try {
    return machine.run();
  } catch (error) {
    if (error instanceof RefusedError) {
      throw new ForeignDataError(`${file} is not read: at byte ${machine.at}, ${error.message}.`);
    }
    throw error;
  }
}

/** The state of a pickle that is being read. */
class Machine {
  /** Where the instruction begins that is being followed. */
  at = 0;
  private next = 0;
  private made = 0;
  private readonly stack: unknown[] = [];
  /** How high the stack was at each mark that is still open. */
  private readonly marks: number[] = [];
  private readonly memo = new Map<number, unknown>();
  private readonly view: DataView;

  constructor(private readonly data: Uint8Array<ArrayBuffer>) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  run(): unknown {
    for (;;) {
      this.at = this.next;
      const code = this.integer(1);
      if (code === STOP) {
        const value = this.pop();
        if (this.stack.length > 0) {
          throw new RefusedError("it ends with things left over, so it is damaged");
        }
        return new Result(MOST_GROWTH * this.data.length + 1024).of(value, 0);
      }
      const follow = INSTRUCTIONS.get(code);
      if (follow === undefined) {
        throw new RefusedError(`it has the instruction 0x${code.toString(16).padStart(2, "0")}, which data of numbers has no use for`);
      }
      follow(this);
    }
  }

  take(count: number): Uint8Array<ArrayBuffer> {
    if (!(count <= this.data.length - this.next)) {
      throw new RefusedError(CUT_OFF);
    }
    this.next += count;
    return this.data.subarray(this.next - count, this.next);
  }

  /** An unsigned integer of `size` bytes; what is beyond 2^53 is beyond every file. */
  integer(size: number): number {
    const bytes = this.take(size);
    let number = 0;
    for (let k = size - 1; k >= 0; k--) {
      number = number * 256 + bytes[k]!;
    }
    return number;
  }

  line(most: number = Infinity): string {
    const end = this.data.indexOf(10, this.next);
    if (end < 0) {
      throw new RefusedError(CUT_OFF);
    }
    if (end - this.next > most) {
      throw new RefusedError("a line is too long for what it holds");
    }
    const line = latin1(this.take(end - this.next));
    this.next++;
    return line;
  }

  push(value: unknown): void {
    this.stack.push(value);
  }

  pop(): unknown {
    if (this.stack.length <= (this.marks.at(-1) ?? 0)) {
      throw new RefusedError("it takes more than it has put there, so it is damaged");
    }
    return this.stack.pop();
  }

  top(): unknown {
    const value = this.pop();
    this.stack.push(value);
    return value;
  }

  mark(): void {
    this.marks.push(this.stack.length);
  }

  sinceMark(): unknown[] {
    const start = this.marks.pop();
    if (start === undefined) {
      throw new RefusedError("it looks for a mark that there is not, so it is damaged");
    }
    return this.stack.splice(start);
  }

  /** In protocol 0, this also takes a mark away. */
  popOrMark(): void {
    if (this.marks.at(-1) === this.stack.length) {
      this.marks.pop();
    } else {
      this.pop();
    }
  }

  protocol(): void {
    const version = this.integer(1);
    if (version > MOST_PROTOCOL) {
      throw new RefusedError(`it has protocol ${version}, and ${MOST_PROTOCOL} is the newest known`);
    }
  }

  frame(): void {
    if (this.integer(8) > this.data.length - this.next) {
      throw new RefusedError(CUT_OFF);
    }
  }

  signed(): number {
    this.take(4);
    return this.view.getInt32(this.next - 4, true);
  }

  binaryFloat(): number {
    this.take(8);
    return this.view.getFloat64(this.next - 8);
  }

  textInteger(): unknown {
    const line = this.line(MOST_DIGITS);
    return line === "00" ? false : line === "01" ? true : integerOf(line);
  }

  long(size: number): number | bigint {
    const count = this.integer(size);
    if (count > 9) {
      throw new RefusedError("an integer has more than 64 bits");
    }
    const bytes = this.take(count);
    const unsigned = bytes.reduceRight((number, byte) => number * 256n + BigInt(byte), 0n);
    return narrow((bytes.at(-1) ?? 0) > 127 ? unsigned - 256n ** BigInt(count) : unsigned);
  }

  textFloat(): number {
    const line = this.line(MOST_DIGITS);
    const special = new Map([["nan", NaN], ["inf", Infinity], ["-inf", -Infinity]]).get(line);
    if (special === undefined && !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(line)) {
      throw new RefusedError("a number is not one");
    }
    return special ?? Number(line);
  }

  textString(): string {
    const line = this.line();
    if (line.length < 2 || line[0] !== line.at(-1) || !["'", '"'].includes(line[0]!)) {
      throw new RefusedError("a text has no quotes around it");
    }
    return line.slice(1, -1).replace(/\\(x[0-9a-fA-F]{2}|[^]|$)/g, (_, escape: string) => unescaped(escape));
  }

  textUnicode(): string {
    return this.line().replace(/\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})/g, (_, short?: string, long?: string) => {
      const code = parseInt(short ?? long!, 16);
      if (code > 0x10ffff) {
        throw new RefusedError("a text is not valid Unicode");
      }
      return String.fromCodePoint(code);
    });
  }

  unicode(size: number): string {
    const octets = this.take(this.integer(size));
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets);
    } catch {
      throw new RefusedError("a text is not valid UTF-8");
    }
  }

  append(values: readonly unknown[]): void {
    const target = this.top();
    if (!Array.isArray(target)) {
      throw new RefusedError("it appends to something that is no list");
    }
    for (const value of values) {
      target.push(value);
    }
  }

  set(items: readonly unknown[]): void {
    setItems(this.top(), items);
  }

  put(number: number): void {
    this.memo.set(number, this.top());
  }

  memoize(): void {
    this.put(this.memo.size);
  }

  get(number: number): void {
    if (!this.memo.has(number)) {
      throw new RefusedError("it refers to something that there is not, so it is damaged");
    }
    this.push(this.memo.get(number));
  }

  global(module: unknown, name: unknown): void {
    if (typeof module !== "string" || typeof name !== "string") {
      throw new RefusedError("a name is no text");
    }
    const full = `${module}.${name}`;
    if (!GLOBALS.has(full)) {
      const hint = module.split(".")[0] === "torch" ? "; save tensors as tensor.detach().cpu().numpy()" : "";
      throw new RefusedError(`it names ${full.slice(0, MOST_NAME)}, and only numpy arrays, numbers, texts and containers of them are read${hint}`);
    }
    this.push(new PickledGlobal(full));
  }

  reduce(): void {
    const [parts, called] = [this.pop(), this.pop()];
    if (!(called instanceof PickledGlobal) || !(parts instanceof PickledTuple)) {
      throw new RefusedError("it calls something that is no name");
    }
    const { counts, make } = GLOBALS.get(called.name)!;
    if (make === null || !counts.includes(parts.members.length)) {
      throw new RefusedError(`it calls ${called.name} in a way that numpy does not`);
    }
    const made = make(parts.members);
    this.count(made);
    this.push(made);
  }

  build(): void {
    const [state, target] = [this.pop(), this.top()];
    if (!(target instanceof PickledArray || target instanceof PickledDtype)) {
      throw new RefusedError("it changes the inside of something that is no array");
    }
    target.setState(state);
    this.count(target);
  }

  /** Counts what was made of what the file holds: each of its bytes becomes a byte once, and a part of a number once. */
  private count(made: unknown): void {
    this.made += made instanceof Uint8Array ? made.length : made instanceof PickledArray ? made.array?.byteLength ?? 0 : 0;
    if (this.made > 2 * this.data.length) {
      throw new RefusedError("it makes more numbers than it has bytes");
    }
  }
}

function integerOf(text: string): number | bigint {
  if (!/^[-+]?\d+$/.test(text)) {
    throw new RefusedError("a number is not one");
  }
  return narrow(BigInt(text.replace("+", "")));
}

function narrow(number: bigint): number | bigint {
  if (number < -(2n ** 63n) || number >= 2n ** 64n) {
    throw new RefusedError("an integer has more than 64 bits");
  }
  return Number.isSafeInteger(Number(number)) ? Number(number) : number;
}

function placeOf(text: string): number {
  const place = integerOf(text);
  return typeof place === "number" ? place : -1;
}

function unescaped(escape: string): string {
  if (escape.length === 3) {
    return String.fromCharCode(parseInt(escape.slice(1), 16));
  }
  const found = new Map([["n", "\n"], ["r", "\r"], ["t", "\t"], ["\\", "\\"], ["'", "'"], ['"', '"']]).get(escape);
  if (found === undefined) {
    throw new RefusedError("a text has an escape that Python does not write");
  }
  return found;
}

function setItems(target: unknown, items: readonly unknown[]): void {
  if (!(target instanceof PickledDict) || items.length % 2 !== 0) {
    throw new RefusedError("it sets a key of something that is no dict");
  }
  for (let k = 0; k < items.length; k += 2) {
    const key = items[k];
    const parts = key instanceof PickledTuple ? key.members : [key];
    if (parts.length > MOST_KEY_PARTS || !parts.every((part) => part === null || ["string", "number", "bigint", "boolean"].includes(typeof part))) {
      throw new RefusedError("a key is neither a text, a number, nor a short tuple of them");
    }
    target.items.push([key, items[k + 1]]);
  }
}

/** Makes what comes out of what the machine has built: counts it, bounds its depth, and puts finished arrays into their places. */
class Result {
  constructor(private left: number) {}

  of(value: unknown, depth: number): unknown {
    if (depth > MOST_DEPTH) {
      throw new RefusedError(`it holds containers within one another, more than ${MOST_DEPTH} deep or in a circle`);
    }
    this.left -= 1 + (value instanceof PickledArray ? value.array?.byteLength ?? 0 : 0);
    if (this.left < 0) {
      throw new RefusedError(`it refers to the same things so often that they come to more than ${MOST_GROWTH} times its size`);
    }
    if (value === null || ["string", "number", "bigint", "boolean"].includes(typeof value)) {
      return value;
    }
    if (value instanceof PickledArray) {
      if (value.array === null) {
        throw new RefusedError("an array has no numbers");
      }
      return value.array;
    }
    if (Array.isArray(value)) {
      return value.map((member) => this.of(member, depth + 1));
    }
    if (value instanceof PickledTuple) {
      return new PickledTuple(value.members.map((member) => this.of(member, depth + 1)));
    }
    if (value instanceof PickledDict) {
      const made = new PickledDict();
      value.items.forEach(([key, member]) => made.items.push([key, this.of(member, depth + 1)]));
      return made;
    }
    throw new RefusedError("it holds bytes, a dtype or a name where data of numbers has none");
  }
}

const STOP = 0x2e;

type Follow = (machine: Machine) => void;

/** By the letters of their codes. */
const LETTERS: Readonly<Record<string, Follow>> = {
  "(": (machine) => machine.mark(),
  "0": (machine) => machine.popOrMark(),
  "1": (machine) => void machine.sinceMark(),
  "2": (machine) => machine.push(machine.top()),
  N: (machine) => machine.push(null),
  I: (machine) => machine.push(machine.textInteger()),
  J: (machine) => machine.push(machine.signed()),
  K: (machine) => machine.push(machine.integer(1)),
  M: (machine) => machine.push(machine.integer(2)),
  L: (machine) => machine.push(integerOf(machine.line(MOST_DIGITS).replace(/L$/, ""))),
  F: (machine) => machine.push(machine.textFloat()),
  G: (machine) => machine.push(machine.binaryFloat()),
  S: (machine) => machine.push(machine.textString()),
  T: (machine) => machine.push(latin1(machine.take(machine.integer(4)))),
  U: (machine) => machine.push(latin1(machine.take(machine.integer(1)))),
  V: (machine) => machine.push(machine.textUnicode()),
  X: (machine) => machine.push(machine.unicode(4)),
  B: (machine) => machine.push(machine.take(machine.integer(4))),
  C: (machine) => machine.push(machine.take(machine.integer(1))),
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
  p: (machine) => machine.put(placeOf(machine.line(MOST_DIGITS))),
  g: (machine) => machine.get(placeOf(machine.line(MOST_DIGITS))),
  q: (machine) => machine.put(machine.integer(1)),
  r: (machine) => machine.put(machine.integer(4)),
  h: (machine) => machine.get(machine.integer(1)),
  j: (machine) => machine.get(machine.integer(4)),
  c: (machine) => machine.global(machine.line(MOST_NAME), machine.line(MOST_NAME)),
  R: (machine) => machine.reduce(),
  b: (machine) => machine.build(),
};

/** Those of later protocols, which have no letters. */
const INSTRUCTIONS: ReadonlyMap<number, Follow> = new Map<number, Follow>([
  ...Object.entries(LETTERS).map(([letter, follow]): [number, Follow] => [letter.charCodeAt(0), follow]),
  [0x80, (machine) => machine.protocol()],
  ...[1, 2, 3].map((count): [number, Follow] => [0x84 + count, (machine) => machine.push(new PickledTuple(Array.from({ length: count }, () => machine.pop()).reverse()))]),
  [0x88, (machine) => machine.push(true)],
  [0x89, (machine) => machine.push(false)],
  [0x8a, (machine) => machine.push(machine.long(1))],
  [0x8b, (machine) => machine.push(machine.long(4))],
  [0x8c, (machine) => machine.push(machine.unicode(1))],
  [0x8d, (machine) => machine.push(machine.unicode(8))],
  [0x8e, (machine) => machine.push(machine.take(machine.integer(8)))],
  [0x93, (machine) => {
    const name = machine.pop();
    machine.global(machine.pop(), name);
  }],
  [0x94, (machine) => machine.memoize()],
  [0x95, (machine) => machine.frame()],
  [0x96, (machine) => machine.push(machine.take(machine.integer(8)))],
]);
