/** Takes the place of what is not loaded. */

import type { Loaded } from "../../data/bundle";
import type { Store } from "../../state/store";
import { Failure } from "./failure";

interface Props {
  store: Store;
  loaded: Exclude<Loaded<unknown>, { state: "ready" }>;
  /** What is not here: "the values". */
  what: string;
}

export function NotReady({ store, loaded, what }: Props) {
  return loaded.state === "failed" ? <Failure store={store} error={loaded.error} what={what} /> : <Loading />;
}

export function Loading() {
  return (
    <p class="empty" role="status">
      {"Loading\u2026"}
    </p>
  );
}
