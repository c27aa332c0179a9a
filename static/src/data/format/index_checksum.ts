/** The checksum of an index, which is its last member: the CRC-32 of the ASCII before that member. */

import { crc32 } from "../arrays/codec";
import { DamagedBundleError } from "./errors";

const MEMBER = /,"crc32":(\d{1,10})\}\s*$/;
/** The member is in the last letters. */
const LETTERS = 64;

/** Adds its checksum to the JSON of an index without one. */
export function withChecksum(json: string): string {
  const before = json.slice(0, -1);
  return `${before},"crc32":${checksumOf(before)}}`;
}

/** Throws `DamagedBundleError` if an index has another checksum than it says. Earlier exporters wrote none. */
export function checkChecksum(json: string): void {
  const end = json.slice(-LETTERS);
  const member = MEMBER.exec(end);
  if (member !== null && checksumOf(json.slice(0, json.length - end.length + member.index)) !== Number(member[1])) {
    throw new DamagedBundleError("its checksum is wrong.");
  }
}

/** An index without its checksum, if it has one. */
export function withoutChecksum(json: string): string {
  const end = json.slice(-LETTERS);
  const member = MEMBER.exec(end);
  return member === null ? json : `${json.slice(0, json.length - end.length + member.index)}}`;
}

function checksumOf(text: string): number {
  return crc32(new TextEncoder().encode(text));
}
