"use strict";
(() => {
  // Charts of the trends; the table below them says the same.
  const data = document.getElementById("points");
  if (data && window.uPlot) {
    const points = JSON.parse(data.textContent), t = points.map(p => p.t), css = getComputedStyle(document.documentElement);
    const colour = name => css.getPropertyValue(name).trim();
    const value = (p, key) => p[key] || null; // a step that was not timed is a gap and not 0
    const kinds = {
      open: [["open", "--fail", points.map(p => p.open)]],
      regions: [["captured", "--pass", points.map(p => p.captured)], ["all", "--soft", points.map(p => p.regions)]],
      time: [["eager", "--warn", points.map(p => value(p, "eager_us"))], ["replay", "--run", points.map(p => value(p, "replay_us"))]],
    };
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
    const charts = [...document.querySelectorAll("[data-chart]")].map(box => {
      const series = kinds[box.dataset.chart];
      const plot = new uPlot({
        width: box.clientWidth, height: 190, axes: [axis, { ...axis, size: 56 }],
        scales: { y: { range: (u, low, high) => [0, Math.max(1, high * 1.1)] } },
        series: [{ value: (u, v) => (v == null ? "" : new Date(v * 1000).toISOString().slice(0, 16).replace("T", " ")) },
          ...series.map(([label, name]) => ({ label, stroke: colour(name), width: 2, points: { show: points.length < 40 } }))],
      }, [t, ...series.map(s => s[2])], box);
      return [box, plot];
    });
    addEventListener("resize", () => charts.forEach(([box, plot]) => plot.setSize({ width: box.clientWidth, height: 190 })));
  }
  // A page with unfinished work looks again, unless somebody is typing or reading elsewhere.
  if ("live" in document.body.dataset) setInterval(async () => {
    if (document.hidden || document.activeElement?.matches("input,select")) return;
    try {
      const r = await fetch(location.href, { credentials: "same-origin", redirect: "error" });
      if (!r.ok) return;
      const fresh = new DOMParser().parseFromString(await r.text(), "text/html").getElementById("main");
      const old = document.getElementById("main"), at = scrollY, focus = [...old.querySelectorAll("a,button")].indexOf(document.activeElement);
      old.replaceWith(fresh);
      scrollTo(0, at);
      fresh.querySelectorAll("a,button")[focus]?.focus();
    } catch { /* the server restarts; the next look may reach it */ }
  }, 5000);
})();
