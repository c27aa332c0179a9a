/** A field that finds one of many by a part of its name, with a list of all that match; the key `/` leads to it. */

import type { TargetedKeyboardEvent } from "preact";
import { useState } from "preact/hooks";

/** Matches that are listed at most while a name is being typed. */
const LISTED = 50;

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

/** All that match, in their order, but first what is called so, alone or as the last part of a path, then what has it in its name. */
function matchesOf<T extends Findable>(items: readonly T[], wanted: string): T[] {
  const isWanted = (name: string): boolean => name.toLowerCase().includes(wanted);
  const rank = ({ name }: Findable): number => {
    const whole = name.toLowerCase();
    if (whole === wanted || whole.endsWith(`.${wanted}`)) {
      return 0;
    }
    return whole.includes(wanted) ? 1 : 2;
  };
  const matches = wanted === "" ? [] : items.filter(({ name, alias = "" }) => isWanted(name) || isWanted(alias));
  return matches.sort((a, b) => rank(a) - rank(b));
}

const optionId = (what: string, k: number): string => `${what}-match-${k}`;

export function SearchField<T extends Findable>({ what, items, onFound }: Props<T>) {
  const [text, setText] = useState("");
  /** The match that the arrow keys have led to; -1: none. */
  const [active, setActive] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const wanted = text.trim().toLowerCase();
  const matches = matchesOf(items, wanted);
  const listed = isOpen ? matches.slice(0, LISTED) : [];
  const choose = (match: T | undefined): void => {
    if (match !== undefined) {
      onFound(match);
      setText("");
    }
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && listed.length > 0) {
      event.preventDefault();
      const next = Math.max(0, Math.min(listed.length - 1, active + by));
      setActive(next);
      document.getElementById(optionId(what, next))?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Escape" && listed.length > 0) {
      event.preventDefault();
      setOpen(false);
    } else if (event.key === "Escape" && text === "" && event.currentTarget.closest("dialog") === null) {
      // From here on, keys are those of the page again. In a sheet, the key closes the sheet.
      event.preventDefault();
      event.currentTarget.blur();
    }
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        choose(listed[active] ?? items.find(({ name }) => name === text.trim()) ?? matches[0]);
        // From here on the arrow keys walk over the graph.
        event.currentTarget.querySelector("input")?.blur();
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded={listed.length > 0}
        aria-controls={`${what}-matches`}
        aria-activedescendant={listed[active] === undefined ? undefined : optionId(what, active)}
        aria-autocomplete="list"
        data-testid={`${what}-search`}
        aria-keyshortcuts="/"
        aria-label={`Find a ${what} by name`}
        placeholder={`Find a ${what} (/)`}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(-1);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <span class="search-count" aria-live="polite">
        {wanted !== "" && (matches.length === 0 ? "no match" : `${matches.length} found`)}
      </span>
      <Matches what={what} matches={matches} listed={listed} active={active} onChosen={choose} />
    </form>
  );
}

interface MatchesProps<T> {
  what: string;
  matches: readonly T[];
  listed: readonly T[];
  active: number;
  onChosen: (match: T) => void;
}

function Matches<T extends Findable>({ what, matches, listed, active, onChosen }: MatchesProps<T>) {
  return (
    <div
      id={`${what}-matches`}
      class="search-matches"
      role="listbox"
      aria-label={`Each ${what} that matches`}
      hidden={listed.length === 0}
      data-testid={`${what}-matches`}
    >
      {listed.map((match, k) => (
        <div
          key={k}
          id={optionId(what, k)}
          role="option"
          aria-selected={k === active}
          tabIndex={-1}
          title={match.name}
          // The field keeps the focus, and so the list stays, until the click has been seen.
          onPointerDown={(event) => event.preventDefault()}
          onPointerUp={(event) => {
            onChosen(match);
            event.currentTarget.closest("form")?.querySelector("input")?.blur();
          }}
        >
          <bdi>{match.name}</bdi>
          {match.alias !== undefined && <span class="soft"> {match.alias}</span>}
        </div>
      ))}
      {matches.length > listed.length && (
        <div class="soft" role="presentation">
          and {matches.length - listed.length} more
        </div>
      )}
    </div>
  );
}
