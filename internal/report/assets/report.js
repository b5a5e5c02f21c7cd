"use strict";
(() => {
  // The time line: the drawing is there without this script; it adds zoom and the name of the call under the pointer.
  const plot = document.getElementById("plot");
  if (!plot) return;
  const data = JSON.parse(document.getElementById("data").textContent);
  const marks = document.getElementById("marks"), axis = document.getElementById("axis"), read = document.getElementById("read");
  const bands = [...plot.querySelectorAll(".bands g")];
  const lanes = ["launch", "copy", "host wait", "call"];
  const height = marks.viewBox.baseVal.height, lane = height / 4, all = data.length, least = Math.max(all / 5000, 1);
  let from = 0, width = all, at = -1;

  const pct = v => (100 * (v - from) / width).toFixed(3) + "%";
  const time = v => all > 5000 ? +(v / 1000).toFixed(width < 50 ? 3 : width < 500 ? 2 : 1) + " ms" : +v.toFixed(width < 10 ? 2 : 0) + " µs";

  function draw() {
    width = Math.min(all, Math.max(least, width));
    from = Math.min(all - width, Math.max(0, from));
    marks.setAttribute("viewBox", `${from} 0 ${width} ${height}`);
    const px = plot.clientWidth / width;
    for (const g of bands) {
      const a = +g.dataset.at, d = +g.dataset.dur, rect = g.children[1], text = g.children[2];
      rect.setAttribute("x", pct(a));
      rect.setAttribute("width", (100 * d / width).toFixed(3) + "%");
      const start = Math.max(a, from), room = (a + d - start) * px;
      text.setAttribute("x", pct(start));
      // The whole name, else its last parts, else nothing.
      const full = g.dataset.name ??= text.textContent, parts = full.split(".");
      const fits = [full, parts.slice(-2).join("."), parts.at(-1)].find(s => room >= 6.3 * s.length + 6);
      text.textContent = fits ?? "";
    }
    let step = 1e-2;
    // 1, 2, 5, 10, …: as many numbers as fit.
    for (let k = 0; width / step > Math.max(2, plot.clientWidth / 110); k++) step *= k % 3 === 1 ? 2.5 : 2;
    axis.replaceChildren();
    for (let v = Math.ceil(from / step) * step; v <= from + width; v += step) {
      const line = document.createElementNS(axis.namespaceURI, "line"), text = document.createElementNS(axis.namespaceURI, "text");
      line.setAttribute("x1", pct(v)); line.setAttribute("x2", pct(v)); line.setAttribute("y2", 5);
      text.setAttribute("x", pct(v)); text.setAttribute("dx", 3); text.setAttribute("y", 14); text.textContent = time(v);
      axis.append(line, text);
    }
  }
  function zoom(f, centre = from + width / 2) {
    const w = Math.min(all, Math.max(least, width * f));
    from = centre - (centre - from) * w / width; width = w; draw();
  }
  function say(i) {
    const [l, t, d, label, bad, where] = data.marks[i], [region, place] = where.includes("\n") ? where.split("\n") : [where, ""];
    read.replaceChildren();
    const b = document.createElement("b");
    b.textContent = data.labels[label];
    read.append(`${lanes[l]} at ${time(t)}, ${d} µs: `, b, region ? ` · ${region}` : "", place ? ` · ${place}` : "", bad ? " · violation" : "");
  }
  function next(back) {
    const n = data.marks.length, s = back ? -1 : 1;
    for (let k = 1; k <= n; k++) {
      const i = ((at < 0 ? (back ? n : -1) : at) + s * k + 2 * n) % n;
      if (!data.marks[i][4]) continue;
      at = i; width = Math.min(width, all / 12); from = data.marks[i][1] - width / 2; draw(); say(i);
      return;
    }
  }
  const act = {in: () => zoom(.5), out: () => zoom(2), left: () => { from -= width / 4; draw(); }, right: () => { from += width / 4; draw(); },
    all: () => { from = 0; width = all; draw(); }, next: () => next(false)};
  for (const b of document.querySelectorAll(".tools button")) b.addEventListener("click", () => act[b.dataset.do]());
  const keys = {"+": act.in, "=": act.in, "-": act.out, ArrowLeft: act.left, ArrowRight: act.right, "0": act.all, Home: act.all, n: act.next, p: () => next(true)};
  plot.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    e.preventDefault(); keys[e.key]();
  });
  const where = e => { const r = marks.getBoundingClientRect(); return [from + (e.clientX - r.left) / r.width * width, Math.floor((e.clientY - r.top) / lane)]; };
  plot.addEventListener("wheel", e => {
    if (!e.ctrlKey && document.activeElement !== plot) return; // the page scrolls until the plot was chosen
    e.preventDefault(); zoom(e.deltaY > 0 ? 1.25 : .8, where(e)[0]);
  }, {passive: false});
  let drag = null;
  plot.addEventListener("pointerdown", e => { drag = {x: e.clientX, from}; plot.setPointerCapture(e.pointerId); });
  plot.addEventListener("pointerup", () => { drag = null; });
  plot.addEventListener("pointermove", e => {
    if (drag) { from = drag.from - (e.clientX - drag.x) / plot.clientWidth * width; draw(); return; }
    const [t, l] = where(e), reach = width / plot.clientWidth * 4;
    let best = -1, near = reach;
    for (let i = 0; i < data.marks.length; i++) {
      const m = data.marks[i];
      if (m[0] !== l) continue;
      const off = t < m[1] ? m[1] - t : Math.max(0, t - m[1] - m[2]);
      if (off < near) { near = off; best = i; }
    }
    if (best >= 0) { at = best; say(best); }
  });
  addEventListener("resize", draw);
  draw();
})();
