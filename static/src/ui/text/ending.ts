/** How a run ended, in words. */

import { stepInWords } from "../../data/format/steps";
import type { RunOverview } from "../../data/format/types";
import { grouped } from "./format";

/** How it ended; empty where that is not known. */
export function endingText({ ending, error, error_step: step, between_steps: isBetween }: RunOverview): string {
  switch (ending) {
    case "exception":
      return `ended by ${error || "an exception"} ${step === null ? "before the first step" : `${isBetween ? "after" : "in"} ${stepInWords(step, grouped)}`}`;
    case "running":
      return "still running at export";
    case "killed":
      return "killed, or it ended without finalize()";
    case "finished":
      return "finished";
    case "":
      return "";
  }
}

/** The same with the kind of an exception only, for lists. */
export function briefEnding(run: RunOverview): string {
  return endingText({ ...run, error: run.error.split(":", 1)[0]! });
}

/** Whether it is known that it ended before its time. */
export function endedEarly({ ending }: RunOverview): boolean {
  return ending === "exception" || ending === "killed";
}
