"use strict";
// Draws each figure from the JSON beside it in place of its picture.
(function () {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const figures = [];

  function colours() {
    const css = getComputedStyle(document.documentElement);
    return { ink: css.getPropertyValue("--ink").trim(), rule: css.getPropertyValue("--rule").trim() };
  }

  function themed(plot, width) {
    const c = colours();
    const out = Object.assign({}, plot.layout, {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", autosize: true,
      font: { color: c.ink, size: 12 },
    });
    for (const key of Object.keys(out)) {
      if (/^[xy]axis\d*$/.test(key)) {
        out[key] = Object.assign({ gridcolor: c.rule, linecolor: c.rule, automargin: true }, out[key]);
      }
    }
    if (dark.matches) out.shapes = (out.shapes || []).map((s) => (s.fillcolor ? Object.assign({}, s, { fillcolor: dim(s.fillcolor) }) : s));
    const small = window.innerWidth < 700;
    if (out.annotations) out.annotations = joined(out.annotations, out.xaxis, width * (small ? 0.8 : 0.7));
    return small ? narrow(plot, out) : out;
  }

  // Numbers that would lie on each other become one: 6 and 7 are 6–7.
  function joined(notes, axis, width) {
    const at = (x) => (axis.type === "date" ? Date.parse(x) : x);
    const scale = width / (at(axis.range[1]) - at(axis.range[0]));
    const out = [];
    let last = -Infinity;
    for (const note of notes) {
      const x = at(note.x) * scale, before = out[out.length - 1];
      if (x - last < 18) {
        before.text = before.text.split("–")[0] + "–" + note.text;
        before.hovertext += "<br>" + note.hovertext;
      } else {
        out.push(Object.assign({}, note));
      }
      last = x;
    }
    return out;
  }

  // On a narrow page the legend of each panel lies above it, two names a line.
  function narrow(plot, out) {
    const line = 19, panel = 170, marks = (out.annotations || []).length ? 20 : 0;
    out.margin = { l: 52, r: 16, t: 10, b: 60 };
    const ids = Object.keys(out).filter((key) => /^yaxis\d*$/.test(key)).map((key) => key.slice(5))
      .sort((a, b) => plot.layout["yaxis" + b].domain[1] - plot.layout["yaxis" + a].domain[1]);
    const rooms = ids.map((id) => {
      const names = plot.data.filter((t) => t.showlegend && t.yaxis === "y" + id).length;
      return 10 + line * Math.ceil(names / 2) + marks;
    });
    const high = rooms.reduce((sum, room) => sum + room, 0) + panel * ids.length;
    out.height = high + out.margin.t + out.margin.b;
    let top = high;
    ids.forEach(function (id, i) {
      const from = top - rooms[i];
      out["yaxis" + id] = Object.assign({}, out["yaxis" + id], { domain: [Math.max(0, (from - panel) / high), from / high] });
      out["legend" + id] = {
        orientation: "h", x: 0, xanchor: "left", y: top / high, yanchor: "top",
        entrywidth: 0.49, entrywidthmode: "fraction", font: { size: 10 }, tracegroupgap: 0,
      };
      if (i === 0) out.annotations = (out.annotations || []).map((a) => Object.assign({}, a, { y: from / high, font: { size: 9 } }));
      top = from - panel;
    });
    return out;
  }

  // Black lines vanish on a dark page, and pale areas glare.
  const dim = (colour) => colour.replace(/,1\.00\)$/, ",0.24)");

  function lit(data) {
    if (!dark.matches) return data;
    return data.map(function (t) {
      const copy = Object.assign({}, t);
      if (t.fillcolor) copy.fillcolor = dim(t.fillcolor);
      if (t.line && t.line.color === "rgba(0,0,0,1.00)") copy.line = Object.assign({}, t.line, { color: colours().ink });
      return copy;
    });
  }

  function draw() {
    for (const f of figures) {
      Plotly.react(f.div, lit(f.plot.data), themed(f.plot, f.div.clientWidth), { responsive: true, displaylogo: false, displayModeBar: window.innerWidth < 700 ? false : "hover" });
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
