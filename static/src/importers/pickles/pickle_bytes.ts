/** The bytes of a pickle, and the numbers and texts in them. Throws `RefusedError` for what Python would not write. */

import { RefusedError } from "./errors";
import { latin1 } from "./pickle_globals";

/** Letters of a name, which is longer than any that numpy has. */
export const LONGEST_NAME = 200;

const MOST_PROTOCOL = 5;
const MOST_DIGITS = 40;
const CUT_OFF = "it ends in the middle; it may have been cut off";

export class PickleBytes {
  /** Where the instruction begins that is being followed. */
  at = 0;
  private next = 0;
  private readonly view: DataView;

  constructor(private readonly data: Uint8Array<ArrayBuffer>) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  get length(): number {
    return this.data.length;
  }

  /** The code of the next instruction. */
  instruction(): number {
    this.at = this.next;
    return this.integer(1);
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

  /** A line with an integer, and perhaps an L behind it. */
  textLong(): number | bigint {
    return integerOf(this.line(MOST_DIGITS).replace(/L$/, ""));
  }

  /** A place in the memo, as protocol 0 writes it. */
  place(): number {
    const place = integerOf(this.line(MOST_DIGITS));
    return typeof place === "number" ? place : -1;
  }

  textFloat(): number {
    const line = this.line(MOST_DIGITS);
    const special = new Map([
      ["nan", NaN],
      ["inf", Infinity],
      ["-inf", -Infinity],
    ]).get(line);
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
    return line.slice(1, -1).replace(/\\(x[0-9a-fA-F]{2}|.|$)/gs, (_, code: string) => unescaped(code));
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

  /** Bytes behind their number, which has `size` bytes itself. */
  octets(size: number): Uint8Array<ArrayBuffer> {
    return this.take(this.integer(size));
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

function unescaped(code: string): string {
  if (code.length === 3) {
    return String.fromCharCode(parseInt(code.slice(1), 16));
  }
  const character = new Map([
    ["n", "\n"],
    ["r", "\r"],
    ["t", "\t"],
    ["\\", "\\"],
    ["'", "'"],
    ['"', '"'],
  ]).get(code);
  if (character === undefined) {
    throw new RefusedError("a text has an escape that Python does not write");
  }
  return character;
}
