import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { crc32, decodeChunk, fromBase64, fromBase64WithLoop, unshuffle } from "../../../src/data/arrays/codec";

const RAW = new TextEncoder().encode("123456789");
/** CRC-32 of "123456789", the check value of the standard. */
const CRC = 0xcbf43926;

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

const stored = { bytes: 9, crc32: CRC, codec: 0, width: 1 };
const deflated = { ...stored, codec: 1 };

describe("crc32", () => {
  it("is the standard's", () => {
    expect(crc32(RAW)).toBe(CRC);
    expect(crc32(new Uint8Array(0))).toBe(0);
    expect(crc32(new TextEncoder().encode("The quick brown fox jumps over the lazy dog"))).toBe(0x414fa339);
  });
});

describe("base64", () => {
  it("decodes the same with and without the browser's help", () => {
    const bytes = Uint8Array.from({ length: 257 }, (_, k) => (k * 7) % 256);
    expect(fromBase64(base64(bytes))).toEqual(bytes);
    expect(fromBase64WithLoop(base64(bytes))).toEqual(bytes);
  });

  it("refuses what is not base64", () => {
    expect(() => fromBase64("a*b")).toThrow("not valid base64");
  });
});

describe("unshuffle", () => {
  it("puts the bytes of every element together again", () => {
    expect([...unshuffle(Uint8Array.of(1, 3, 5, 2, 4, 6), 2)]).toEqual([1, 2, 3, 4, 5, 6]);
    expect([...unshuffle(Uint8Array.of(1, 5, 2, 6, 3, 7, 4, 8), 4)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe("decodeChunk", () => {
  it("decodes stored and deflated chunks", async () => {
    await expect(decodeChunk(base64(RAW), stored)).resolves.toEqual(RAW);
    await expect(decodeChunk(base64(deflateRawSync(RAW)), deflated)).resolves.toEqual(RAW);
  });

  it("decodes an empty chunk", async () => {
    await expect(decodeChunk("", { bytes: 0, crc32: 0, codec: 0, width: 4 })).resolves.toEqual(new Uint8Array(0));
  });

  it("refuses a wrong checksum", async () => {
    await expect(decodeChunk(base64(RAW), { ...stored, crc32: 1 })).rejects.toThrow("checksum");
  });

  it("refuses a chunk that is shorter or longer than announced", async () => {
    await expect(decodeChunk(base64(RAW), { ...stored, bytes: 8 })).rejects.toThrow("9 bytes instead of 8");
    await expect(decodeChunk(base64(deflateRawSync(RAW)), { ...deflated, bytes: 10 })).rejects.toThrow("9 bytes instead of 10");
    await expect(decodeChunk(base64(deflateRawSync(RAW)), { ...deflated, bytes: 8 })).rejects.toThrow("more than 8 bytes");
  });

  it("stops at the announced length when a stream expands a thousandfold", async () => {
    const bomb = base64(deflateRawSync(new Uint8Array(50_000_000)));
    await expect(decodeChunk(bomb, { ...deflated, bytes: 100 })).rejects.toThrow("more than 100 bytes");
  });

  it("refuses what cannot be decompressed", async () => {
    await expect(decodeChunk(base64(Uint8Array.of(255, 255, 255)), deflated)).rejects.toThrow("cannot be decompressed");
    await expect(decodeChunk(base64(deflateRawSync(RAW).subarray(0, 4)), deflated)).rejects.toThrow();
  });
});
