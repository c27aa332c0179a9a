/** What tabs have in common that show a document of the trial: wait for it, or say why it is not there. */

import type { ComponentChildren } from "preact";
import type { Bundle, Loaded } from "../../data/bundle";
import type { Trial } from "../../data/format/types";
import type { Store } from "../../state/store";
import { NotReady } from "./loading";

interface Props<T> {
  store: Store;
  read: (bundle: Bundle, trial: Trial) => Loaded<T>;
  what: string;
  children: (value: T, trial: Trial) => ComponentChildren;
}

export function DocumentView<T>({ store, read, what, children }: Props<T>) {
  // Read so that this is rendered again when something has arrived.
  void store.version.value;
  const trial = store.trial.value;
  if (trial === undefined) {
    return <p class="empty">This page holds no trial.</p>;
  }
  const loaded = read(store.bundle, trial);
  return loaded.state === "ready" ? children(loaded.value, trial) : <NotReady store={store} loaded={loaded} what={what} />;
}
