/** The two buttons beside every plot: it as a figure, in a file. */

import { useEffect, useRef, useState } from "preact/hooks";
import { fileName } from "../../data/arrays/npy";
import { messageOf } from "../../data/format/errors";
import { Button } from "../controls/button";
import { save, savedText } from "../save";
import { type Figure, figureElement } from "./figure";
import { type Place, shownFigures } from "./figure_registry";
import { pngOf } from "./raster";
import { svgFile } from "./svg";

/** How long the result of a click is shown. */
const SAID_MILLISECONDS = 4000;

interface Props {
  /** What is drawn, in words that no other plot of the page has. */
  name: string;
  /** Where the figure is on paper; without it, it is not among what is printed. */
  place?: Place;
  make: () => Figure;
  /** Waits for what the figure needs and the page may not have loaded. */
  load?: () => Promise<unknown>;
}

export function FigureButtons({ name, place, make, load }: Props) {
  const [said, setSaid] = useState("");
  const latest = useRef({ make, load });
  latest.current = { make, load };
  useEffect(() => {
    if (place === undefined) {
      return undefined;
    }
    const entry = { place, make: () => latest.current.make(), load: async () => latest.current.load?.() };
    shownFigures.add(entry);
    return () => void shownFigures.delete(entry);
  }, [place]);
  useEffect(() => {
    const timer = setTimeout(() => setSaid(""), SAID_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [said]);
  const saveAs = async (ending: "svg" | "png"): Promise<void> => {
    try {
      await load?.();
      const figure = latest.current.make();
      const root = figureElement(figure);
      const file = fileName(figure.nameParts, ending);
      save(ending === "svg" ? new Blob([svgFile(root)], { type: "image/svg+xml" }) : await pngOf(root), file);
      setSaid(savedText(file));
    } catch (error) {
      setSaid(`That did not work: ${messageOf(error)}`);
    }
  };
  return (
    <span class="figure-buttons">
      <span class="button-group" role="group" aria-label={`Save as a figure: ${name}`}>
        <Button
          testid="figure-svg"
          label={`SVG: ${name}`}
          title="Save as a figure with a caption: vectors, for papers"
          onClick={() => void saveAs("svg")}
        >
          SVG
        </Button>
        <Button
          testid="figure-png"
          label={`PNG: ${name}`}
          title="Save as a figure with a caption: pixels, for messages and slides"
          onClick={() => void saveAs("png")}
        >
          PNG
        </Button>
      </span>
      <span class="soft outcome" role="status" data-testid="figure-outcome">
        {said}
      </span>
    </span>
  );
}
