/** A sandboxed frame: it has no origin, so that it cannot reach the page, and it inherits the page's policy. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { useFrameHeight } from "./frame_height";
import { heightIn } from "./frame_messages";

interface Props {
  title: string;
  className: string;
  html: string;
  /** Gets every message of the frame, which may hold anything, and what to answer with. */
  onMessage?: (message: unknown, frame: Window) => void;
  /** Called when a document has been loaded in it. */
  onLoad?: (frame: Window) => void;
}

export function FrameView({ title, className, html, onMessage, onLoad }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, askForHeight] = useFrameHeight();
  // Before the frame can send anything.
  useLayoutEffect(() => {
    const listen = ({ data, source }: MessageEvent<unknown>): void => {
      const inside = frame.current?.contentWindow;
      if (inside && source === inside) {
        const asked = heightIn(data);
        asked !== null && askForHeight(asked);
        onMessage?.(data, inside);
      }
    };
    window.addEventListener("message", listen);
    return () => window.removeEventListener("message", listen);
  }, [onMessage]);
  return (
    <iframe
      ref={frame}
      class={`visualization-frame ${className}`}
      title={title}
      sandbox="allow-scripts"
      srcdoc={html}
      style={{ height: `${height}px` }}
      onLoad={({ currentTarget }) => currentTarget.contentWindow && onLoad?.(currentTarget.contentWindow)}
    />
  );
}
