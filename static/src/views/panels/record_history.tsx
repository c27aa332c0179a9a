/** The histograms of a record over time, which are read once their picture is near. */

import { useMemo } from "preact/hooks";
import { Failure } from "../failure";
import { History, HISTORY_HEIGHT, type HistoryProps } from "./history";
import { useNear } from "./use_near";

export function RecordHistory(props: Omit<HistoryProps, "histograms" | "isLoading">) {
  const { store, record } = props;
  const { chunks } = store.bundle;
  const [frame, isNear] = useNear();
  const histograms = useMemo(() => {
    try {
      return isNear ? record.read() : undefined;
    } catch (error) {
      return error instanceof Error ? error : undefined;
    }
  }, [record.name, record.group, record.type, record.iteration, record.steps, isNear, store.version.value]);
  if (isNear === null) {
    // What is in sight does not wait for what is not.
    return (
      <div ref={frame} class="history">
        <div class="history-plot" data-testid="history-waiting" style={{ height: `${HISTORY_HEIGHT}px` }} />
      </div>
    );
  }
  const [found, damage] = histograms instanceof Error ? [undefined, histograms] : [histograms, undefined];
  const failure = damage ?? record.chunks.map((id) => chunks.failure(id)).find((error) => error !== undefined);
  const isLoading = isNear && found === undefined && failure === undefined;
  if (isLoading) {
    chunks.request(record.chunks);
  }
  return (
    <div ref={frame} class="history">
      {failure !== undefined ? <Failure store={store} error={failure} what="these histograms" /> : <History {...props} histograms={found} isLoading={isLoading} />}
    </div>
  );
}
