import { describe, expect, it } from "vitest";
import { NewerBundleError } from "../../src/data/format/errors";
import { readReport } from "../../src/data/report_file";
import { OPENERS } from "../../src/page/opening/openers";
import { buildBundle } from "../support/bundle_fixture";

const { index, chunks } = buildBundle([]);

function page(
  json = index,
  parts: readonly string[] = chunks,
  script = `const t = '<template id="chunk-'; "<template id=\\"chunk-0\\">QUJD";`,
): string {
  const escaped = json.replaceAll("<", "\\u003c");
  const templates = parts.map((base64, id) => `<template id="chunk-${id}">${base64}</template>\n`).join("");
  return `<!doctype html><title>x</title><script type="application/json" id="bundle-index">${escaped}</script><main></main><script>${script}</script>\n${templates}</body>\n</html>\n`;
}

describe("an exported page as text", () => {
  it("gives its index and its chunks, whatever its scripts say", async () => {
    const report = readReport(page());
    expect(report.index.group).toBe("group");
    expect(await Promise.all(chunks.map((_, id) => report.read(id)))).toEqual(chunks);
    await expect(report.read(chunks.length)).rejects.toThrow("lacks a part");
  });

  it("is refused in words where it is something else, or damaged", () => {
    expect(() => readReport("<html>")).toThrow("not a page that comgra-export wrote");
    expect(() => readReport(page().slice(0, 300))).toThrow("cut off");
    expect(() => readReport(page(index, chunks.slice(1)))).toThrow("cut off");
    expect(() => readReport(page().slice(0, -40))).toThrow("cut off");
    expect(() => readReport(page(index.replace('"title":"Title"', '"title":5')))).toThrow("title should be a string");
    expect(() => readReport(page(index.replace('"version":1', '"version":2')))).toThrow(NewerBundleError);
    expect(() => readReport(page(index.replace(/"inline":\[1/, '"inline":[0')))).toThrow("the page of a folder");
  });

  it("is opened by the name of its file, one at a time", async () => {
    const file = (name: string) => ({ name, text: async () => page() }) as File;
    const [opener] = OPENERS.filter(({ accepts }) => accepts("Report.HTML"));
    expect((await opener!.open([file("Report.HTML")])).index.group).toBe("group");
    await expect(opener!.open([file("a.html"), file("b.html")])).rejects.toThrow("Drop one file");
    expect(OPENERS.some(({ accepts }) => accepts("report.zip"))).toBe(false);
  });
});
