/** Decoded chunks: loaded on request, kept while there is room. */

import { DamagedBundleError, MissingChunkError, messageOf } from "../format/errors";
import type { ChunkTable } from "../format/types";
import { decodeChunk } from "./codec";

/** Bytes of decoded chunks that are kept. */
const CACHE_BYTES = 256 * 1024 * 1024;

const PARALLEL_LOADS = 4;

interface ChunkOptions {
  table: ChunkTable;
  /** Gives the base64 of a chunk. */
  read: (id: number) => Promise<string>;
  /** Called when a chunk has arrived or failed, and told whether anything waits for it: a chunk that is read ahead changes nothing in sight. */
  onChange: (isAwaited: boolean) => void;
  capacity?: number;
}

interface Awaiting {
  resolve: (bytes: Uint8Array<ArrayBuffer>) => void;
  reject: (error: Error) => void;
}

/**
 * A cache from which views read without waiting: `peek` gives what is there, `request` asks for what is not, and `onChange` says when
 * to look again. The least recently used chunks are dropped first.
 */
export class ChunkStore {
  private readonly loaded = new Map<number, Uint8Array<ArrayBuffer>>();
  private readonly failed = new Map<number, Error>();
  private readonly waiting = new Set<number>();
  private readonly running = new Set<number>();
  /** Chunks that were asked for ahead alone. */
  private readonly ahead = new Set<number>();
  private isReadingAhead = false;
  private readonly awaited = new Map<number, Awaiting[]>();
  private byIdentity: Map<number, number> | null = null;
  private size = 0;

  constructor(private readonly options: ChunkOptions) {}

  /** Takes over what an older build of the same data has loaded, and this one has too, wherever that is. */
  inherit(older: ChunkStore): void {
    for (const [id, bytes] of older.loaded) {
      const own = this.numberOf(older, id);
      // Two chunks may have the same content, and so may be the same one here.
      if (own !== undefined && !this.loaded.has(own)) {
        this.loaded.set(own, bytes);
        this.size += bytes.length;
      }
    }
  }

  /** Under which number there is a chunk of an older build of the same data here: under its own, if that is one of them. */
  numberOf(older: ChunkStore, id: number): number | undefined {
    const own = this.isSame(older, id, id) ? id : this.numbers().get(older.options.table.identity[id] ?? NaN);
    return own !== undefined && this.isSame(older, id, own) ? own : undefined;
  }

  private isSame(older: ChunkStore, id: number, own: number): boolean {
    const [table, other] = [this.options.table, older.options.table];
    return (
      table.identity[own] !== undefined &&
      (["identity", "bytes", "crc32", "width"] as const).every((key) => table[key][own] === other[key][id])
    );
  }

  /** Chunks by their identity. */
  private numbers(): ReadonlyMap<number, number> {
    this.byIdentity ??= new Map(this.options.table.identity.map((identity, id) => [identity, id]));
    return this.byIdentity;
  }

  /** The raw bytes of a chunk, if it is loaded. */
  peek(id: number): Uint8Array<ArrayBuffer> | undefined {
    const bytes = this.loaded.get(id);
    if (bytes !== undefined) {
      this.loaded.delete(id);
      this.loaded.set(id, bytes);
    }
    return bytes;
  }

  /** Why a chunk could not be loaded, if it could not. */
  failure(id: number): Error | undefined {
    return this.failed.get(id);
  }

  /** Why one of some chunks could not be loaded, if one could not. */
  failureOf(ids: Iterable<number>): Error | undefined {
    return [...ids].map((id) => this.failed.get(id)).find((error) => error !== undefined);
  }

  request(ids: Iterable<number>): void {
    for (const id of ids) {
      if (this.loaded.has(id) || this.failed.has(id)) {
        continue;
      }
      const isNew = !this.running.has(id) && !this.waiting.has(id);
      if (isNew) {
        this.waiting.add(id);
      }
      if (!this.isReadingAhead) {
        this.ahead.delete(id);
      } else if (isNew) {
        this.ahead.add(id);
      }
    }
    this.startLoads();
  }

  /** What is asked for in `act` is for later: nothing waits for it until it is asked for again. */
  readAhead(act: () => void): void {
    this.isReadingAhead = true;
    try {
      act();
    } finally {
      this.isReadingAhead = false;
    }
  }

  /** The raw bytes of a chunk once they are here, for those who compute something from them. Rejects if loading fails. */
  bytes(id: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = this.peek(id);
    const failure = this.failure(id);
    if (bytes !== undefined) {
      return Promise.resolve(bytes);
    }
    if (failure !== undefined) {
      return Promise.reject(failure);
    }
    return new Promise((resolve, reject) => {
      this.awaited.set(id, [...(this.awaited.get(id) ?? []), { resolve, reject }]);
      this.request([id]);
    });
  }

  get hasFailed(): boolean {
    return this.failed.size > 0;
  }

  /** Forgets failures, so that the next request tries again. */
  forgetFailures(): void {
    this.failed.clear();
  }

  /** Chunks asked for and not here yet. */
  get outstanding(): number {
    return this.waiting.size + this.running.size;
  }

  private startLoads(): void {
    for (const id of this.waiting) {
      if (this.running.size >= PARALLEL_LOADS) {
        return;
      }
      this.waiting.delete(id);
      this.running.add(id);
      void this.load(id);
    }
  }

  private async load(id: number): Promise<void> {
    try {
      const bytes = await this.fetchAndDecode(id);
      this.loaded.set(id, bytes);
      this.size += bytes.length;
      this.dropOldest();
      this.answer(id, ({ resolve }) => resolve(bytes));
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
      this.failed.set(id, error);
      this.answer(id, ({ reject }) => reject(error));
    }
    this.running.delete(id);
    this.startLoads();
    const isAhead = this.ahead.delete(id);
    this.options.onChange(!isAhead || this.failed.has(id));
  }

  private answer(id: number, give: (waiting: Awaiting) => void): void {
    const waiting = this.awaited.get(id) ?? [];
    this.awaited.delete(id);
    waiting.forEach(give);
  }

  private async fetchAndDecode(id: number): Promise<Uint8Array<ArrayBuffer>> {
    const { table } = this.options;
    const [bytes, crc, codec, width] = [table.bytes[id], table.crc32[id], table.codec[id], table.width[id]];
    if (bytes === undefined || crc === undefined || codec === undefined || width === undefined) {
      throw new DamagedBundleError(`The bundle refers to part ${id}, which is missing.`);
    }
    const base64 = await this.options.read(id);
    try {
      return await decodeChunk(base64, { bytes, crc32: crc, codec, width });
    } catch (error) {
      throw error instanceof MissingChunkError ? error : new DamagedBundleError(`Part ${id} of the data is damaged: ${messageOf(error)}.`);
    }
  }

  /** Keeps at least the newest chunk, even if it alone is larger than the cache. */
  private dropOldest(): void {
    const capacity = this.options.capacity ?? CACHE_BYTES;
    for (const [id, bytes] of this.loaded) {
      if (this.size <= capacity || this.loaded.size === 1) {
        return;
      }
      this.loaded.delete(id);
      this.size -= bytes.length;
    }
  }
}
