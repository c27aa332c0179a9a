/** What is being dragged follows the pointer, and the place where it can be dropped is marked. */

/** The place where modules can be dropped has this attribute. */
const TARGET = "data-drop-modules";

let follower: HTMLElement | null = null;

/** Shows a text at the pointer, until it is dropped. Returns whether it is over a place where it can be dropped. */
export function showDragged(text: string, x: number, y: number, isDropped: boolean): boolean {
  const target = document.querySelector(`[${TARGET}]`);
  const isOver = target !== null && document.elementsFromPoint(x, y).includes(target);
  target?.classList.toggle("drop-here", isOver && !isDropped);
  if (isDropped) {
    follower?.remove();
    follower = null;
    return isOver;
  }
  if (follower === null) {
    follower = document.createElement("div");
    follower.className = "dragged-module";
    document.body.append(follower);
  }
  follower.textContent = text;
  follower.style.transform = `translate(${x + 12}px, ${y + 12}px)`;
  return isOver;
}
