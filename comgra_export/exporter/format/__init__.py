"""The JSON of a bundle, as types that mirror those of the viewer in `static/src/data/format/types.ts`."""

# Letters: `T` recorded steps of a trial, `C` chunks. A *position* (marked S in the specification) is an index into `strings`.
