/** The histograms of a record over time, which are read once their picture is near. */

import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { afterFrame } from "../../state/after_frame";
import { Failure } from "../../ui/notices/failure";
import { HISTORY_HEIGHT, History, type HistoryProps } from "./history";
import { useNear } from "./use_near";

type Props = Omit<HistoryProps, "histograms" | "isLoading">;

/** When newer data has come, what is in sight does not wait for what is not: that follows a frame later. */
export function RecordHistory(props: Props) {
  const { bundle } = props.store;
  const [frame, isNear, isInSight] = useNear();
  const [shown, show] = useState(bundle);
  const last = useRef<VNode | null>(null);
  if (last.current === null || shown === bundle || isInSight()) {
    // What is in sight does not wait for what is not in the first frame either.
    last.current =
      isNear === null ? (
        <div class="history-plot" data-testid="history-waiting" style={{ height: `${HISTORY_HEIGHT}px` }} />
      ) : (
        <ReadHistory {...props} isNear={isNear} />
      );
  }
  useEffect(() => (shown === bundle ? undefined : afterFrame(() => show(bundle))), [shown, bundle]);
  return (
    <div ref={frame} class="history">
      {last.current}
    </div>
  );
}

function ReadHistory({ isNear, ...props }: Props & { isNear: boolean }) {
  const { store, record } = props;
  const { chunks } = store.bundle;
  const histograms = useMemo(() => {
    try {
      return isNear ? record.read() : undefined;
    } catch (error) {
      return error instanceof Error ? error : undefined;
    }
  }, [record.name, record.group, record.type, record.iteration, record.steps, isNear, store.version.value]);
  const [loaded, damage] = histograms instanceof Error ? [undefined, histograms] : [histograms, undefined];
  const failure = damage ?? chunks.failureOf(record.chunks);
  const isLoading = isNear && loaded === undefined && failure === undefined;
  if (isLoading) {
    chunks.request(record.chunks);
  }
  return failure !== undefined ? (
    <Failure store={store} error={failure} what="these histograms" />
  ) : (
    <History {...props} histograms={loaded} isLoading={isLoading} />
  );
}
