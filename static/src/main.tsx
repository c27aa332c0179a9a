/** Starts the viewer: reads the index, which is in the page, and shows the rest as it is asked for. */

import { render } from "preact";
import { Bundle } from "./data/bundle";
import { parseIndex } from "./data/format/bundle_index";
import { DamagedBundleError, messageOf } from "./data/format/errors";
import { browserPage, ChunkSources } from "./data/source";
import { startAddress } from "./page/address_sync";
import { App } from "./page/app";
import { startKeyboard } from "./page/keyboard";
import { startDropping } from "./page/opening/drop_zone";
import { startPrinting } from "./page/print/print";
import { rememberPage } from "./page/story/saved_copy";
import { startStory } from "./page/story/story_panel";
import { startLive } from "./state/loading/live_update";
import { rememberOwn } from "./state/loading/own_data";
import { startPrefetch } from "./state/loading/prefetch";
import { Store } from "./state/store";
import { startNavigationGuard } from "./tabs/visualization/navigation_guard";
import { startMedia } from "./ui/media";
import { startTheme } from "./ui/theme";

function start(): void {
  const mount = document.getElementById("app") ?? document.body.appendChild(document.createElement("main"));
  rememberPage(mount);
  startTheme();
  try {
    const { store, sources } = openBundle();
    startMedia(store.story.isOpen);
    startAddress(store);
    startPrefetch(store);
    startKeyboard();
    startPrinting(store);
    startStory(store);
    if (store.bundle.index.visualizations.length > 0) {
      startNavigationGuard();
    }
    startLive(store, sources);
    startDropping(store);
    mount.replaceChildren();
    render(<App store={store} />, mount);
  } catch (error) {
    mount.replaceChildren();
    render(<Unreadable error={error} />, mount);
  }
}

function openBundle(): { store: Store; sources: ChunkSources } {
  const index = parseIndex(document.getElementById("bundle-index")?.textContent ?? "");
  const sources = new ChunkSources(browserPage());
  const source = sources.open(index.generation, index.chunks.inline);
  const read = (id: number): Promise<string> => source.read(id);
  const store: Store = new Store(new Bundle(index, read, (isAwaited) => store.chunksChanged(isAwaited)));
  rememberOwn(store, { index, read });
  return { store, sources };
}

function Unreadable({ error }: { error: unknown }) {
  return (
    <div class="failure" role="alert" data-testid="unreadable">
      <h1>This page cannot be shown</h1>
      <p>
        {error instanceof DamagedBundleError && "Its index is damaged: "}
        {messageOf(error)}
      </p>
      {error instanceof DamagedBundleError && (
        <p>The file may have been cut off or changed in transit. Get it again, or export the recording again.</p>
      )}
    </div>
  );
}

start();
