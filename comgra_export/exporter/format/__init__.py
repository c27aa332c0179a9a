"""The JSON of a bundle, as types. The viewer has the same types in `static/src/data/format/types.ts`.

Letters: `T` recorded steps of a trial, `C` chunks. A *position* (marked S in the specification) is an index into `strings`.
"""
