import { describe, expect, it } from "vitest";
import type { AboutRecording, RunOverview } from "../../../src/data/format/types";
import { outcomeOf } from "../../../src/tabs/about/recordings";
import { briefEnding, endedEarly, endingText } from "../../../src/ui/text/ending";
import { RUN } from "../../support/run_overview";

describe("how a run ended", () => {
  it.each<[Partial<RunOverview>, string]>([
    [{}, "finished"],
    [{ ending: "exception", error: "RuntimeError: boom", error_step: 41 }, "ended by RuntimeError: boom in step 41"],
    [
      { ending: "exception", error: "RuntimeError: boom", error_step: 1041, between_steps: true },
      "ended by RuntimeError: boom after step 1,041",
    ],
    [{ ending: "exception", error: "", error_step: null }, "ended by an exception before the first step"],
    [{ ending: "running" }, "still running at export"],
    [{ ending: "killed" }, "killed, or it ended without finalize()"],
    [{ ending: "" }, ""],
  ])("%o", (change, text) => {
    expect(endingText({ ...RUN, ...change })).toBe(text);
  });

  it("is short in a list", () => {
    const failed: RunOverview = { ...RUN, ending: "exception", error: "RuntimeError: mat1: and mat2", error_step: 41 };
    expect(briefEnding(failed)).toBe("ended by RuntimeError in step 41");
    expect(briefEnding({ ...failed, error: "" })).toBe("ended by an exception in step 41");
    expect(briefEnding(RUN)).toBe("finished");
  });

  it("is early only where that is known", () => {
    const early = (["finished", "", "running", "killed", "exception"] as const).filter((ending) => endedEarly({ ...RUN, ending }));
    expect(early).toEqual(["killed", "exception"]);
  });
});

describe("the outcome of a recording", () => {
  const recording: AboutRecording = {
    trial: "run",
    rank: 1,
    world_size: 2,
    writer: "",
    torch_version: "",
    started: "",
    sessions: [{ first: 0, last: 39, steps: 40, closed: true }],
    left_behind: 0,
  };
  const failed: RunOverview = { ...RUN, ending: "exception", error: "RuntimeError: boom", error_step: 41 };
  const trials = [
    { name: "run", rank: null },
    { name: "run", rank: 0 },
    { name: "run", rank: 1 },
  ];

  it("is what the overview says of its rank", () => {
    expect(outcomeOf(recording, { trials, runs: [failed, RUN, failed] })).toBe("ended by RuntimeError: boom in step 41");
    expect(outcomeOf({ ...recording, rank: 0 }, { trials, runs: [failed, RUN, failed] })).toBe("finished");
  });

  it("comes from the last process where a page does not know more", () => {
    expect(outcomeOf(recording, { trials, runs: [] })).toBe("finished");
    const killed = { ...recording, sessions: [{ first: 0, last: 39, steps: 40, closed: false }] };
    expect(outcomeOf(killed, { trials, runs: [RUN, RUN, { ...RUN, ending: "" }] })).toBe("its process ended early, or was still recording");
  });
});
