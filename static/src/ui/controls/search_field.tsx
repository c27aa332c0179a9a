/** A field that finds one of many by a part of its name; the key `/` leads to it. */

import { useState } from "preact/hooks";

/** Suggestions that are offered at most while a name is being typed. */
const SUGGESTIONS = 50;

/** What can be found. */
interface Findable {
  name: string;
  /** By which it is found as well: the type of a module. */
  alias?: string;
}

interface Props<T extends Findable> {
  /** What is looked for: `node`. */
  what: string;
  items: readonly T[];
  onFound: (item: T) => void;
}

/** In their order, but first what is called so, alone or as the last part of a path, then what has it in its name. */
function bestFirst<T extends Findable>(items: readonly T[], wanted: string): T[] {
  const rank = ({ name }: Findable): number => {
    const whole = name.toLowerCase();
    if (whole === wanted || whole.endsWith(`.${wanted}`)) {
      return 0;
    }
    return whole.includes(wanted) ? 1 : 2;
  };
  return [...items].sort((a, b) => rank(a) - rank(b));
}

export function SearchField<T extends Findable>({ what, items, onFound }: Props<T>) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const isWanted = (name: string): boolean => name.toLowerCase().includes(wanted);
  const matches =
    wanted === ""
      ? []
      : bestFirst(
          items.filter(({ name, alias = "" }) => isWanted(name) || isWanted(alias)),
          wanted,
        );
  const choose = (typed: string): void => {
    const match = items.find(({ name }) => name === typed.trim()) ?? matches[0];
    if (match !== undefined) {
      onFound(match);
      setText("");
    }
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        choose(text);
        // From here on the arrow keys walk over the graph.
        event.currentTarget.querySelector("input")?.blur();
      }}
    >
      <input
        type="text"
        list={`${what}-names`}
        data-testid={`${what}-search`}
        aria-keyshortcuts="/"
        aria-label={`Find a ${what} by name`}
        placeholder={`Find a ${what} (/)`}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          // A suggestion that is picked replaces what was typed.
          if (event.inputType === "insertReplacementText") {
            choose(event.currentTarget.value);
          }
        }}
      />
      <datalist id={`${what}-names`}>
        {matches.slice(0, SUGGESTIONS).map(({ name, alias }) => (
          <option key={name} value={name} label={alias === undefined ? undefined : `${name} (${alias})`} />
        ))}
      </datalist>
      <span class="search-count" aria-live="polite">
        {wanted !== "" && (matches.length === 0 ? "no match" : `${matches.length} found`)}
      </span>
    </form>
  );
}
