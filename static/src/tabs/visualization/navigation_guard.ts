/** Asks before the page is left: no policy forbids it, and an address can hold what was read. The frames of drawings cannot do it at all. */

/** What is needed of the browser's navigation, which not every supported browser has. */
interface Navigation {
  addEventListener(type: "navigate", listener: (event: Departure) => void): void;
}

interface Departure extends Event {
  navigationType: string;
  destination: { url: string; sameDocument: boolean };
}

const LETTERS_SHOWN = 200;

export function startNavigationGuard(): void {
  // What comes later may put something else in its place.
  const ask = window.confirm.bind(window);
  const { navigation } = window as unknown as { navigation?: Navigation };
  navigation?.addEventListener("navigate", (event) => {
    const { url } = event.destination;
    if (leavesPage(event) && !ask(`This page wants to open another address, which may hold what it has read:\n\n${shown(url)}`)) {
      event.preventDefault();
    }
  });
}

/** What the person does in the browser itself is not seen here, apart from going back and forth. */
function leavesPage({ navigationType, destination }: Departure): boolean {
  return (
    !destination.sameDocument && navigationType !== "reload" && navigationType !== "traverse" && !/^(blob|data):/.test(destination.url)
  );
}

function shown(url: string): string {
  return url.length > LETTERS_SHOWN ? `${url.slice(0, LETTERS_SHOWN)}…` : url;
}
