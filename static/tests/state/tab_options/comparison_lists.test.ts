import { describe, expect, it } from "vitest";
import { readListOptions, writeListOptions } from "../../../src/state/tab_options/comparison_lists";

const USUAL = {
  statistic: null,
  tolerance: 1e-5,
  isByOrder: true,
  trialStatistic: null,
  trialOrder: "trial",
  isDescending: false,
};

describe("the lists of a comparison in the address", () => {
  it("are read as they were written", () => {
    const options = {
      statistic: "a,b%",
      tolerance: 1e-6,
      isByOrder: false,
      trialStatistic: "s.std",
      trialOrder: "value",
      isDescending: true,
    } as const;
    expect(readListOptions(writeListOptions(options)!)).toEqual(options);
    expect(readListOptions("t0")).toEqual({ ...USUAL, tolerance: 0 });
  });

  it("are as usual where the address has nothing of them, or nothing that is understood", () => {
    expect(readListOptions(undefined)).toEqual(USUAL);
    expect(readListOptions("s.,t7,of.,by.x,,up")).toEqual(USUAL);
    expect(writeListOptions(readListOptions(undefined))).toBeNull();
  });
});
