/** Trials that have come with newer data, and the way to them; and from the trial of an edited input to the one before. */

import { compareWithOriginal, originalOf } from "../../state/editing/edited_trials";
import type { Store } from "../../state/store";
import { Button } from "../controls/button";
import { counted } from "../text/format";

/** More new trials than these are only counted. */
const MOST_OFFERED = 3;

export function AddedTrials({ store }: { store: Store }) {
  const added = store.added.value;
  return (
    <div class="messages" role="status" aria-live="polite">
      {added.length > MOST_OFFERED && (
        <p class="message" data-testid="added-trials">
          <span>{counted(added.length, "new trial")}</span>
          <Button label="Dismiss" onClick={() => (store.added.value = [])}>
            {"\u00d7"}
          </Button>
        </p>
      )}
      {added.length <= MOST_OFFERED &&
        added.map((trial) => {
          const dismiss = (): void => {
            store.added.value = store.added.value.filter((other) => other !== trial);
          };
          const original = originalOf(store.bundle, trial);
          return (
            <p key={trial} class="message" data-testid="added-trial">
              <span>
                New trial: <bdi>{trial}</bdi>
              </span>
              <span class="message-actions">
                {original !== null && (
                  <Button
                    testid="compare-added"
                    onClick={() => {
                      compareWithOriginal(store, trial, original);
                      dismiss();
                    }}
                  >
                    Compare with <bdi>{original}</bdi>
                  </Button>
                )}
                <Button
                  testid="show-added"
                  onClick={() => {
                    store.change("trial", trial);
                    dismiss();
                  }}
                >
                  Show it
                </Button>
                <Button label="Dismiss" onClick={dismiss}>
                  {"\u00d7"}
                </Button>
              </span>
            </p>
          );
        })}
    </div>
  );
}

/** For a trial that comes from an edited input: what it was computed with, and the trial before it, one click away. */
export function CompareWithOriginal({ store }: { store: Store }) {
  const { trial } = store.selection.value;
  const original = originalOf(store.bundle, trial);
  return original === null ? null : (
    <div class="compare-original">
      {store.pin.value?.trial !== original && (
        <Button testid="compare-original" onClick={() => compareWithOriginal(store, trial, original)}>
          Compare with <bdi>{original}</bdi>
        </Button>
      )}
      <p class="soft" data-testid="own-weights">
        Computed with the weights that the rerun script loaded. They may differ from those of the recording.
      </p>
    </div>
  );
}
