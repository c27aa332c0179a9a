import type { RunOverview } from "../../src/data/format/types";

/** A run that finished, as the overview shows it. */
export const RUN: RunOverview = {
  started: "2026-01-02T03:04:05Z",
  seconds: 92.6,
  ending: "finished",
  error: "",
  error_step: null,
  between_steps: false,
  trained: 1219,
  recorded: 35,
  parameters: 4801,
  trainable: 4801,
  devices: ["cuda"],
  dtypes: ["F32", "BF16"],
  optimizers: [],
  config: [],
};
