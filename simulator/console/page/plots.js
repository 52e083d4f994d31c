// Plots of columns over wall time, each with up to MOST_LINES lines.
"use strict";

const SPAN = 20, MOST_LINES = 3, SMALLEST = 1e-4, INKS = [BLUE, RED, GREEN], DASHES = [[], [8, 4], [2, 3]], MARKS = ["━", "╍", "┈"];

let uPlot = null;
const plotsReady = import("/uplot.js").then((found) => { uPlot = found.default; });

// Returns limits around values, at least SMALLEST apart, so that noise of a constant value does not fill the plot.
function around(low, high) {
  if (low === null || high === null) return [0, 1];
  const room = Math.max(0.05 * (high - low), 0.5 * (SMALLEST - (high - low)), 1e-9 * Math.abs(high));
  return [low - room, high + room];
}

class Plot {
  constructor(names, number, parent, onChange) {
    this.names = names; this.points = [];
    const box = document.createElement("div"), label = document.createElement("label"), input = document.createElement("input");
    this.value = document.createElement("p"); this.box = document.createElement("div");
    input.value = names.join(", "); input.setAttribute("list", "columns"); input.setAttribute("aria-describedby", "plots_name");
    label.append(`Plot ${number + 1} `, input);
    this.value.className = "values";
    this.box.className = "plot"; this.box.setAttribute("role", "img"); this.box.setAttribute("aria-label", `plot ${number + 1} over time`);
    box.append(label, this.value, this.box); parent.append(box);
    input.addEventListener("change", () => {
      this.names = input.value.split(/[\s,]+/).filter(Boolean).slice(0, MOST_LINES);
      this.points = []; this.remake(); onChange();
    });
    this.remake();
  }

  remake() {
    if (this.chart) this.chart.destroy();
    const font = `${0.85 * parseFloat(getComputedStyle(document.documentElement).fontSize)}px system-ui, sans-serif`, em = parseFloat(font);
    const axis = { font, stroke: INK, grid: { stroke: GRID, width: 1 } };
    this.chart = new uPlot({
      width: this.box.clientWidth || 400, height: this.box.clientHeight || 160, legend: { show: false }, cursor: { show: false }, pxAlign: false,
      scales: { x: { time: false, range: () => [-SPAN, 0] }, y: { range: (u, low, high) => around(low, high) } },
      axes: [{ ...axis, size: 2 * em, space: 5 * em, values: (u, all) => all.map((v) => (v ? `${v} s` : "now")) }, { ...axis, size: 6 * em, values: (u, all) => all.map(brief) }],
      series: [{}, ...this.names.map((name, n) => ({ stroke: INKS[n], width: 2, dash: DASHES[n] }))],
    }, [[], ...this.names.map(() => [])], this.box);
  }

  add(seconds, now) {
    this.points.push([seconds, ...this.names.map((name) => (name in now ? now[name] : null))]);
    while (this.points.length && this.points[0][0] < seconds - SPAN) this.points.shift();
  }

  draw(seconds, columns) {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width && (this.chart.width !== width || this.chart.height !== height)) this.chart.setSize({ width, height });
    this.chart.setData([this.points.map((one) => one[0] - seconds), ...this.names.map((name, n) => this.points.map((one) => one[n + 1]))]);
    const last = this.points[this.points.length - 1];
    const text = this.names.map((name, n) => `${MARKS[n]} ${name} ${columns.has(name) ? `${last ? brief(last[n + 1]) : "–"} ${columns.get(name)}` : "no such column"}`).join("   ");
    if (this.value.textContent !== text) this.value.textContent = text;
  }
}
