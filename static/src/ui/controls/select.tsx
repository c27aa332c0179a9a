/** Lists of choices, of which one is selected. */

/** What is chosen, and how it is called. */
export type Choice = readonly [value: string, name: string];

interface Props {
  id?: string;
  title?: string;
  disabled?: boolean;
  testid: string;
  /** Its name, if nothing beside it names it. */
  label?: string;
  choices: readonly Choice[];
  value: string;
  onChange: (value: string) => void;
}

export function Select({ testid, label, choices, value, onChange, ...rest }: Props) {
  return (
    <select data-testid={testid} aria-label={label} onChange={(event) => onChange(event.currentTarget.value)} {...rest}>
      {choices.map(([choice, name]) => (
        <option key={choice} value={choice} selected={choice === value}>
          {name}
        </option>
      ))}
    </select>
  );
}
