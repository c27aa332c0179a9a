/** Takes newer data in place, in the page of a folder that is kept fresh. Other pages look for nothing. */

import { parseIndex } from "../../data/format/bundle_index";
import { messageOf, NewerBundleError } from "../../data/format/errors";
import type { ChunkSources } from "../../data/source";
import type { Store } from "../store";
import { rememberOwn } from "./own_data";
import { replaceData } from "./replace";

const LOOK_EVERY_MILLISECONDS = 2000;

declare global {
  interface Window {
    __comgraVersion?: (generation: number, digest: string) => void;
    __comgraIndex?: (generation: number, json: string) => void;
  }
}

export function startLive(store: Store, sources: ChunkSources): void {
  const { index } = store.bundle;
  if (index.generation === 0) {
    return;
  }
  const known = { generation: index.generation, digest: index.content_digest };
  let named = known.generation;
  let json = "";
  window.__comgraVersion = (generation) => (named = generation);
  window.__comgraIndex = (generation, text) => (json = generation === named ? text : "");
  const look = async (): Promise<void> => {
    // What the browser keeps of this address is old.
    await sources.page.runScript(`data/version.js?${Date.now()}`);
    if (named === known.generation) {
      return;
    }
    const generation = named;
    // What is new and small comes with the index.
    const source = sources.open(generation);
    await sources.page.runScript(`data/index-${generation}.js`);
    const next = parseIndex(json);
    if (next.generation !== generation) {
      return;
    }
    const data = { index: next, read: (id: number) => source.read(id) };
    if (store.files.peek().length === 0) {
      await replaceData(store, data);
      const isLookedAt = store.bundle.index.generation === generation;
      if (!isLookedAt && store.files.peek().length === 0) {
        // A person opens files meanwhile, which may fail: the next look decides.
        return;
      }
      if (isLookedAt && next.content_digest !== known.digest) {
        store.updated.value = Date.now();
      }
    }
    // While opened files are shown, the new data appears once the person goes back.
    rememberOwn(store, data);
    Object.assign(known, { generation, digest: next.content_digest });
    sources.keepOnly(generation);
  };
  let isLooking = false;
  const lookNow = (): void => {
    if (isLooking || document.hidden) {
      return;
    }
    isLooking = true;
    look()
      .catch((error: unknown) => {
        // Anything else may be a folder that is just being written, or has been removed: the next look finds out.
        if (error instanceof NewerBundleError) {
          store.tell(`The data beside this page is newer than its viewer. Reload the page. (${messageOf(error)})`);
          clearInterval(timer);
        }
      })
      .finally(() => (isLooking = false));
  };
  const timer = setInterval(lookNow, LOOK_EVERY_MILLISECONDS);
  document.addEventListener("visibilitychange", lookNow);
}
