/** The level that is looked into: its graph with its buttons, and what is known of the selected node. */

import { useMemo } from "preact/hooks";
import { useArrowKeys } from "../../kits/graph/arrow_keys";
import { measureText } from "../../kits/graph/measure_text";
import { useZoomOfGraph } from "../../kits/graph/zoom_of_note";
import { readNames } from "../../state/address/name_list";
import { BADGE_WORDS } from "../../state/badges/badges";
import { ANY_TYPE } from "../../state/selection/selection";
import type { Store } from "../../state/store";
import { counted, grouped } from "../../ui/text/format";
import { useSize } from "../../ui/use_size";
import { actionsOf } from "./actions";
import { Breadcrumbs } from "./breadcrumbs";
import { Details } from "./details";
import { type DrawnLevel, drawLevel, foldedInto, walkLevel } from "./drawing/level_drawing";
import { useModuleCanvas } from "./drawing/use_canvas";
import { ModuleLegend } from "./legend";
import { nameOfKey } from "./levels/keys";
import { type Material, type Scene, useScene } from "./levels/scene";
import { ModuleFigure } from "./module_figure";
import { useHistogramsAhead } from "./panels/histogram_prefetch";
import { useRevealing } from "./reveal_node";
import { ModuleToolbar } from "./toolbar";
import { ModuleTooltip } from "./tooltip";

/** Levels are laid out anew only where the room has changed by more than this. */
const ROOM_STEP = 160;

export function LevelView({ store, material }: { store: Store; material: Material }) {
  const scene = useScene(store, material);
  const [frame, size] = useSize(true);
  const unfoldText = store.view.value.get("unfold");
  const unfolded = useMemo(() => readNames(unfoldText), [unfoldText]);
  const room = { width: rounded(size.width), height: rounded(size.height) };
  const drawn = useMemo(
    () => (scene.level === null || room.width === 0 ? null : drawLevel(scene.level, unfolded, room, measureText)),
    [scene.level, unfolded, room.width, room.height],
  );
  const selected = useMemo(() => itemWith(drawn, scene.at), [drawn, scene.at]);
  const again = useMemo(
    () => (drawn?.items[selected] === undefined ? undefined : foldedInto(drawn.level, unfolded, drawn.items[selected]!.members[0]!)),
    [drawn, selected, unfolded],
  );
  const actions = actionsOf(store, scene, drawn, selected, unfolded, again);
  const { container, canvas, hover } = useModuleCanvas(store, drawn, size, scene.openKey, selected, actions);
  useArrowKeys(store, "modules", canvas, (direction) => drawn !== null && actions.select(walkLevel(drawn, selected, direction)));
  // The part of one level says nothing of another one.
  useZoomOfGraph(store, "modules", `modules/${scene.openKey}`, canvas);
  useHistogramsAhead(store, scene);
  const reveal = useRevealing(store, drawn, unfolded);
  const count = drawn?.items.length ?? 0;
  return (
    <section class="modules" aria-label="Modules">
      <div class="module-bar">
        <Breadcrumbs store={store} scene={scene} goUp={actions.goUp} />
        {drawn !== null && drawn.items.length > 0 && <ModuleFigure store={store} scene={scene} drawn={drawn} />}
        <ModuleToolbar store={store} scene={scene} drawn={drawn} selected={selected} canvas={canvas} actions={actions} reveal={reveal} />
      </div>
      <div class="module-main">
        <div class="module-frame" ref={frame}>
          <div
            ref={container}
            class="module-canvas"
            data-testid="module-graph"
            data-open={scene.openKey}
            data-selected={drawn?.items[selected]?.key ?? ""}
            data-direction={drawn?.direction ?? ""}
            role="application"
            aria-roledescription="graph"
            tabIndex={0}
            aria-label={`${counted(count, "node")} and ${counted(drawn?.edges.length ?? 0, "edge")}. Arrow keys select another one.`}
          />
          {hover !== null && drawn !== null && <ModuleTooltip scene={scene} drawn={drawn} hover={hover} />}
          <Notes scene={scene} drawn={drawn} />
        </div>
        <Details store={store} scene={scene} drawn={drawn} selected={selected} actions={actions} />
      </div>
      <ModuleLegend drawn={drawn} selected={selected} select={actions.select} />
      <p class="visually-hidden" role="status" aria-live="polite">
        {drawn?.items[selected] !== undefined && announcement(drawn, selected)}
      </p>
    </section>
  );
}

function rounded(length: number): number {
  return Math.round(length / ROOM_STEP) * ROOM_STEP;
}

function itemWith(drawn: DrawnLevel | null, key: string): number {
  const node = drawn?.level.nodes.findIndex((candidate) => candidate.key === key) ?? -1;
  return node < 0 ? -1 : drawn!.itemOf[node]!;
}

function announcement({ items, links }: DrawnLevel, selected: number): string {
  const { title, subtitle, badges } = items[selected]!;
  const wrong = badges.map((badge) => `; ${BADGE_WORDS[badge]}`).join("");
  const from = links.filter(({ to }) => to === selected).map((link) => items[link.from]!.title);
  const to = links.filter((link) => link.from === selected).map((link) => items[link.to]!.title);
  return `${title}, ${subtitle}; reads from ${from.join(", ") || "nothing"}, read by ${to.join(", ") || "nothing"}${wrong}`;
}

/** Whether steps that can be selected are not counted. */
function leavesOut({ trial, shown }: Material): boolean {
  return shown.selection.stepType === ANY_TYPE && new Set(trial.steps.triggered.map((reason) => reason >= 0)).size > 1;
}

/** What about this level is not as one would expect. */
function Notes({ scene: { flow, row, union, material, level, openKey }, drawn }: { scene: Scene; drawn: DrawnLevel | null }) {
  const notes: string[] = [];
  if (union !== null) {
    notes.push(
      union.level === null
        ? `${grouped(union.loaded)} of ${grouped(union.total)} different iterations loaded\u2026`
        : `Over ${counted(union.level.steps, "step")}${leavesOut(material) ? ", without triggered ones" : ""}.`,
    );
    if (union.error !== null) {
      notes.push(union.error.message);
    }
  } else if (flow === null) {
    notes.push("This iteration has no recorded call of a watched module: recorder.watch(module) records the calls within an iteration.");
  } else if (row === null && !material.network.modules.some(({ name }) => name === nameOfKey(openKey))) {
    notes.push(`This recording has no module ${nameOfKey(openKey)}. Use \u201cAll modules\u201d above to go back.`);
  } else if (row === null) {
    notes.push(`${nameOfKey(openKey)} was not called${openKey.startsWith("0.") ? "" : " that often"} in this iteration.`);
  } else if (material.graph === null) {
    notes.push("The dependencies of this iteration were not recorded: only tensors passed on unchanged connect modules.");
  }
  if (level?.nodes.length === 0) {
    notes.push("It called no module.");
  }
  const rest = drawn?.items.filter(({ kind }) => kind === "rest").length ?? 0;
  if (rest > 0) {
    notes.push(`${counted(level?.nodes.length ?? 0, "node")} are too many to draw; nodes in sequence are joined.`);
  }
  return notes.length === 0 ? null : (
    <p class="graph-note module-note" data-testid="module-note">
      {notes.join(" ")}
    </p>
  );
}
