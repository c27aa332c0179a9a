/** One chunk, from base64 to the bytes that the exporter packed. */

import { DamagedBundleError } from "../format/errors";

/** What the index says about a chunk. */
interface ChunkDescription {
  bytes: number;
  crc32: number;
  codec: number;
  width: number;
}

/** `Uint8Array.fromBase64`, which not every supported browser has yet. */
type FromBase64 = (text: string) => Uint8Array<ArrayBuffer>;

/**
 * Decodes a chunk and checks its length and CRC-32.
 *
 * Throws `DamagedBundleError`, which says what is wrong without naming the chunk.
 */
export async function decodeChunk(base64: string, description: ChunkDescription): Promise<Uint8Array<ArrayBuffer>> {
  const packed = fromBase64(base64);
  const shuffled = description.codec === 1 ? await inflate(packed, description.bytes) : packed;
  if (shuffled.length !== description.bytes) {
    throw new DamagedBundleError(`it has ${shuffled.length} bytes instead of ${description.bytes}`);
  }
  const raw = unshuffle(shuffled, description.width);
  if (crc32(raw) !== description.crc32) {
    throw new DamagedBundleError("its checksum is wrong");
  }
  return raw;
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?: FromBase64 }).fromBase64;
  try {
    return native === undefined ? fromBase64WithLoop(text) : native.call(Uint8Array, text);
  } catch {
    throw new DamagedBundleError("it is not valid base64");
  }
}

/** What older browsers use. A callback per character would be some seventy times as slow. */
export function fromBase64WithLoop(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) {
    bytes[k] = binary.charCodeAt(k);
  }
  return bytes;
}

/** Bytes that are inflated at a time: what they claim to contain is held all at once. */
const SLICE_BYTES = 65536;

/** The stream of a `Blob` would do, but takes its bytes through another process. */
function inSlices(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let start = 0;
  return new ReadableStream({
    pull(controller) {
      if (start < bytes.length) {
        controller.enqueue(bytes.subarray(start, start + SLICE_BYTES));
        start += SLICE_BYTES;
      } else {
        controller.close();
      }
    },
  });
}

/** Inflates raw deflate. Never holds more than `length` bytes, whatever the stream claims to contain. */
export async function inflate(packed: Uint8Array<ArrayBuffer>, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const raw = new Uint8Array(length);
  const reader = inSlices(packed).pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  let filled = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return filled === length ? raw : raw.subarray(0, filled);
      }
      if (filled + value.length > length) {
        void reader.cancel().catch(() => undefined);
        break;
      }
      raw.set(value, filled);
      filled += value.length;
    }
  } catch {
    throw new DamagedBundleError("it cannot be decompressed");
  }
  throw new DamagedBundleError(`it has more than ${length} bytes`);
}

/** Undoes the grouping of bytes by their place within an element. */
export function unshuffle(shuffled: Uint8Array<ArrayBuffer>, width: number): Uint8Array<ArrayBuffer> {
  if (width === 1) {
    return shuffled;
  }
  const elements = shuffled.length / width;
  if (width === 4) {
    return unshuffleFours(shuffled, elements);
  }
  const raw = new Uint8Array(shuffled.length);
  for (let byte = 0; byte < width; byte++) {
    const start = byte * elements;
    for (let k = 0, target = byte; k < elements; k++, target += width) {
      raw[target] = shuffled[start + k] as number;
    }
  }
  return raw;
}

/** For the width that most numbers have: whole elements at once take half the time of byte after byte. */
function unshuffleFours(shuffled: Uint8Array<ArrayBuffer>, elements: number): Uint8Array<ArrayBuffer> {
  const raw = new Uint32Array(elements);
  const [second, third, fourth] = [elements, 2 * elements, 3 * elements];
  for (let k = 0; k < elements; k++) {
    raw[k] = shuffled[k]! | (shuffled[second + k]! << 8) | (shuffled[third + k]! << 16) | (shuffled[fourth + k]! << 24);
  }
  return new Uint8Array(raw.buffer);
}

const CRC_TABLES = crcTables();

/** Eight tables, with which CRC-32 is computed over eight bytes at a time ("slicing by eight"). */
function crcTables(): Uint32Array[] {
  const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
  const [first] = tables as [Uint32Array];
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) {
      remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
    }
    first[byte] = remainder;
  }
  for (let t = 1; t < 8; t++) {
    const [before, table] = [tables[t - 1] as Uint32Array, tables[t] as Uint32Array];
    for (let byte = 0; byte < 256; byte++) {
      const remainder = before[byte] as number;
      table[byte] = (remainder >>> 8) ^ (first[remainder & 255] as number);
    }
  }
  return tables;
}

/** CRC-32 as in zip and PNG, as an unsigned number. */
export function crc32(bytes: Uint8Array<ArrayBuffer>): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = CRC_TABLES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length - (bytes.length % 8);
  let crc = 0xffffffff;
  let k = 0;
  for (; k < whole; k += 8) {
    const low = crc ^ view.getUint32(k, true);
    const high = view.getUint32(k + 4, true);
    crc =
      t7![low & 255]! ^
      t6![(low >>> 8) & 255]! ^
      t5![(low >>> 16) & 255]! ^
      t4![low >>> 24]! ^
      t3![high & 255]! ^
      t2![(high >>> 8) & 255]! ^
      t1![(high >>> 16) & 255]! ^
      t0![high >>> 24]!;
  }
  for (; k < bytes.length; k++) {
    crc = (crc >>> 8) ^ t0![(crc ^ bytes[k]!) & 255]!;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
