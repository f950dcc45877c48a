"use strict";
// Draws each figure from the JSON beside it in place of its picture.
(function () {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const figures = [];

  function colours() {
    const css = getComputedStyle(document.documentElement);
    return { ink: css.getPropertyValue("--ink").trim(), rule: css.getPropertyValue("--rule").trim() };
  }

  function themed(layout) {
    const c = colours();
    const out = Object.assign({}, layout, {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", autosize: true,
      font: { color: c.ink, size: 12 },
    });
    const narrow = window.innerWidth < 700;
    if (narrow) {
      const below = layout.height > 500 ? -70 / layout.height : -0.25;
      out.legend = Object.assign({}, layout.legend, { orientation: "h", x: 0, y: below, yanchor: "top" });
      out.margin = { l: 48, r: 8, t: 30, b: 60 };
      out.height = layout.height + 120; // the legend's
    }
    for (const key of Object.keys(out)) {
      if (/^[xy]axis\d*$/.test(key)) {
        out[key] = Object.assign({ gridcolor: c.rule, linecolor: c.rule, automargin: true }, layout[key]);
      }
    }
    return out;
  }

  // Black lines vanish on a dark page.
  function lit(data) {
    if (!dark.matches) return data;
    return data.map(function (t) {
      const copy = Object.assign({}, t);
      if (t.line && t.line.color === "rgba(0,0,0,1.00)") copy.line = Object.assign({}, t.line, { color: colours().ink });
      return copy;
    });
  }

  function draw() {
    for (const f of figures) {
      Plotly.react(f.div, lit(f.plot.data), themed(f.plot.layout), { responsive: true, displaylogo: false, displayModeBar: window.innerWidth < 700 ? false : "hover" });
    }
  }

  for (const figure of document.querySelectorAll("figure")) {
    const div = figure.querySelector(".plot");
    if (!div) continue;
    try {
      const plot = JSON.parse(figure.querySelector("script").textContent);
      figures.push({ div: div, plot: plot });
      figure.classList.add("live");
    } catch (err) {
      console.warn("figure left as a picture:", err);
    }
  }
  draw();
  dark.addEventListener("change", draw);
})();
