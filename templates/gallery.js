"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const contrast = matchMedia("(prefers-contrast: more)");
  const paint = () => {
    document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
    document.documentElement.dataset.contrast = contrast.matches ? "more" : "usual";
  };
  dark.addEventListener("change", paint);
  contrast.addEventListener("change", paint);
  paint();
  const words = document.getElementById("words");
  const count = document.getElementById("count");
  const cards = [...document.getElementById("cards").children].map((card) => [card, card.textContent.toLowerCase()]);
  const search = () => {
    const wanted = words.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const [card, text] of cards) {
      card.hidden = !wanted.every((word) => text.includes(word));
      shown += card.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${cards.length}`;
  };
  words.addEventListener("input", search);
  document.getElementById("search").hidden = false;
  search();
})();
