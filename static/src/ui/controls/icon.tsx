/** Pictures for what is used often, drawn in lines of the text's colour. The control that they stand on says what they mean. */

const LINES = {
  adjust: "M2 5h7M13 5h1M2 11h1M7 11h7M11 3v4M5 9v4",
  close: "M4 4l8 8M12 4l-8 8",
  down: "M8 3v10M4 9l4 4 4-4",
  fit: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
  left: "M13 8H3M7 4L3 8l4 4",
  link: "M7 9a3 3 0 0 0 4.3 0l2-2A3 3 0 0 0 9 2.7l-1 1M9 7a3 3 0 0 0-4.3 0l-2 2A3 3 0 0 0 7 13.3l1-1",
  minus: "M3 8h10",
  more: "M3 4h10M3 8h10M3 12h10",
  pen: "M3 13l.7-3.2L11 2.5l2.5 2.5-7.3 7.3L3 13M9.5 4l2.5 2.5",
  plus: "M3 8h10M8 3v10",
  right: "M3 8h10M9 4l4 4-4 4",
  up: "M8 13V3M4 7l4-4 4 4",
} as const;

export type IconName = keyof typeof LINES;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={LINES[name]} />
    </svg>
  );
}
