/** What the boxes and lines of the modules mean. */

const BOXES: readonly { kind: string; name: string }[] = [
  { kind: "input", name: "input" },
  { kind: "output", name: "output" },
  { kind: "leaf", name: "module" },
  { kind: "openable", name: "module with submodules" },
  { kind: "row", name: "several, folded" },
];

export function ModuleLegend() {
  return (
    <ul class="legend module-legend" aria-label="Legend">
      {BOXES.map(({ kind, name }) => (
        <li key={kind}>
          <span class={`module-box module-box-${kind}`} aria-hidden="true" />
          {name}
        </li>
      ))}
      <li>
        <span class="legend-dashes" aria-hidden="true" />
        no gradient flows
      </li>
    </ul>
  );
}
