/** The stack machine that runs a pickle: what its instructions do. Throws `RefusedError` for what it does not support. */

import { RefusedError } from "./errors";
import { LONGEST_NAME, PickleBytes } from "./pickle_bytes";
import { GLOBALS, PickledArray, PickledDict, PickledDtype, PickledGlobal, PickledTuple } from "./pickle_globals";

const MOST_KEY_PARTS = 8;

export class PickleMachine {
  readonly data: PickleBytes;
  private made = 0;
  private readonly stack: unknown[] = [];
  /** How high the stack was at each mark that is still open. */
  private readonly marks: number[] = [];
  private readonly memo = new Map<number, unknown>();

  constructor(data: Uint8Array<ArrayBuffer>) {
    this.data = new PickleBytes(data);
  }

  /** The one value that is left. */
  end(): unknown {
    const value = this.pop();
    if (this.stack.length > 0) {
      throw new RefusedError("it ends with values left over, so it is damaged");
    }
    return value;
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
      throw new RefusedError("it looks for a mark that is missing, so it is damaged");
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

  append(values: readonly unknown[]): void {
    const target = this.top();
    if (!Array.isArray(target)) {
      throw new RefusedError("it appends to a value that is not a list");
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
      throw new RefusedError("it refers to something that is missing, so it is damaged");
    }
    this.push(this.memo.get(number));
  }

  global(module: unknown, name: unknown): void {
    if (typeof module !== "string" || typeof name !== "string") {
      throw new RefusedError("a name is not a text");
    }
    const full = `${module}.${name}`;
    if (!GLOBALS.has(full)) {
      const hint = module.split(".")[0] === "torch" ? "; save tensors as tensor.detach().cpu().numpy()" : "";
      throw new RefusedError(
        `it names ${full.slice(0, LONGEST_NAME)}, and only numpy arrays, numbers, texts and containers of them are read${hint}`,
      );
    }
    this.push(new PickledGlobal(full));
  }

  reduce(): void {
    const [parts, called] = [this.pop(), this.pop()];
    if (!(called instanceof PickledGlobal) || !(parts instanceof PickledTuple)) {
      throw new RefusedError("it calls a value that is not a name");
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
      throw new RefusedError("it sets the state of a value that is not an array");
    }
    target.setState(state);
    this.count(target);
  }

  /** Counts what was made of what the file holds: each of its bytes becomes a byte once, and a part of a number once. */
  private count(made: unknown): void {
    this.made += made instanceof Uint8Array ? made.length : made instanceof PickledArray ? (made.array?.byteLength ?? 0) : 0;
    if (this.made > 2 * this.data.length) {
      throw new RefusedError("it makes more numbers than it has bytes");
    }
  }
}

function setItems(target: unknown, items: readonly unknown[]): void {
  if (!(target instanceof PickledDict) || items.length % 2 !== 0) {
    throw new RefusedError("it sets a key of a value that is not a dict");
  }
  for (let k = 0; k < items.length; k += 2) {
    const key = items[k];
    const parts = key instanceof PickledTuple ? key.members : [key];
    if (
      parts.length > MOST_KEY_PARTS ||
      !parts.every((part) => part === null || ["string", "number", "bigint", "boolean"].includes(typeof part))
    ) {
      throw new RefusedError("a key is neither a text, a number, nor a short tuple of them");
    }
    target.items.push([key, items[k + 1]]);
  }
}
