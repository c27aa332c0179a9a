/** What to know first: what is wrong in the run, where and since when, how the run went, and its curves. */

import { useState } from "preact/hooks";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { keyOf } from "../../ui/text/format";
import { isTitleCut } from "../../ui/title_cut";
import { CurveCards } from "./curves/curve_cards";
import { FindingsView } from "./findings/findings";
import { RunCard } from "./run/run_card";

/** A description of more lines or characters is cut off until all of it is asked for. */
const LINES = 3;
const CHARACTERS = 400;

export function OverviewView({ store }: { store: Store }) {
  const trial = store.trial.value;
  const { title, description } = store.bundle.index;
  // Findings need little room where there are none.
  const hasRoom = trial !== undefined && trial.worst < 0;
  return (
    <section class="page overview-page" aria-label="Overview">
      {isTitleCut.value && (
        <h2 class="overview-title" dir="auto" data-testid="overview-title">
          {title}
        </h2>
      )}
      {description.trim() !== "" && <Description text={description} />}
      <div class="overview-columns">
        <div class="overview-main">
          <FindingsView store={store} />
          {hasRoom && <CurveCards store={store} trial={trial} />}
        </div>
        {trial !== undefined && (
          <div class="overview-side">
            <RunCard key={keyOf(trial)} store={store} trial={trial} />
            {!hasRoom && <CurveCards store={store} trial={trial} />}
          </div>
        )}
      </div>
    </section>
  );
}

/** What the author says of the page: text, with its lines as they are. */
function Description({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = text.length > CHARACTERS || text.trim().split("\n").length > LINES;
  return (
    <div class="overview-description">
      <p dir="auto" class={isLong && !isWhole ? "description description-cut" : "description"} data-testid="description">
        {text}
      </p>
      {isLong && (
        <Button class="link" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show less" : "Show all of the description"}
        </Button>
      )}
    </div>
  );
}
