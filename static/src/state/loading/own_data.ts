/** The data of the page itself, and the way back to it from files that a person has opened in its place. */

import type { Tab } from "../address/url";
import type { Selection } from "../selection/selection";
import type { Store } from "../store";
import { type OpenedData, replaceData } from "./replace";

interface Own {
  data: OpenedData;
  /** What was shown when files took its place. */
  left: { tab: Tab; selection: Selection } | null;
}

const known = new WeakMap<Store, Own>();

/** Notes the data of the page: when it opens, and when newer data has come. */
export function rememberOwn(store: Store, data: OpenedData): void {
  known.set(store, { left: null, ...known.get(store), data });
}

/** Notes what is shown, before files take the place of the page's own data. */
export function leaveOwn(store: Store): void {
  const own = known.get(store);
  if (own !== undefined && store.files.peek().length === 0) {
    own.left = { tab: store.tab.peek(), selection: store.selection.peek() };
  }
}

/**
 * Shows the page's own data again. What is selected stays where the page has the trial; otherwise it is what was selected before the files
 * were opened. Rejects where the data cannot be read, and leaves everything as it was.
 */
export async function goBackToOwn(store: Store): Promise<void> {
  const own = known.get(store);
  if (own === undefined) {
    return;
  }
  const { trial } = store.selection.peek();
  await replaceData(store, own.data);
  if (own.left !== null && !own.data.index.trials.some(({ name }) => name === trial)) {
    store.open({ ...own.left, view: store.view.peek() });
  }
}
