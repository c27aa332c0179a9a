/** Puts data together as a page holds it, so that it is read in the same way. `docs/bundle-format.md` says what this writes. */

import { crc32 } from "../../data/arrays/codec";
import { parseIndex } from "../../data/format/bundle_index";
import { DamagedBundleError } from "../../data/format/errors";
import { CHUNK_BYTES, FORMAT, type LaneWidth, VERSION } from "../../data/format/types";
import type { ReportFile } from "../../data/report_file";

export class BundleWriter {
  private readonly chunks: { bytes: Uint8Array<ArrayBuffer>; width: number }[] = [];
  private readonly strings = new Map<string, number>();

  /** The position of a text. */
  text(text: string): number {
    const position = this.strings.get(text) ?? this.strings.size;
    this.strings.set(text, position);
    return position;
  }

  /** The number of the chunk that holds a document. Numbers that JSON does not have are written as texts. */
  document(content: unknown): number {
    const json = JSON.stringify(content, (_, value: unknown) =>
      typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
    );
    return this.chunks.push({ bytes: new TextEncoder().encode(json) as Uint8Array<ArrayBuffer>, width: 1 }) - 1;
  }

  /** The number of the first chunk of a lane; -1 where it is empty. */
  lane(parts: readonly Uint8Array<ArrayBuffer>[], width: LaneWidth, chunkBytes = CHUNK_BYTES): number {
    const whole = joined(parts);
    const first = this.chunks.length;
    for (let at = 0; at < whole.length; at += chunkBytes) {
      this.chunks.push({ bytes: whole.subarray(at, at + chunkBytes), width });
    }
    return whole.length === 0 ? -1 : first;
  }

  /** The whole. `parts` are those members of the index that this writer does not know. */
  finish(parts: Record<string, unknown>): ReportFile {
    const { chunks } = this;
    const index = parseIndex(
      JSON.stringify({
        format: FORMAT,
        version: VERSION,
        content_digest: "",
        ...parts,
        strings: [...this.strings.keys()],
        chunks: {
          bytes: chunks.map(({ bytes }) => bytes.length),
          crc32: chunks.map(({ bytes }) => crc32(bytes)),
          codec: chunks.map(() => 0),
          width: chunks.map(({ width }) => width),
          inline: chunks.map(() => 1),
        },
      }),
    );
    const read = async (id: number): Promise<string> => {
      const chunk = chunks[id];
      if (chunk === undefined) {
        throw new DamagedBundleError("There is no such part of the data.");
      }
      return toBase64(shuffle(chunk.bytes, chunk.width));
    };
    return { index, read };
  }
}

/** Groups bytes by their place within an element. */
function shuffle(raw: Uint8Array<ArrayBuffer>, width: number): Uint8Array<ArrayBuffer> {
  const elements = raw.length / width;
  const shuffled = new Uint8Array(raw.length);
  for (let byte = 0; byte < width; byte++) {
    for (let k = 0; k < elements; k++) {
      shuffled[byte * elements + k] = raw[k * width + byte]!;
    }
  }
  return shuffled;
}

const SLICE = 8192;

function toBase64(bytes: Uint8Array<ArrayBuffer>): string {
  const parts: string[] = [];
  for (let k = 0; k < bytes.length; k += SLICE) {
    parts.push(String.fromCharCode(...bytes.subarray(k, k + SLICE)));
  }
  return btoa(parts.join(""));
}

/** Bytes behind one another. */
export function joined(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
