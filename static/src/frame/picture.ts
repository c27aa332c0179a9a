/** A drawing as an SVG: its elements as they are, with the style sheet, and each canvas as an image. */

import type { Drawing } from "./drawing";
import type { Picture } from "./messages";

const SVG = "http://www.w3.org/2000/svg";

export function pictureOf({ title, element }: Drawing): Picture {
  const { width, height } = element.getBoundingClientRect();
  const picture = { title, width, height, svg: "" };
  if (element.hidden || width === 0 || height === 0) {
    return picture;
  }
  try {
    return { ...picture, svg: svgOf(element, width, height) };
  } catch {
    // Such as a canvas without pixels.
    return picture;
  }
}

function svgOf(element: HTMLElement, width: number, height: number): string {
  const svg = document.createElementNS(SVG, "svg");
  const { theme = "", contrast = "" } = document.documentElement.dataset;
  for (const [name, value] of Object.entries({ width, height, "data-theme": theme, "data-contrast": contrast })) {
    svg.setAttribute(name, String(value));
  }
  const style = document.createElementNS(SVG, "style");
  style.textContent = document.querySelector("style")?.textContent ?? "";
  const inside = document.createElementNS(SVG, "foreignObject");
  inside.setAttribute("width", "100%");
  inside.setAttribute("height", "100%");
  const body = document.createElement("body");
  const { font, color } = getComputedStyle(document.body);
  Object.assign(body.style, { font, color, backgroundColor: getComputedStyle(document.documentElement).backgroundColor });
  const copy = element.cloneNode(true) as HTMLElement;
  const canvases = element.querySelectorAll("canvas");
  copy.querySelectorAll("canvas").forEach((place, k) => place.replaceWith(imageOf(canvases[k]!)));
  body.append(copy);
  inside.append(body);
  svg.append(style, inside);
  return new XMLSerializer().serializeToString(svg);
}

function imageOf(canvas: HTMLCanvasElement): HTMLImageElement {
  const image = document.createElement("img");
  const { width, height } = canvas.getBoundingClientRect();
  image.src = canvas.toDataURL();
  image.className = canvas.className;
  image.style.cssText = canvas.style.cssText;
  image.width = width;
  image.height = height;
  return image;
}
