/** The three buttons of a drawing that can be moved and enlarged. */

import { Button } from "./button";
import { Icon } from "./icon";

const ZOOM_STEP = 1.3;

/** What the buttons do something with. */
interface Zoomed {
  zoomBy: (factor: number) => void;
  fit: () => void;
}

interface Props {
  /** Begins the names for tests. */
  prefix?: string;
  view: Zoomed | undefined;
}

export function ZoomButtons({ prefix = "", view }: Props) {
  return (
    <div class="button-group">
      <Button testid={`${prefix}zoom-out`} keys="-" label="Zoom out" title="Zoom out: key -" onClick={() => view?.zoomBy(1 / ZOOM_STEP)}>
        <Icon name="minus" />
      </Button>
      <Button testid={`${prefix}zoom-in`} keys="+" label="Zoom in" title="Zoom in: key +" onClick={() => view?.zoomBy(ZOOM_STEP)}>
        <Icon name="plus" />
      </Button>
      <Button testid={`${prefix}zoom-fit`} keys="0" label="Fit into the view" title="Fit into the view: key 0" onClick={() => view?.fit()}>
        <Icon name="fit" />
      </Button>
    </div>
  );
}
