/** Keeps the drawing in step with the level and with what is selected in it. */

import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { readPalette } from "../../../kits/graph/palette";
import type { Store } from "../../../state/store";
import { pinModule } from "../../../state/tab_options/module_pins";
import { themeColor, themeName } from "../../../ui/theme";
import type { Room } from "../../../ui/use_size";
import type { Actions } from "../actions";
import { type Hover, ModuleCanvas } from "./canvas";
import { showDragged } from "./dragging";
import type { DrawnLevel } from "./level_drawing";

interface Drawing {
  container: RefObject<HTMLDivElement | null>;
  canvas: ModuleCanvas | null;
  hover: Hover | null;
}

export function useModuleCanvas(
  store: Store,
  drawn: DrawnLevel | null,
  size: Room,
  openKey: string,
  selected: number,
  actions: Actions,
): Drawing {
  const container = useRef<HTMLDivElement>(null);
  const latest = useRef({ drawn, actions });
  latest.current = { drawn, actions };
  const [canvas, setCanvas] = useState<ModuleCanvas | null>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const before = useRef<string | null>(null);
  const theme = themeName.value;
  const palette = useMemo(() => readPalette(themeColor), [theme]);

  useLayoutEffect(() => {
    if (container.current === null) {
      return undefined;
    }
    const callbacks = {
      onSelect: (item: number): void => {
        const { drawn: now, actions: own } = latest.current;
        if (now?.items[item]?.kind === "single") {
          own.select(item);
        } else {
          own.open(item);
        }
      },
      onOpen: (item: number): void => latest.current.actions.open(item),
      onHover: setHover,
      onDrag: (item: number, x: number, y: number, isDropped: boolean): void => {
        const dragged = latest.current.drawn?.items[item];
        const name = dragged?.kind === "single" ? dragged.node.module : "";
        if (name !== "" && showDragged(dragged!.title, x, y, isDropped) && isDropped) {
          pinModule(store, name);
        }
      },
    };
    const created = new ModuleCanvas(container.current, callbacks, palette);
    setCanvas(created);
    return () => created.destroy();
  }, []);
  useLayoutEffect(() => canvas?.fitUnlessMoved(), [canvas, size]);
  useLayoutEffect(() => {
    if (canvas !== null) {
      canvas.setLevel(drawn, before.current === openKey);
      before.current = openKey;
      setHover(null);
    }
  }, [canvas, drawn]);
  useLayoutEffect(() => canvas?.setSelected(selected), [canvas, drawn, selected]);
  useLayoutEffect(() => canvas?.setPalette(palette), [canvas, palette]);
  return { container, canvas, hover };
}
