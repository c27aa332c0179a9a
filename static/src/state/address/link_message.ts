/** What the page says about a link that names what it lacks. */

import { stepLabel } from "../../data/format/steps";
import { ATTRIBUTE_NAMES, type Attribute, ONLY_RANK, type Selection } from "../selection/selection";

/** Says what a link named that does not exist here, or null. */
export function linkMessage(link: Partial<Selection>, shown: Selection): string | null {
  const attributes = (Object.keys(ATTRIBUTE_NAMES) as Attribute[]).filter(
    (attribute) => link[attribute] !== undefined && link[attribute] !== shown[attribute],
  );
  if (attributes.length === 0) {
    return null;
  }
  const quoted = (attribute: Attribute, value: string | number): string => `“${attribute === "step" ? stepLabel(Number(value)) : value}”`;
  const now = (attribute: Attribute): string =>
    attribute === "rank" && shown.rank === ONLY_RANK ? "the only one" : quoted(attribute, shown[attribute]);
  const parts = attributes.map(
    (attribute) => `${ATTRIBUTE_NAMES[attribute]} ${quoted(attribute, link[attribute]!)} (now ${now(attribute)})`,
  );
  return `The link names something that this page lacks: ${parts.join(", ")}.`;
}
