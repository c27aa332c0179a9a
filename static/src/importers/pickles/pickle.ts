/**
 * Reads a pickle that may be hostile: numbers, texts, arrays and containers of them come out, and nothing else can.
 *
 * A pickle is a program for a small stack machine, and Python's own reader lets it call whatever it names. This reader knows the
 * instructions that build plain data, and the names that numpy uses for arrays. Any other is refused where it stands. It is the same as
 * `comgra_export/importers/pickles/reader.py`. What a pickle builds by referring to one thing again and again is counted each time, so that
 * memory stays within a fixed multiple of the file.
 */

import { ForeignDataError, RefusedError } from "./errors";
import { PickledArray, PickledDict, PickledTuple } from "./pickle_globals";
import { INSTRUCTIONS, STOP } from "./pickle_instructions";
import { PickleMachine } from "./pickle_machine";

const MOST_DEPTH = 64;
/** Containers and arrays that are referred to several times are legitimate, but not without end. */
const MOST_GROWTH = 16;

/**
 * Reads a pickle of any protocol from 0 to 5; what comes after its end is ignored, as Python does. `file` is how messages name it.
 *
 * Returns null, booleans, numbers, bigints (integers beyond 2^53), texts, `NumpyArray` (of scalars too), lists, `PickledTuple` and
 * `PickledDict` of these. Throws `ForeignDataError`.
 */
export function readPickle(data: Uint8Array<ArrayBuffer>, file: string): unknown {
  const machine = new PickleMachine(data);
  try {
    return new Result(MOST_GROWTH * data.length + 1024).of(run(machine), 0);
  } catch (error) {
    if (error instanceof RefusedError) {
      throw new ForeignDataError(`${file} is not read: at byte ${machine.data.at}, ${error.message}.`);
    }
    throw error;
  }
}

function run(machine: PickleMachine): unknown {
  for (;;) {
    const code = machine.data.instruction();
    if (code === STOP) {
      return machine.end();
    }
    const follow = INSTRUCTIONS.get(code);
    if (follow === undefined) {
      throw new RefusedError(`it has the instruction 0x${code.toString(16).padStart(2, "0")}, which data of numbers has no use for`);
    }
    follow(machine);
  }
}

/** Makes what comes out of what the machine has built: counts it, bounds its depth, and puts finished arrays into their places. */
class Result {
  constructor(private left: number) {}

  of(value: unknown, depth: number): unknown {
    if (depth > MOST_DEPTH) {
      throw new RefusedError(`it holds containers within one another, more than ${MOST_DEPTH} deep or in a circle`);
    }
    this.left -= 1 + (value instanceof PickledArray ? (value.array?.byteLength ?? 0) : 0);
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
