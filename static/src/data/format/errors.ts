/** Something in the bundle is not as the format says. The message is meant for the reader of the page. */
export class DamagedBundleError extends Error {
  override name = "DamagedBundleError";
}

/** The bundle was written by a newer version. */
export class NewerBundleError extends Error {
  override name = "NewerBundleError";
}

/** A chunk is not where it should be: the page was cut off, or, with `inFolder`, the data folder is missing. */
export class MissingChunkError extends Error {
  override name = "MissingChunkError";

  constructor(
    message: string,
    readonly inFolder: boolean,
  ) {
    super(message);
  }
}

/** What went wrong, in words, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
