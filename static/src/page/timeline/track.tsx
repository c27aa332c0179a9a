/** The steps of the run in a line, and the handle that moves among those of the chosen type. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FoundProblem } from "../../data/format/findings";
import { stepInWords, stepLabel } from "../../data/format/steps";
import { themeName } from "../../ui/theme";
import { useSize } from "../../ui/use_size";
import { draw, HEIGHT, leftOf, type Picture } from "./drawing";
import { mergedTicks, type TypeLook } from "./marks";
import { labelsOf, nearestTo, type StepScale } from "./scale";
import { distanceOf, findingLines, kindOf, spoken, type TimelineStep } from "./words";

/** The run as the timeline shows it. Steps are given by their positions. */
export interface Run {
  scale: StepScale;
  looks: readonly TypeLook[];
  triggered: readonly number[];
  epochs: readonly (number | null)[];
  /** Those that can be selected under the chosen type. */
  offered: readonly number[];
  findings: ReadonlyMap<number, readonly FoundProblem[]>;
  factsOf: (position: number) => TimelineStep;
}

interface Props {
  run: Run;
  /** The step that is selected. */
  position: number;
  onGo: (position: number) => void;
}

/** Pixels at both ends, where half a mark has room. */
const PAD = 8;
/** A label has at least this room. */
const LABEL_WIDTH = 84;
const PAGE = 10;
/** Marks of findings are hit this far beside them, and so many of them are listed. */
const NEAR = 6;
const MOST_STEPS = 3;
/** What a character of a number takes, and what is around that of the handle. */
const DIGIT = 7;
const AROUND = 10;

export function Track({ run, position, onGo }: Props) {
  const [frame, { width }] = useSize();
  const { hovered, handlers } = useMoving(run, position, width, onGo);
  const { offered, findings, factsOf } = run;
  const place = offered.indexOf(position);
  const facts = factsOf(position);
  return (
    <div
      ref={frame}
      id="select-step"
      class="timeline-track"
      data-testid="select-step"
      data-arrow-keys
      role="slider"
      tabIndex={0}
      aria-label="Step"
      aria-orientation="horizontal"
      aria-valuemin={factsOf(offered[0] ?? position).step}
      aria-valuemax={factsOf(offered.at(-1) ?? position).step}
      aria-valuenow={facts.step}
      aria-valuetext={spoken(facts, place, offered.length, findings.get(position) ?? [])}
      style={{ height: `${HEIGHT}px` }}
      {...handlers}
    >
      <Drawn run={run} width={width} handle={handleSpan(pixelOf(run, position, width), stepLabel(facts.step), width)} />
      {width > 0 && (
        <Handle x={pixelOf(run, position, width)} text={stepLabel(facts.step)} width={width} isBelow={findings.has(position)} />
      )}
      {hovered !== null && <Hint run={run} hovered={hovered} width={width} />}
    </div>
  );
}

function pixelOf({ scale }: Run, position: number, width: number): number {
  return PAD + (scale.places[position] ?? 0.5) * (width - 2 * PAD);
}

/** What is under the pointer: the nearest step that can be selected, and pixels from the left. */
interface Hovered {
  position: number;
  x: number;
}

/** By the pointer and by keys: to the nearest step that can be selected. */
function useMoving(run: Run, position: number, width: number, onGo: (position: number) => void) {
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const isDragging = useRef(false);
  const { offered, scale } = run;
  const under = (event: PointerEvent): Hovered => {
    const x = event.clientX - (event.currentTarget as HTMLElement).getBoundingClientRect().left;
    return { x, position: nearestTo(scale, offered, (x - PAD) / Math.max(1, width - 2 * PAD)) };
  };
  const go = (next: number | undefined): void => {
    if (next !== undefined && next >= 0 && next !== position) {
      onGo(next);
    }
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button === 0) {
      isDragging.current = true;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      go(under(event).position);
    }
  };
  const onPointerMove = (event: PointerEvent): void => {
    const next = under(event);
    setHovered(next.position < 0 ? null : next);
    if (isDragging.current) {
      go(next.position);
    }
  };
  const stop = (): void => {
    isDragging.current = false;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const place = offered.indexOf(position);
    const last = offered.length - 1;
    const by: Partial<Record<string, number>> = {
      ArrowLeft: place - 1,
      ArrowDown: place - 1,
      ArrowRight: place + 1,
      ArrowUp: place + 1,
      PageDown: place - PAGE,
      PageUp: place + PAGE,
      Home: 0,
      End: last,
    };
    const next = by[event.key];
    if (next !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      go(offered[Math.max(0, Math.min(last, next))]);
    }
  };
  const onPointerLeave = (): void => setHovered(null);
  return { hovered, handlers: { onPointerDown, onPointerMove, onPointerUp: stop, onPointerCancel: stop, onPointerLeave, onKeyDown } };
}

/** The picture, without the labels that would lie partly under the handle's number. */
function Drawn({ run, width, handle }: { run: Run; width: number; handle: Span }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = themeName.value;
  const picture = useMemo(() => pictureOf(run, width), [run, width]);
  const covered = picture.labels.filter((label) => {
    const wide = label.text.length * DIGIT;
    const left = leftOf(label, wide, width);
    return left < handle.right && left + wide > handle.left;
  });
  const hidden = covered.map(({ text }) => text);
  useLayoutEffect(() => {
    if (canvas.current !== null) {
      draw(canvas.current, picture, window.devicePixelRatio || 1, hidden);
    }
  }, [picture, theme, hidden.join("\n")]);
  return <canvas ref={canvas} aria-hidden="true" style={{ width: `${width}px`, height: `${HEIGHT}px` }} />;
}

function pictureOf(run: Run, width: number): Picture {
  const { scale, looks, offered, triggered, findings, epochs } = run;
  const isOffered = new Set(offered);
  const x = (position: number): number => pixelOf(run, position, width);
  const all = looks.map((look, k) => ({ x: x(k), look, isOffered: isOffered.has(k) }));
  const isTriggered = new Set(triggered);
  const labels = labelsOf(scale, epochs, Math.max(1, Math.floor(width / LABEL_WIDTH)));
  return {
    width,
    ticks: mergedTicks(
      all.filter((_, k) => !isTriggered.has(k)),
      width,
    ),
    triggered: mergedTicks(
      all.filter((_, k) => isTriggered.has(k)),
      width,
    ),
    findings: [...findings]
      .map(([position, [worst]]) => ({ x: x(position), severity: worst!.severity }))
      .sort((a, b) => a.severity - b.severity),
    labels: labels.map(({ place, text, isStart }) => ({ x: PAD + place * (width - 2 * PAD), text, isStart })),
    distance: width / looks.length,
  };
}

/** Pixels from the left. */
interface Span {
  left: number;
  right: number;
}

/** What the handle's number takes: at the edges it moves inwards. */
function handleSpan(x: number, text: string, width: number): Span {
  const half = (text.length * DIGIT + AROUND) / 2;
  const middle = Math.max(half, Math.min(width - half, x));
  return { left: middle - half, right: middle + half };
}

interface HandleProps {
  x: number;
  text: string;
  width: number;
  /** Whether the mark of a finding has its place between the number and the line. */
  isBelow: boolean;
}

/** A line where the selected step is, and its number. */
function Handle({ x, text, width, isBelow }: HandleProps) {
  const { left, right } = handleSpan(x, text, width);
  return (
    <>
      <span class={isBelow ? "timeline-line timeline-line-below" : "timeline-line"} style={{ left: `${Math.round(x)}px` }} />
      <span class="timeline-number" style={{ left: `${(left + right) / 2}px` }} data-testid="timeline-number">
        {text}
      </span>
    </>
  );
}

/** The step under the pointer, and the findings that begin there or under the pointer itself. */
function Hint({ run, hovered, width }: { run: Run; hovered: Hovered; width: number }) {
  const facts = run.factsOf(hovered.position);
  const x = pixelOf(run, hovered.position, width);
  const isNear = (position: number): boolean =>
    position === hovered.position || Math.abs(pixelOf(run, position, width) - hovered.x) <= NEAR;
  return (
    <span
      class="timeline-hint"
      data-testid="timeline-hint"
      aria-hidden="true"
      style={{ left: `${x}px`, transform: `translateX(${(-100 * x) / width}%)` }}
    >
      <strong>{stepInWords(facts.step)}</strong>
      <span>
        <bdi>{kindOf(facts)}</bdi>, {distanceOf(facts)}
      </span>
      {[...run.findings]
        .filter(([position]) => isNear(position))
        .slice(0, MOST_STEPS)
        .map(([position, findings]) => (
          <span key={position}>
            Begins at {stepInWords(run.scale.steps[position]!)}: <bdi>{findingLines(findings).join("; ")}</bdi>
          </span>
        ))}
    </span>
  );
}
