/** Keeps the part of the address behind `#` and the state together, in pages of every kind. */

import { effect } from "@preact/signals";
import { namesNothing, namesOnlyTab, readLink, writeLink } from "../state/address/url";
import { afterFrame } from "../state/after_frame";
import { openFirstView } from "../state/loading/first_view";
import type { Store } from "../state/store";
import { decodeStory } from "../state/story/story_link";

/** Browsers object to an address that changes more often than about three times a second. */
const WRITE_EVERY_MILLISECONDS = 350;

/** Changes that follow each other so quickly, as while a slider is dragged, are one step for the browser's back button. */
const ONE_STEP_MILLISECONDS = 1000;

/** Opens what the address names, follows it, and writes what is shown, so that the browser's back button undoes changes. */
export function startAddress(store: Store): void {
  /** What the address was when it was last read or written; anything else has come from outside since. */
  let known = "";
  /** Whether the address is that of a link whose state is not written out in it yet. */
  let isFollowing = false;
  let lastWrite = -Infinity;
  const open = (): boolean => {
    const hash = window.location.hash;
    const link = hash === known ? null : readLink(hash);
    known = hash;
    if (link === null) {
      return false;
    }
    if (link.story !== undefined && link.story !== store.story.inAddress.peek()) {
      openStoryOf(store, link.story);
    }
    isFollowing = true;
    lastWrite = -Infinity;
    if (namesNothing(link) || namesOnlyTab(link)) {
      openFirstView(store, link.tab);
    } else {
      store.open(link);
    }
    return true;
  };
  if (!open()) {
    openFirstView(store);
  }
  window.addEventListener("hashchange", open);

  let cancel = (): void => undefined;
  let isWaiting = false;
  effect(() => {
    const pending = store.pending.value;
    const selection = store.shown.value === null && pending?.error === null ? null : store.selection.value;
    const tab = store.tab.value;
    if (selection === null || (pending !== null && pending.error === null)) {
      return;
    }
    const hash = `#${writeLink(tab, selection, store.view.value, store.story.inAddress.value)}`;
    cancel();
    const belongsToAddress = isFollowing || (store.isAdjusting && !isWaiting);
    const follows = isFollowing;
    isWaiting = false;
    // Until the graph shows what the link names.
    isFollowing = follows && tab === "tensors" && store.soughtNode.value !== null;
    if (hash === window.location.hash) {
      return; // The address has led here.
    }
    if (belongsToAddress && window.location.hash === known) {
      // At once, so that it takes in nothing that the reader does next. What the link led to is no step: one step back is before it.
      writeHash(hash, false);
      known = window.location.hash;
      // Where a page begins is known only when the findings are loaded.
      lastWrite = store.isFirstView ? Date.now() : lastWrite;
      return;
    }
    const write = (): void => {
      if (window.location.hash !== known) {
        return; // A link has come that is about to be followed.
      }
      isWaiting = false;
      const now = Date.now();
      const isStep = known !== "" && now - lastWrite > ONE_STEP_MILLISECONDS;
      lastWrite = now;
      writeHash(hash, isStep);
      known = window.location.hash;
    };
    isWaiting = true;
    const wait = lastWrite + WRITE_EVERY_MILLISECONDS - Date.now();
    if (wait <= 0) {
      // Browsers take some milliseconds for it.
      cancel = afterFrame(write);
    } else {
      const timer = setTimeout(write, wait);
      cancel = () => clearTimeout(timer);
    }
  });
}

/** Shows the notes of an address, unless the page has some that are nowhere else: the back button may have led here. */
function openStoryOf(store: Store, text: string): void {
  if (store.story.isUnsaved.peek() || store.story.draft.peek() !== null) {
    store.tell("This address holds notes. They are not shown, because the notes of this page are not saved yet. Save those first.");
  } else {
    void openStory(store, text);
  }
}

/** Shows the notes of an address. */
async function openStory(store: Store, text: string): Promise<void> {
  // At once, so that what is written meanwhile has it.
  store.story.inAddress.value = text;
  try {
    store.story.takeFromAddress(await decodeStory(text), text);
  } catch {
    store.story.inAddress.value = null;
    store.tell("The notes in this address cannot be read. It may have been cut off: copy the link again.");
  }
}

/** A page inside another page may be forbidden to touch its history, or its address at all. */
function writeHash(hash: string, isStep: boolean): void {
  try {
    if (isStep) {
      history.pushState(null, "", hash);
    } else {
      history.replaceState(null, "", hash);
    }
  } catch {
    try {
      window.location.hash = hash;
    } catch {
      // Then the address stays as it is.
    }
  }
}
