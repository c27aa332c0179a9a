/** The level as a figure: all of it that is drawn, in view or not. */

import { readPalette } from "../../kits/graph/palette";
import type { Store } from "../../state/store";
import { FigureButtons } from "../../ui/figure/buttons";
import { pageFacts, stepFacts, trialFacts } from "../../ui/figure/caption";
import type { Figure } from "../../ui/figure/figure";
import { counted } from "../../ui/text/format";
import { withPaperColors } from "../../ui/theme";
import type { DrawnLevel } from "./drawing/level_drawing";
import { modulesDrawing } from "./drawing/level_figure";
import { nameOfKey } from "./levels/keys";
import type { Scene } from "./levels/scene";

export function ModuleFigure({ store, scene, drawn }: { store: Store; scene: Scene; drawn: DrawnLevel }) {
  return <FigureButtons name="modules" place="modules" make={() => figureOf(store, scene, drawn)} />;
}

function figureOf(store: Store, { material: { shown, open }, openKey, union }: Scene, drawn: DrawnLevel): Figure {
  const { page, source } = pageFacts(store);
  const { selection } = shown;
  const { steps } = drawn.level;
  const name = nameOfKey(openKey);
  const classes = drawn.edges.flatMap((edge) => edge.classes);
  return {
    title: name === "" ? "Calls of modules" : `Calls in ${name}`,
    drawing: modulesDrawing(drawn, withPaperColors(readPalette)),
    facts: [
      ...(union === null ? stepFacts(store, shown, open) : [...trialFacts(store, selection.trial), ["steps", `${steps}`] as const]),
      ...page,
    ],
    remarks: [
      `${counted(drawn.level.nodes.length, "node")}.`,
      ...(drawn.items.some(({ kind }) => kind !== "single") ? ["A box with a double border stands for several."] : []),
      ...(classes.includes("without-gradient") ? ["Dashed: no gradient flows."] : []),
      ...(classes.includes("rare") ? ["Dotted: not on every step."] : []),
      ...(classes.includes("direct") ? ["Green: read without being an input."] : []),
    ],
    source,
    nameParts: [
      "modules",
      selection.trial,
      ...(union === null ? [`step${selection.step}`, `iteration${selection.iteration}`] : ["all-steps"]),
      ...(name === "" ? [] : [name]),
    ],
  };
}
