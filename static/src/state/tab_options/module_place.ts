/** Which call of a module is looked into, and what is selected in it; it is in the address. */

import { batch } from "@preact/signals";
import type { Store } from "../store";

/** Stands before the name of a module that is to be found, wherever it was called first. */
const WANTED = "?";

/** Opens the tab of the modules where the first call of a module was made, and selects that. */
export function showModule(store: Store, name: string): void {
  batch(() => {
    store.tab.value = "modules";
    lookInto(store, wantedKey(name));
  });
}

/** The key by which a module is found. */
export function wantedKey(name: string): string {
  return `${WANTED}${name}`;
}

/** The name of the module that is to be found; null where the key names a call. */
export function wantedModule(key: string): string | null {
  return key.startsWith(WANTED) ? key.slice(WANTED.length) : null;
}

/** Looks into a call, where something of it may be selected. */
export function lookInto(store: Store, key: string, selected: string | null = null): void {
  batch(() => {
    store.setView("module", key);
    store.setView("at", selected);
  });
}
