/** Waiting until a view has drawn what it will draw. */

/** A view that is not there after so many looks is left as it is: after 5 seconds. */
const MOST_LOOKS = 100;
const LOOK_EVERY_MILLISECONDS = 50;
/** After so many looks at which nothing has changed, nothing more is expected; after more, if there is nothing yet. */
const CALM_LOOKS = 4;
const CALM_LOOKS_AT_NOTHING = 12;

/** What a look at a view says: its figures, how many parts of the data it waits for, and whether there is a place for figures. */
export interface Look {
  figures: number;
  outstanding: number;
  hasPlaces: boolean;
}

/** Waits until a view stays as it is. `pause` waits between two looks. */
export async function settled(look: () => Look, pause: () => Promise<void> = pauseBetweenLooks): Promise<void> {
  let [calm, count] = [0, -1];
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    await pause();
    const { figures, outstanding, hasPlaces } = look();
    calm = figures === count && outstanding === 0 ? calm + 1 : 0;
    count = figures;
    if (calm >= (hasPlaces && figures === 0 ? CALM_LOOKS_AT_NOTHING : CALM_LOOKS)) {
      return;
    }
  }
}

function pauseBetweenLooks(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MILLISECONDS));
}
