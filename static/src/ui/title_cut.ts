/** Whether the header has no room for all of the page's title. */

import { signal } from "@preact/signals";

export const isTitleCut = signal(false);
