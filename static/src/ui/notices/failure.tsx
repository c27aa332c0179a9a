/** Takes the place of what could not be loaded, and says what to do. */

import { MissingChunkError } from "../../data/format/errors";
import type { Store } from "../../state/store";
import { Button } from "../controls/button";

interface Props {
  store: Store;
  error: Error;
  /** What is not here: "the values". */
  what: string;
}

export function Failure({ store, error, what }: Props) {
  return (
    <div class="failure" role="alert" data-testid="failure">
      <h2>Could not load {what}</h2>
      <p>{error.message}</p>
      {error instanceof MissingChunkError && error.inFolder && <p>{adviceFor(window.location.href)}</p>}
      <Button onClick={() => store.retry()}>Try again</Button>
    </div>
  );
}

/** What is most probably wrong, judged by where the page lies. */
export function adviceFor(address: string): string {
  const path = decodeURIComponentSafely(address.split("#")[0] ?? "");
  if (/\.zip([/\\]|$)/i.test(path)) {
    return "This page was opened inside a zip file. Extract the whole zip first, then open index.html in the extracted folder.";
  }
  if (/[/\\](temp|tmp)[/\\]/i.test(path)) {
    return "This page is in a temporary folder, probably inside a zip file. Extract the whole zip first, then open index.html there.";
  }
  return "The folder \u201cdata\u201d must lie beside index.html. If the page was copied or sent on, copy the whole folder.";
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
