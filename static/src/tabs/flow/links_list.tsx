/** The flows that are drawn, as a list, and how many are not: exact, and for those who do not see the diagram. */

import type { Flow } from "../../data/records/flows";
import { Button } from "../../ui/controls/button";
import { TableHead } from "../../ui/controls/table_frame";
import { counted } from "../../ui/text/format";
import { elementName, signedExactly, sumsInWords } from "./flow_text";
import type { Bundled, Followed } from "./follow";

const MOST_LISTED = 400;

interface Props {
  flow: Flow;
  followed: Followed;
  onSelect: (layer: number, element: number) => void;
}

function together(parts: readonly Bundled[]): Bundled {
  const sum = (of: (part: Bundled) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    count: sum(({ count }) => count),
    positive: sum(({ positive }) => positive),
    negative: sum(({ negative }) => negative),
    nonFinite: sum(({ nonFinite }) => nonFinite),
  };
}

export function LinksList({ flow, followed: { links, leftOut }, onSelect }: Props) {
  const listed = [...links].sort((a, b) => a.pair - b.pair || Math.abs(b.flow) - Math.abs(a.flow)).slice(0, MOST_LISTED);
  return (
    <details class="flow-links">
      <summary data-testid="flow-links-summary">{counted(links.length, "drawn flow")} as a list</summary>
      {links.length > MOST_LISTED && <p class="soft">The first {MOST_LISTED} are listed.</p>}
      <table>
        <TableHead columns={["From", "To", "Flow"]} numbers={["Flow"]} />
        <tbody>
          {listed.map(({ pair, source, target, flow: value }) => {
            const { from, to } = flow.pairs[pair]!;
            return (
              <tr key={`${pair}/${source}/${target}`} data-testid="flow-link">
                <td>
                  <Button class="link" onClick={() => onSelect(from, source)}>
                    <bdi>{elementName(flow, from, source)}</bdi>
                  </Button>
                </td>
                <td>
                  <Button class="link" onClick={() => onSelect(to, target)}>
                    <bdi>{elementName(flow, to, target)}</bdi>
                  </Button>
                </td>
                <td class="number">{signedExactly(value)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <ul class="soft">
        {flow.pairs.map(({ from, to }, pair) => {
          const rest = together(leftOut.filter((entry) => entry.pair === pair));
          return (
            rest.count > 0 && (
              <li key={pair} data-testid="flow-left-out">
                <bdi>{flow.layers[from]!.name}</bdi> {"\u2192"} <bdi>{flow.layers[to]!.name}</bdi>: {sumsInWords(rest, "other flow")}
              </li>
            )
          );
        })}
      </ul>
    </details>
  );
}
