/** A file of another tool is not what that tool writes, or asks for too much. The message is for the reader of the page. */
export class ForeignDataError extends Error {
  override name = "ForeignDataError";
}

/** What a pickle asks for is not done. The message is the rest of a sentence that begins with where it is. */
export class RefusedError extends Error {
  override name = "RefusedError";
}
