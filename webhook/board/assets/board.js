"use strict";
(() => {
  // Charts; the table below them says the same.
  function charts() {
    const data = document.getElementById("points");
    if (!data || !window.uPlot) return;
    const points = JSON.parse(data.textContent), t = points.map(p => p.t), css = getComputedStyle(document.documentElement);
    const colour = name => css.getPropertyValue(name).trim();
    const value = (p, key) => p[key] || null; // a step that was not timed is a gap and not 0
    const kinds = {
      open: [["open", "--fail", points.map(p => p.open)]],
      regions: [["captured", "--pass", points.map(p => (p.regions ? p.captured : null))], ["all", "--soft", points.map(p => value(p, "regions"))]],
      time: [["eager", "--warn", points.map(p => value(p, "eager_us"))], ["replay", "--run", points.map(p => value(p, "replay_us"))]],
    };
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
    const time = (u, at, k, space, step) => at.map(v => new Date(v * 1000).toISOString()).map(s => (step >= 86400 ? s.slice(5, 10) : s.slice(11, 16)));
    const all = [...document.querySelectorAll("[data-chart]")].map(box => {
      const series = kinds[box.dataset.chart];
      const plot = new uPlot({
        width: box.clientWidth, height: 190, tzDate: v => uPlot.tzDate(new Date(v * 1e3), "Etc/UTC"), axes: [{ ...axis, values: time }, { ...axis, size: 56, ...(box.dataset.chart === "time" ? {} : { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] }) }],
        scales: { y: { range: (u, low, high) => [0, Math.max(1, high * 1.1)] } },
        series: [{ value: (u, v) => (v == null ? "" : new Date(v * 1000).toISOString().slice(0, 16).replace("T", " ")) },
          ...series.map(([label, name]) => ({ label, stroke: colour(name), width: 2, spanGaps: true, points: { show: points.length < 40 } }))],
      }, [t, ...series.map(s => s[2])], box);
      return [box, plot];
    });
    addEventListener("resize", () => all.forEach(([box, plot]) => plot.setSize({ width: box.clientWidth, height: 190 })));
  }
  charts();

  // A page with unfinished work looks again, unless somebody is typing or reading elsewhere.
  if ("live" in document.body.dataset) setInterval(async () => {
    if (document.hidden || document.activeElement?.matches("input,select") || document.querySelector("main details[open]")) return;
    try {
      const r = await fetch(location.href, { credentials: "same-origin", redirect: "error" });
      if (!r.ok) return;
      const fresh = new DOMParser().parseFromString(await r.text(), "text/html").getElementById("main");
      const old = document.getElementById("main"), at = scrollY, focus = [...old.querySelectorAll("a,button,summary")].indexOf(document.activeElement);
      old.replaceWith(fresh);
      scrollTo(0, at);
      fresh.querySelectorAll("a,button,summary")[focus]?.focus();
    } catch { /* the server restarts; the next look may reach it */ }
  }, 5000);

  // The log of a job as it grows.
  const log = document.getElementById("log");
  if (!log) return;
  log.scrollTop = log.scrollHeight;
  if (!log.dataset.stream) return;
  const follow = document.getElementById("follow"), line = document.getElementById("connection");
  if (follow) follow.parentElement.hidden = false;
  const maxText = 2 << 20; // characters on the page; the whole log is a link away
  let size = log.textContent.length;
  const append = text => {
    log.append(text);
    size += text.length;
    while (size > maxText && log.childNodes.length > 1) {
      size -= log.firstChild.textContent.length;
      log.firstChild.remove();
    }
    if (!follow || follow.checked) log.scrollTop = log.scrollHeight;
  };
  log.addEventListener("wheel", e => { if (follow && e.deltaY < 0) follow.checked = false; }, { passive: true });
  const glyph = { done: "✓", running: "▸", waiting: "…" };
  const draw = p => {
    const title = document.getElementById("title"), state = document.getElementById("state"), runner = document.getElementById("runner");
    if (title.textContent !== p.title) title.textContent = p.title;
    if (p.state !== "done") {
      const mark = Object.assign(document.createElement("span"), { textContent: glyph[p.state] || "–" });
      mark.ariaHidden = "true";
      const box = Object.assign(document.createElement("span"), { className: `state ${p.state}` });
      box.append(mark, ` ${p.state}`);
      state.replaceChildren(box);
    }
    if (p.runner && p.state === "running") runner.textContent = p.runner;
    document.getElementById("progress").hidden = !p.phases?.length;
    document.getElementById("phases").replaceChildren(...(p.phases || []).map(x => {
      const li = Object.assign(document.createElement("li"), { className: x.State });
      const part = (className, text) => li.append(Object.assign(document.createElement("span"), { className, textContent: text }));
      if (x.State === "running") li.setAttribute("aria-current", "step");
      part("dot", "");
      part("name", x.Name);
      part("sr", x.State === "ahead" ? " not reached" : ` ${x.State}`);
      if (x.Total) part("count", `${x.Done} of ${x.Total} ${x.Unit}`);
      else if (x.Done) part("count", `${x.Unit} ${x.Done}`);
      return li;
    }));
  };
  const address = log.dataset.stream + (log.dataset.after ? `?after=${encodeURIComponent(log.dataset.after)}` : "");
  const events = new EventSource(address);
  events.onopen = () => (line.textContent = log.textContent ? "Live." : "Live: the log begins when a runner has taken the job.");
  events.onerror = () => (line.textContent = events.readyState === EventSource.CLOSED ? "Not live any more; load the page again." : "Connecting again …");
  events.addEventListener("log", e => append(JSON.parse(e.data)));
  events.addEventListener("lease", e => {
    const x = JSON.parse(e.data);
    append(`\n── again, on ${x.runner} ──\n`);
  });
  events.addEventListener("progress", e => draw(JSON.parse(e.data)));
  events.addEventListener("end", () => {
    events.close();
    line.textContent = "Done.";
    location.reload();
  });
})();
