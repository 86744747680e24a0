// Tells about the point under the pointer or the focus; the arrow keys walk from rank to rank.
"use strict";
const detail = document.querySelector("#detail");
const points = [...document.querySelectorAll(".chart a")].sort((a, b) => a.dataset.rank - b.dataset.rank);
const tell = (point) => {
  detail.textContent = point.getAttribute("aria-label");
};
points.forEach((point, index) => {
  point.tabIndex = index === 0 ? 0 : -1;
  point.addEventListener("mouseenter", () => tell(point));
  point.addEventListener("focus", () => tell(point));
  point.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const next = step && points[index + step];
    if (next) {
      event.preventDefault();
      point.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
  });
});
