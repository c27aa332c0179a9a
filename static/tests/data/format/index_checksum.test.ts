import { describe, expect, it } from "vitest";
import { parseIndex } from "../../../src/data/format/bundle_index";
import { checkChecksum, withChecksum, withoutChecksum } from "../../../src/data/format/index_checksum";

// The CRC-32 of the nine digits is the check value that its definition names.
const DIGITS = "123456789";
const CRC_OF_DIGITS = 0xcbf43926;

describe("the checksum of an index", () => {
  it("is the CRC-32 of what comes before it", () => {
    expect(withChecksum(`${DIGITS}}`)).toBe(`${DIGITS},"crc32":${CRC_OF_DIGITS}}`);
    expect(withoutChecksum(`${DIGITS},"crc32":${CRC_OF_DIGITS}}\n`)).toBe(`${DIGITS}}`);
  });

  it("is not needed in a page of an earlier exporter", () => {
    expect(() => checkChecksum('{"strings":[]}')).not.toThrow();
    expect(withoutChecksum('{"strings":[]}')).toBe('{"strings":[]}');
  });

  it("shows every changed letter", () => {
    const json = withChecksum('{"title":"A run","steps":[1,2,30]}');
    for (let at = 0; at < json.indexOf(',"crc32"'); at++) {
      const changed = `${json.slice(0, at)}${json[at] === "7" ? "8" : "7"}${json.slice(at + 1)}`;
      expect(() => parseIndex(changed), changed).toThrow("its checksum is wrong");
    }
  });
});
