/**
 * What a bundle holds, and the checks that know it: most types are what their check returns, so that the two cannot differ.
 * `docs/bundle-format.md` is the specification; `comgra_export/exporter/format/` is the same for the exporter.
 *
 * A *position* marked S in the specification is an index into `strings`. Letters: `B` samples in the batch, `S` samples recorded one
 * by one, `N` values per sample, `A` aggregations, `I` items.
 */

export * from "./constants";
export * from "./dtypes";
export * from "./flow_types";
export * from "./index_types";
export * from "./settings";
export * from "./step_types";
export * from "./trial_types";
