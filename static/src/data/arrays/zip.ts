/** Writes a zip file whose entries are stored as they are. */

import { crc32 } from "./codec";

export interface ZipEntry {
  /** In ASCII or UTF-8, with `/` between folders. */
  name: string;
  content: string;
}

/** The first of January 1980, the first day that a zip file can name: the same entries give the same bytes. */
const DATE = 0x21;
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x800;

export function zipFile(entries: readonly ZipEntry[]): Blob {
  const encoder = new TextEncoder();
  const local: Uint8Array<ArrayBuffer>[] = [];
  const central: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const [nameBytes, bytes] = [encoder.encode(name) as Uint8Array<ArrayBuffer>, encoder.encode(content) as Uint8Array<ArrayBuffer>];
    // What both headers have: version, flags, method, time, date, checksum, sizes, length of the name, and no more.
    const common = numbers(
      [VERSION, 2],
      [FLAGS, 2],
      [0, 2],
      [0, 2],
      [DATE, 2],
      [crc32(bytes), 4],
      [bytes.length, 4],
      [bytes.length, 4],
      [nameBytes.length, 2],
      [0, 2],
    );
    local.push(numbers([0x04034b50, 4]), common, nameBytes, bytes);
    central.push(numbers([0x02014b50, 4], [VERSION, 2]), common, numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), nameBytes);
    offset += 4 + common.length + nameBytes.length + bytes.length;
  }
  const size = central.reduce((sum, part) => sum + part.length, 0);
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], [entries.length, 2], [entries.length, 2], [size, 4], [offset, 4], [0, 2]);
  return new Blob([...local, ...central, end], { type: "application/zip" });
}

/** Numbers with their bytes, little-endian. */
function numbers(...fields: readonly (readonly [value: number, bytes: number])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(fields.flatMap(([value, bytes]) => Array.from({ length: bytes }, (_, k) => (value >>> (8 * k)) & 0xff)));
}
