// Plots of columns over the time of a finished run, with one window of time and one cursor for all of them.
import uPlot from "/uplot.js";
import { arrays, lastBelow } from "/run_data.js";
import { markOf } from "/run_drawings.js";

const HEIGHT = 12, DELAY = 120, MOST = 16, SYNC = "time";

// All plots: `columns` [[name, unit, meaning], ...], `events`, and the functions `zoom(from, to)`, `seek(time)` and `failed(error)`.
export class Plots {
  constructor(box, { columns, events, zoom, seek, failed }) {
    Object.assign(this, { box, columns: new Map(columns.map((one) => [one[0], one])), events, zoom, seek, failed, plots: [], view: [0, 1], now: 0 });
    new ResizeObserver(() => this.load()).observe(box);
  }

  // Adds a plot of a column.
  add(name) {
    if (this.plots.length >= MOST) return;
    const box = document.createElement("div"), label = document.createElement("label"), input = document.createElement("input");
    const value = document.createElement("span"), area = document.createElement("div"), remove = document.createElement("button");
    box.className = "plot";
    input.value = name;
    input.setAttribute("list", "columns");
    remove.type = "button";
    remove.className = "remove";
    remove.textContent = "✕";
    remove.setAttribute("aria-label", "remove this plot");
    label.append(`Plot ${this.plots.length + 1} `, input, " ", value);
    box.append(remove, label, area);
    this.box.append(box);
    const plot = { name, area, value, data: null, chart: null };
    this.plots.push(plot);
    input.addEventListener("change", () => { plot.name = input.value.trim(); this.load([plot]); });
    remove.addEventListener("click", () => {
      plot.chart?.destroy();
      box.remove();
      this.plots.splice(this.plots.indexOf(plot), 1);
    });
    this.load();
  }

  // Shows another window of time.
  look(from, to) {
    this.view = [from, to];
    for (const { chart } of this.plots) chart?.setScale("x", { min: from, max: to });
    this.load();
  }

  // Moves the cursor.
  move(now) {
    this.now = now;
    for (const plot of this.plots) { plot.chart?.redraw(false); this.showValue(plot); }
  }

  // Loads all plots, or some, a moment after the last call.
  load(some = this.plots) {
    clearTimeout(this.timer);
    this.waiting = new Set([...(this.waiting || []), ...some]);
    this.timer = setTimeout(() => {
      this.loading?.abort();
      this.loading = new AbortController();
      for (const plot of this.plots) this.loadPlot(plot, this.loading.signal);
    }, DELAY);
  }

  async loadPlot(plot, signal) {
    const column = this.columns.get(plot.name);
    if (!column) { plot.chart?.destroy(); plot.chart = plot.data = null; plot.value.textContent = "no such column"; return; }
    const width = Math.max(100, plot.area.clientWidth), [from, to] = this.view;
    try {
      const [times, values] = await arrays(`/plot?columns=${encodeURIComponent(plot.name)}&from=${from}&to=${to}&width=${Math.round(width)}`, signal);
      plot.data = [times, values.some(Number.isNaN) ? Array.from(values, (one) => (Number.isNaN(one) ? null : one)) : values];
      this.show(plot, column, width);
    } catch (error) {
      if (error.name !== "AbortError") this.failed(error);
    }
  }

  show(plot, column, width) {
    const height = HEIGHT * parseFloat(getComputedStyle(document.documentElement).fontSize);
    if (plot.chart && plot.shown === plot.name && plot.height === height) {
      plot.chart.setSize({ width, height });
      plot.chart.setData(plot.data, false);
      plot.chart.setScale("x", { min: this.view[0], max: this.view[1] });
    } else {
      plot.chart?.destroy();
      plot.area.replaceChildren();
      plot.chart = new uPlot(this.options(plot, column, width, height), plot.data, plot.area);
      plot.shown = plot.name;
      plot.height = height;
    }
    this.showValue(plot);
  }

  options(plot, [, unit, meaning], width, height) {
    const font = `${0.85 * parseFloat(getComputedStyle(document.documentElement).fontSize)}px system-ui, sans-serif`, em = parseFloat(font);
    const axis = { font, labelFont: font, stroke: INK, grid: { stroke: GRID }, ticks: { stroke: GRID } };
    plot.area.title = meaning;
    return {
      width, height, legend: { show: false },
      cursor: { sync: { key: SYNC, scales: ["x", null] }, drag: { x: true, y: false, setScale: false } },
      scales: { x: { time: false, min: this.view[0], max: this.view[1], range: (_, min, max) => [min, max] } },
      axes: [{ ...axis, space: 5 * em, values: (_, all) => all.map((one) => `${brief(one)} s`) }, { ...axis, size: 6 * em, label: unit === "1" ? "" : unit, labelSize: 1.5 * em, values: (_, all) => all.map(brief) }],
      series: [{}, { stroke: BLUE, width: 1.5, points: { show: false }, spanGaps: false }],
      hooks: {
        setSelect: [(chart) => {
          if (chart.select.width < 3) return;
          const from = chart.posToVal(chart.select.left, "x"), to = chart.posToVal(chart.select.left + chart.select.width, "x");
          chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          this.zoom(from, to);
        }],
        setCursor: [() => this.showValue(plot)],
        draw: [(chart) => this.drawTimes(chart)],
        ready: [(chart) => {
          chart.over.addEventListener("click", (event) => this.seek(chart.posToVal(event.offsetX, "x")));
          chart.over.addEventListener("dblclick", () => this.zoom(-Infinity, Infinity));
        }],
      },
    };
  }

  // Draws the events and the cursor as vertical lines.
  drawTimes(chart) {
    const g = chart.ctx, { left, top, width, height } = chart.bbox;
    const line = (time, color, wide) => {
      const x = chart.valToPos(time, "x", true);
      if (x < left || x > left + width) return;
      g.strokeStyle = color; g.lineWidth = wide; g.beginPath(); g.moveTo(x, top); g.lineTo(x, top + height); g.stroke();
    };
    g.save();
    g.setLineDash([4, 4]);
    for (const event of this.events) {
      const color = markOf(event.kind)[2];
      if (event.at >= this.view[0] && event.at <= this.view[1] && color === RED) line(event.at, color, 1);
    }
    g.setLineDash([]);
    line(this.now, RED, 2);
    g.restore();
  }

  showValue(plot) {
    const column = this.columns.get(plot.name), over = plot.chart?.cursor.idx;
    if (!column || !plot.data || !plot.data[0].length) return;
    const index = over === null || over === undefined ? lastBelow(plot.data[0], this.now) : over;
    const text = `${brief(plot.data[1][index])} ${column[1]} at ${plot.data[0][index].toFixed(2)} s`;
    if (plot.value.textContent !== text) plot.value.textContent = text;
  }
}
