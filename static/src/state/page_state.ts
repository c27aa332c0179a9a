/** The state of the page as signals: what is shown and chosen, and what follows from that. */

import { computed, type Signal, signal } from "@preact/signals";
import type { Bundle, Loaded } from "../data/bundle";
import type { Trial } from "../data/format/types";
import type { TensorRecord } from "../data/records/record_offsets";
import type { Tab } from "./address/url";
import { NO_OPTIONS, type ViewOptions } from "./address/view_options";
import { kindsSignal } from "./comparison/kinds/kinds";
import { type Pin, readPin, withPin } from "./comparison/pin";
import { openSecond, otherTrial, type Second } from "./comparison/second_view";
import { type Brush, FIRST_BRUSH } from "./editing/brush";
import type { Offer } from "./selection/offers";
import type { OpenStep } from "./selection/open_step";
import type { StepSelection } from "./selection/resolve";
import type { Attribute, Selection } from "./selection/selection";
import { initialSelection, type Placed } from "./selection/step_choice";
import { Story } from "./story/story";

/** What is shown, as far as it is known. */
export interface Shown extends Placed {
  open: OpenStep | null;
  hasRecord: boolean;
}

/** A change that waits for the description of its step. */
export interface Pending extends Placed {
  changed: Attribute | null;
  link: Partial<Selection>;
  error: Error | null;
}

export class PageState {
  readonly tab = signal<Tab>("tensors");
  /** How things are shown, as far as the person has said. */
  readonly view = signal<ViewOptions>(NO_OPTIONS);
  readonly shown = signal<Shown | null>(null);
  readonly pending = signal<Pending | null>(null);
  /** What the person has chosen last, whether or not all of it can be shown now. */
  readonly chosen = signal<StepSelection | null>(null);
  /** Sentences for the person, until they are dismissed. */
  readonly messages = signal<readonly string[]>([]);
  /** The names of the files that the shown data was opened from; none if it is the page's own. */
  readonly files = signal<readonly string[]>([]);
  /** Why files that a person wanted to look at could not be opened; null where they could. Only the last attempt counts. */
  readonly refused = signal<string | null>(null);
  /** When newer data was taken last; 0: never. */
  readonly updated = signal(0);
  /** Trials that have come with newer data, until they are dismissed. */
  readonly added = signal<readonly string[]>([]);
  /** The group of curves that a link leads to, until the Graphs tab shows it; null: none. */
  readonly soughtCurves = signal<string | null>(null);
  /** Whether a link leads to the values, until the Tensors tab shows them. */
  readonly soughtValues = signal(false);
  /** The pin of a link that leads to where two trials first differ, until that is known; null: none. */
  readonly soughtDifference = signal<string | null>(null);
  /** The node that a link, a search or a list leads to, until the graph shows it, whatever it is folded into; null: none. */
  readonly soughtNode = signal<string | null>(null);
  /** Whether the change that is being made follows from an earlier one. */
  isAdjusting = false;
  /** How inputs are changed. */
  readonly brush = signal<Brush>(FIRST_BRUSH);
  readonly story: Story;
  /** Rises when a chunk has arrived or failed that something waits for. */
  readonly version = signal(0);
  /** Rises when any chunk has arrived or failed, also one that was read ahead. */
  readonly arrived = signal(0);

  /** What the selectors show: the change under way, or what is shown. */
  readonly selection = computed<Selection>(
    () => this.pending.value?.selection ?? this.shown.value?.selection ?? initialSelection(this.bundle),
  );
  readonly trial = computed<Trial | undefined>(() => this.bundle.index.trials[(this.pending.value ?? this.shown.value)?.trial ?? 0]);

  /** The tensor that is shown, and its record of the recording type that is shown. */
  readonly offer = computed<Offer | undefined>(() => {
    const shown = this.shown.value;
    const { iteration, node, role } = shown?.selection ?? this.selection.value;
    return shown?.open?.offers.of(iteration, node).find((offer) => offer.role === role);
  });
  readonly record = computed<TensorRecord | undefined>(() => {
    const shown = this.shown.value;
    const tensor = this.offer.value?.tensor ?? -1;
    return shown?.hasRecord ? shown.open?.content.table.byGroup.get(shown.selection.recording)?.get(tensor) : undefined;
  });

  /** What is fixed of the second view; null where there is none. */
  readonly pin = computed<Pin | null>(() => readPin(this.view.value.get("pin")));
  /** The second view; null where there is none. */
  readonly second = computed<Loaded<Second> | null>(() => {
    void this.version.value;
    const [pin, shown] = [this.pin.value, this.shown.value];
    if (pin === null || shown === null) {
      return null;
    }
    const second = openSecond(this.bundle, withPin(shown.selection, pin), [shown.open, this.lastOpen]);
    this.lastOpen = second.state === "ready" ? second.value.open : null;
    return second;
  });
  /** The step of the second view as it was opened last. */
  private lastOpen: OpenStep | null = null;

  /** How A and B differ in structure; null while there is nothing to compare. */
  readonly kinds = kindsSignal(
    () => this.bundle,
    () => this.shown.value,
    () => (this.second.value?.state === "ready" ? this.second.value.value : null),
  );

  /** The trial of B, where it is another one than that of A. */
  readonly secondTrial = computed<Trial | null>(() => {
    const [pin, trial] = [this.pin.value, this.trial.value];
    return pin === null || trial === undefined ? null : otherTrial(this.bundle, withPin(this.selection.value, pin), trial);
  });

  protected readonly current: Signal<Bundle>;

  /** Whether the page looks for newer data by itself. */
  readonly isLive: boolean;

  constructor(bundle: Bundle) {
    this.current = signal(bundle);
    this.isLive = bundle.index.generation > 0;
    this.story = new Story(bundle.index.story);
  }

  /** The shown data. Newer data may replace it. */
  get bundle(): Bundle {
    return this.current.value;
  }
}
