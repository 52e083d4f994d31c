"use strict";
// Zoom of the plots that simulator/report/svg_renderer.py draws: it sets the matrix of the groups of curves and redraws the ticks. Ranges of logarithmic
// axes are base-10 logarithms. LEFT ... TICKS have the values of svg_renderer.py.
const LEFT = 66, RIGHT = 14, TOP = 30, BOTTOM = 46, WIDTH = 560, HEIGHT = 300, TICKS = 6, SECOND = 44;
const H = HEIGHT - TOP - BOTTOM;

function text(number, digits = 4) {
  return String(Math.abs(number) < 1e-12 ? 0 : Number(number.toPrecision(digits)));
}

function ticks(low, high, log, about) {
  const found = [];
  if (log && high - low > 0.8) {
    const every = Math.ceil((high - low) / (1.5 * about));
    for (let decade = Math.floor(low); decade <= Math.ceil(high); decade++) {
      for (let digit = 1; digit < 10; digit++) {
        const place = decade + Math.log10(digit);
        if (place < low - 1e-9 || place > high + 1e-9) continue;
        const named = (digit === 1 && decade % every === 0) || (high - low < 3 && (digit === 2 || digit === 5));
        found.push([place, named ? text(10 ** place) : ""]);
      }
    }
    return found;
  }
  const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(k => k * power).find(size => size >= rough * 0.999);
  const digits = Math.max(4, Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / step)) + 1); // enough digits to distinguish adjacent ticks
  for (let k = Math.ceil(low / step - 1e-9); k <= Math.floor(high / step + 1e-9); k++) found.push([k * step, text(log ? 10 ** (k * step) : k * step, digits)]);
  return found;
}

function ticksSvg(view, plot) {
  const { W, width, xlog, ylog, second } = plot;
  let drawn = "";
  for (const [place, words] of ticks(view.x0, view.x1, xlog, Math.floor(TICKS * width / WIDTH))) {
    const at = (LEFT + (place - view.x0) / (view.x1 - view.x0) * W).toFixed(1);
    drawn += `<path d="M${at} ${TOP}v${H}"/><text x="${at}" y="${TOP + H + 16}" text-anchor="middle">${words}</text>`;
  }
  for (const [place, words] of ticks(view.y0, view.y1, ylog, TICKS)) {
    const at = TOP + (view.y1 - place) / (view.y1 - view.y0) * H;
    drawn += `<path d="M${LEFT} ${at.toFixed(1)}h${W}"/><text x="${LEFT - 6}" y="${(at + 4).toFixed(1)}" text-anchor="end">${words}</text>`;
  }
  for (const [place, words] of second ? ticks(second * view.y0, second * view.y1, false, TICKS) : []) {
    const at = TOP + (view.y1 - place / second) / (view.y1 - view.y0) * H;
    drawn += `<text x="${LEFT + W + 6}" y="${(at + 4).toFixed(1)}">${words}</text>`;
  }
  return drawn;
}

class Plot {
  constructor(svg) {
    this.svg = svg;
    const number = name => Number(svg.dataset[name]);
    this.all = { x0: number("x0"), x1: number("x1"), y0: number("y0"), y1: number("y1") };
    this.view = { ...this.all };
    this.xlog = number("xlog") === 1;
    this.ylog = number("ylog") === 1;
    this.equal = svg.dataset.equal !== undefined;
    this.width = svg.viewBox.baseVal.width;
    this.second = number("second"); // factor to a second unit, or NaN
    this.W = this.width - LEFT - (this.second ? SECOND : RIGHT);
    this.linked = [this];
    this.begin = null;
    const part = name => svg.querySelector("." + name);
    [this.ticks, this.words, this.box, this.readout] = ["ticks", "words", "box", "readout"].map(part);
    this.curves = svg.querySelectorAll(".curves"); // lines and dots
    svg.addEventListener("pointerdown", event => this.press(event));
    svg.addEventListener("pointermove", event => this.move(event));
    svg.addEventListener("pointerup", event => this.release(event));
    svg.addEventListener("pointercancel", () => this.drop());
    svg.addEventListener("pointerleave", () => { this.readout.textContent = ""; });
    svg.addEventListener("dblclick", () => this.reset());
    svg.addEventListener("wheel", event => this.wheel(event), { passive: false });
  }

  // Returns the position of the pointer in units of the plot, limited to the frame.
  place(event) {
    const seen = this.svg.getBoundingClientRect(), scale = this.width / seen.width;
    const keep = (value, low, size) => Math.min(low + size, Math.max(low, value));
    return { x: keep((event.clientX - seen.left) * scale, LEFT, this.W), y: keep((event.clientY - seen.top) * scale, TOP, H) };
  }

  // Converts a position in the plot to units of the axes.
  value(place) {
    const v = this.view;
    return { x: v.x0 + (place.x - LEFT) / this.W * (v.x1 - v.x0), y: v.y1 - (place.y - TOP) / H * (v.y1 - v.y0) };
  }

  show(view) {
    const a = this.all;
    if (!(view.x1 - view.x0 > 1e-9 * (a.x1 - a.x0) && view.y1 - view.y0 > 1e-9 * (a.y1 - a.y0))) return;
    if (this.equal) view = this.evened(view);
    this.view = view;
    const sx = (a.x1 - a.x0) / (view.x1 - view.x0), sy = (a.y1 - a.y0) / (view.y1 - view.y0);
    const tx = LEFT * (1 - sx) + (a.x0 - view.x0) / (view.x1 - view.x0) * this.W, ty = TOP * (1 - sy) + (view.y1 - a.y1) / (view.y1 - view.y0) * H;
    for (const group of this.curves) group.setAttribute("transform", `matrix(${sx} 0 0 ${sy} ${tx} ${ty})`);
    this.ticks.innerHTML = ticksSvg(view, this);
    for (const word of this.words.children) {
      const x = tx + sx * word.dataset.x;
      word.setAttribute("x", x.toFixed(1));
      if (word.dataset.y !== undefined) word.setAttribute("y", (ty + sy * word.dataset.y).toFixed(1));
    }
  }

  // Returns the view with one scale on both axes and the same center.
  evened(view) {
    const scale = Math.max((view.x1 - view.x0) / this.W, (view.y1 - view.y0) / H);
    const x = 0.5 * (view.x0 + view.x1), y = 0.5 * (view.y0 + view.y1), w = 0.5 * scale * this.W, h = 0.5 * scale * H;
    return { x0: x - w, x1: x + w, y0: y - h, y1: y + h };
  }

  // Shows a view of this plot; linked plots follow along the horizontal axis.
  zoom(view) {
    for (const other of this.linked) other.show(other === this ? view : { ...other.view, x0: view.x0, x1: view.x1 });
  }

  reset() {
    for (const other of this.linked) other.show(other === this ? this.all : { ...other.view, x0: other.all.x0, x1: other.all.x1 });
  }

  press(event) {
    if (event.button !== 0 || event.pointerType === "touch") return;
    this.begin = this.place(event);
    this.svg.setPointerCapture(event.pointerId);
  }

  move(event) {
    const here = this.place(event), at = this.value(here);
    const told = (value, log) => text(log ? 10 ** value : value);
    this.readout.textContent = `${told(at.x, this.xlog)}, ${told(at.y, this.ylog)}`;
    if (!this.begin) return;
    const box = { x: Math.min(here.x, this.begin.x), y: Math.min(here.y, this.begin.y), width: Math.abs(here.x - this.begin.x), height: Math.abs(here.y - this.begin.y) };
    for (const name in box) this.box.setAttribute(name, box[name]);
  }

  release(event) {
    if (!this.begin) return;
    const one = this.begin, other = this.place(event), wide = Math.abs(one.x - other.x), high = Math.abs(one.y - other.y);
    this.drop();
    if (wide < 6 && high < 6) return;
    const a = this.value({ x: Math.min(one.x, other.x), y: Math.max(one.y, other.y) });
    const b = this.value({ x: Math.max(one.x, other.x), y: Math.min(one.y, other.y) });
    const view = { ...this.view };
    if (wide >= 6) [view.x0, view.x1] = [a.x, b.x];
    if (high >= 6) [view.y0, view.y1] = [a.y, b.y];
    this.zoom(view);
  }

  drop() {
    this.begin = null;
    for (const name of ["width", "height"]) this.box.setAttribute(name, 0);
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // the browser scrolls the page
    event.preventDefault();
    const at = this.value(this.place(event)), factor = Math.exp(0.0015 * event.deltaY), v = this.view;
    const view = { ...v, x0: at.x + (v.x0 - at.x) * factor, x1: at.x + (v.x1 - at.x) * factor };
    if (event.shiftKey) [view.y0, view.y1] = [at.y + (v.y0 - at.y) * factor, at.y + (v.y1 - at.y) * factor];
    this.zoom(view);
  }
}

function begin() {
  for (const figure of document.querySelectorAll("figure")) {
    const along = {};
    for (const cell of figure.querySelectorAll(".cell")) {
      const plot = new Plot(cell.querySelector("svg.panel"));
      plot.linked = along[cell.dataset.along] ??= [];
      plot.linked.push(plot);
    }
    for (const button of figure.querySelectorAll(".legend button")) {
      button.addEventListener("click", () => {
        const off = button.classList.toggle("off");
        for (const path of figure.querySelectorAll(".curves path")) if (path.dataset.curve === button.dataset.curve) path.classList.toggle("off", off);
      });
    }
  }
}

begin();
