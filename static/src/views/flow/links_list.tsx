/** The flows that are drawn, as a list: exact, and for those who do not see the diagram. */

import type { Flow } from "../../data/flows";
import { counted } from "../format";
import type { Link } from "./follow";
import { elementName, signedExactly } from "./words";

const MOST_LISTED = 400;

interface Props {
  flow: Flow;
  links: readonly Link[];
  onSelect: (layer: number, element: number) => void;
}

export function LinksList({ flow, links, onSelect }: Props) {
  const listed = [...links].sort((a, b) => a.pair - b.pair || Math.abs(b.flow) - Math.abs(a.flow)).slice(0, MOST_LISTED);
  return (
    <details class="flow-links">
      <summary data-testid="flow-links-summary">{counted(links.length, "drawn flow")} as a list</summary>
      {links.length > MOST_LISTED && <p class="soft">The first {MOST_LISTED} are listed.</p>}
      <table>
        <thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col" class="number">Flow</th></tr></thead>
        <tbody>
          {listed.map(({ pair, source, target, flow: value }) => {
            const { from, to } = flow.pairs[pair]!;
            return (
              <tr key={`${pair}/${source}/${target}`} data-testid="flow-link">
                <td><button type="button" class="link" onClick={() => onSelect(from, source)}><bdi>{elementName(flow, from, source)}</bdi></button></td>
                <td><button type="button" class="link" onClick={() => onSelect(to, target)}><bdi>{elementName(flow, to, target)}</bdi></button></td>
                <td class="number" >{signedExactly(value)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}
