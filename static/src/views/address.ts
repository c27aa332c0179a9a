/** Keeps the part of the address behind `#` and the state together, in pages of every kind. */

import { effect } from "@preact/signals";
import type { Store } from "../state/store";
import { readLink, writeLink } from "../state/url";

/** Browsers object to an address that changes more often than about three times a second. */
const WRITE_EVERY_MILLISECONDS = 350;

/** Opens what the address names, follows it, and writes what is shown. */
export function startAddress(store: Store): void {
  /** What the address was when it was last read or written; anything else has come from outside since. */
  let known = "";
  const open = (): boolean => {
    const hash = window.location.hash;
    const link = hash === known ? null : readLink(hash);
    known = hash;
    if (link === null) {
      return false;
    }
    store.open(link);
    return true;
  };
  if (!open()) {
    store.open({ selection: {} });
  }
  window.addEventListener("hashchange", open);

  let lastWrite = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const pending = store.pending.value;
    const selection = store.shown.value === null && pending?.error === null ? null : store.selection.value;
    const tab = store.tab.value;
    if (selection === null || (pending !== null && pending.error === null)) {
      return;
    }
    const hash = `#${writeLink(tab, selection)}`;
    clearTimeout(timer);
    const write = (): void => {
      if (window.location.hash !== known) {
        return; // A link has come that is about to be followed.
      }
      lastWrite = Date.now();
      replaceHash(hash);
      known = window.location.hash;
    };
    const wait = lastWrite + WRITE_EVERY_MILLISECONDS - Date.now();
    if (wait <= 0) {
      write();
    } else {
      timer = setTimeout(write, wait);
    }
  });
}

/** A page inside another page may be forbidden to touch its history, or its address at all. */
function replaceHash(hash: string): void {
  try {
    history.replaceState(null, "", hash);
  } catch {
    try {
      window.location.hash = hash;
    } catch {
      // Then the address stays as it is.
    }
  }
}
