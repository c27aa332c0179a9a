import { describe, expect, it } from "vitest";
import { namesNothing, readLink, TABS, writeLink } from "../../../src/state/address/url";
import { NO_OPTIONS, withOption } from "../../../src/state/address/view_options";
import type { Selection } from "../../../src/state/selection/selection";

/** A generator of repeatable random numbers below `limit` (xorshift). */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

const PIECES = [
  "a",
  "net.0.weight",
  " ",
  "&",
  "=",
  "#",
  "%",
  "%zz",
  "+",
  "/",
  "?",
  "\u00e9",
  "\u6f22",
  "\ud83d\ude00",
  "<script>",
  '"',
  "'",
  "*old",
  "__",
  "\n",
  "\u0000",
];

function randomText(next: (limit: number) => number): string {
  return Array.from({ length: next(6) }, () => PIECES[next(PIECES.length)]).join("");
}

describe("links", () => {
  it("are readable", () => {
    const selection = {
      trial: "run 1",
      rank: "",
      recording: "forward",
      stepType: "any_value",
      step: 1200,
      iteration: 4,
      node: "h",
      role: "h",
      aggregation: "sample_3",
    };
    expect(writeLink("tensors", selection)).toBe(
      "v=1&tab=tensors&trial=run%201&rec=forward&type=any_value&step=1200&it=4&node=h&role=h&agg=sample_3",
    );
    expect(writeLink("tensors", { ...selection, rank: "all" })).toContain("&trial=run%201&rank=all&rec=forward&");
    expect(writeLink("notes", null)).toBe("v=1&tab=notes");
  });

  it("name every view exactly, whatever the names are", () => {
    const next = randomNumbers(7);
    for (let k = 0; k < 500; k++) {
      const text = () => randomText(next);
      const selection: Selection = {
        trial: text(),
        rank: `r${text()}`,
        recording: text(),
        stepType: text(),
        step: next(1e9),
        iteration: next(1000),
        node: text(),
        role: text(),
        aggregation: text(),
      };
      const tab = TABS[next(TABS.length)]!;
      expect(readLink(`#${writeLink(tab, selection)}`)).toEqual({ tab, selection });
    }
  });

  it("of the former Findings tab lead to the overview", () => {
    expect(readLink("#v=1&tab=findings&trial=a")).toEqual({ tab: "overview", selection: { trial: "a" } });
  });

  it("name nothing where neither a tab nor what it shows is named", () => {
    const named = ["v=1", "v=1&tab=secret", "v=1&tab=notes", "v=1&step=3", "v=1&pane=time"];
    expect(named.map((link) => namesNothing(readLink(link)!))).toEqual([true, true, false, false, false]);
  });

  it("replace half a character pair, which an address cannot hold", () => {
    const selection = {
      trial: "a\ud800b",
      rank: "0",
      recording: "",
      stepType: "",
      step: 0,
      iteration: 0,
      node: "\udc00",
      role: "\ud83d\ude00",
      aggregation: "",
    };
    expect(readLink(writeLink("tensors", selection))?.selection).toMatchObject({ trial: "a\ufffdb", node: "\ufffd", role: "\ud83d\ude00" });
  });

  it("say how things are shown, behind what is selected", () => {
    const selection = {
      trial: "a",
      rank: "0",
      recording: "forward",
      stepType: "any_value",
      step: 0,
      iteration: 0,
      node: "h",
      role: "h",
      aggregation: "sample_3",
    };
    const view = withOption(withOption(NO_OPTIONS, "color", "abs mean"), "pane", "picture");
    expect(writeLink("tensors", selection, view)).toMatch(/&agg=sample_3&pane=picture&color=abs%20mean$/);
    expect(readLink(writeLink("tensors", selection, view))).toEqual({
      tab: "tensors",
      selection,
      view: new Map([
        ["pane", "picture"],
        ["color", "abs mean"],
      ]),
    });
    expect(writeLink("tensors", selection, withOption(withOption(view, "pane", null), "color", null))).toBe(
      writeLink("tensors", selection),
    );
  });

  it("are read as far as they are understood", () => {
    expect(readLink("#v=1&step=12&it=-1&node=%E0%A4%A&role=ok&tab=secret&unknown=1&step")).toEqual({ selection: { step: 12, role: "ok" } });
    expect(readLink("v=1&step=1e5&it=007")).toEqual({ selection: {} });
    expect(readLink("v=1&step=99999999999999999999")).toEqual({ selection: {} });
  });

  it.each(["", "#", "#about", "v=2&tab=notes", "tab=notes", "#v=%"])("ignore what is not ours: %j", (hash) => {
    expect(readLink(hash)).toBeNull();
  });

  it("never throw on garbage", () => {
    const next = randomNumbers(99);
    for (let k = 0; k < 2000; k++) {
      const garbage = Array.from({ length: next(40) }, () => String.fromCharCode(next(k % 2 ? 128 : 65536))).join("");
      expect(() => readLink(garbage)).not.toThrow();
      expect(() => readLink(`v=1&${garbage}`)).not.toThrow();
    }
  });
});
