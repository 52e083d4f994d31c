// Drawings of the console on canvases: map of a track, g-g diagram, pedals, legs.
"use strict";

const INK = "#16191d", GRID = "#ccd2d9", BLUE = "#0047c2", RED = "#a8001c", GREEN = "#00693a";

let fontSize = 11, fontAt = -Infinity;

// Returns the size of the letters on canvases in pixels, which follows the text scale.
function letterSize() {
  if (performance.now() - fontAt > 500) { fontAt = performance.now(); fontSize = 0.8 * parseFloat(getComputedStyle(document.documentElement).fontSize); }
  return fontSize;
}

// Returns the 2-D context of a canvas with the size of the canvas on the screen, cleared, and its width and height.
function cleared(canvas) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  const wide = Math.round(width * ratio), high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = `${letterSize()}px system-ui, sans-serif`;
  g.lineWidth = 1.5; g.textAlign = "start"; g.textBaseline = "alphabetic";
  return [g, width, height];
}

// Returns a round step so that `span` has about `count` of them.
function roundStep(span, count) {
  const raw = span / count, power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5, 10].find((n) => n * power >= raw) || 10);
}

function brief(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e5 || size < 1e-3) ? value.toExponential(2) : String(+value.toPrecision(4));
}

const fixed = (value, digits, unit) => (value === null || value === undefined ? "–" : `${value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1")} ${unit}`);
const degrees = (value) => (value === null || value === undefined ? value : (180 / Math.PI) * value);

// Words for the values of events.
const EVENT_WORDS = {
  collision: (one) => `${one.number} with ${one.name} (${one.label}) at ${one.closing_speed_ms.toFixed(1)} m/s`,
  incident: (one) => `${one.number}: ${one.reason}`,
  fault: (one) => `${one.part} ${one.begins ? "begins" : "ends"}`,
  add_fault: (one) => `${one.name || one.type}${one.ramp_s ? `, complete in ${one.ramp_s} s` : ""}${one.end_s ? `, until ${one.end_s.toFixed(2)} s` : ""}`,
  washout_parameter: (one) => `${one.name}${one.index === null ? "" : `[${one.index}]`}: ${brief(one.value)}`,
  intensity: (one) => `${brief(one)} (${Math.round(100 * one)} %)`,
  place: (one) => `at x ${one.x.toFixed(1)} m, y ${one.y.toFixed(1)} m, ${(one.heading_deg ?? degrees(one.heading)).toFixed(0)}°`,
};

// Returns the value of an event as text.
function eventWords({ kind, value }) {
  if (value === null || value === undefined) return "";
  if (kind in EVENT_WORDS) return EVENT_WORDS[kind](value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

// Track [[x, y], ...] in the world, vehicle at `place` with heading `yaw`; x to the right, y up.
function drawMap(canvas, track, place, yaw) {
  const [g, width, height] = cleared(canvas);
  if (!place) return;
  const xs = [place[0], ...track.map((p) => p[0])], ys = [place[1], ...track.map((p) => p[1])];
  const span = (all) => [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
  const [x0, x1] = span(xs), [y0, y1] = span(ys);
  const size = Math.max(40, 1.15 * (x1 - x0), 1.15 * (y1 - y0) * width / height), scale = width / size;
  const x = (v) => width / 2 + scale * (v - (x0 + x1) / 2), y = (v) => height / 2 - scale * (v - (y0 + y1) / 2);
  const bar = roundStep(size, 4);
  g.strokeStyle = BLUE; g.beginPath();
  track.forEach((p, n) => (n && !p[2] ? g.lineTo(x(p[0]), y(p[1])) : g.moveTo(x(p[0]), y(p[1]))));
  g.stroke();
  g.save(); g.translate(x(place[0]), y(place[1])); g.rotate(-yaw);
  g.fillStyle = RED; g.beginPath(); g.moveTo(10, 0); g.lineTo(-7, 6); g.lineTo(-3, 0); g.lineTo(-7, -6); g.fill(); g.restore();
  g.strokeStyle = g.fillStyle = INK; g.beginPath(); g.moveTo(8, height - 8); g.lineTo(8 + scale * bar, height - 8); g.stroke();
  g.fillText(`${bar} m`, 8, height - 12);
}

// Trail [[lateral, longitudinal], ...] in m/s2, the last one is now; + = left and forward.
function drawGg(canvas, trail) {
  const [g, width, height] = cleared(canvas), r = 0.46 * Math.min(width, height);
  const most = Math.max(5, ...trail.map((p) => Math.hypot(p[0], p[1]))), rings = roundStep(most, 2), scale = r / (rings * Math.ceil(most / rings));
  g.translate(width / 2, height / 2); g.strokeStyle = GRID; g.fillStyle = INK;
  for (let ring = rings; ring * scale <= r * 1.001; ring += rings) {
    g.beginPath(); g.arc(0, 0, ring * scale, 0, 7); g.stroke(); g.fillText(`${brief(ring)} m/s²`, 2, -ring * scale + 1.1 * letterSize());
  }
  g.beginPath(); g.moveTo(-r, 0); g.lineTo(r, 0); g.moveTo(0, -r); g.lineTo(0, r); g.stroke();
  g.fillText("accelerates", 2, -r + 2.3 * letterSize()); g.fillText("left", -r, -3); g.textAlign = "right"; g.fillText("right", r, -3);
  g.strokeStyle = BLUE; g.beginPath();
  for (const [a, b] of trail) g.lineTo(-a * scale, -b * scale);
  g.stroke();
  const last = trail[trail.length - 1];
  if (last) { g.fillStyle = RED; g.beginPath(); g.arc(-last[0] * scale, -last[1] * scale, 4, 0, 7); g.fill(); }
}

// Steering wheel angle [rad], + = left, and pedals 0 to 1 [[name, value], ...].
function drawPedals(canvas, angle, pedals) {
  const [g, width, height] = cleared(canvas), r = 0.42 * height;
  g.save(); g.translate(r + 10, height / 2); g.rotate(-angle); g.strokeStyle = INK; g.lineWidth = 5;
  g.beginPath(); g.arc(0, 0, r, 0, 7); g.moveTo(-r, 0); g.lineTo(r, 0); g.moveTo(0, 0); g.lineTo(0, r); g.stroke();
  g.strokeStyle = RED; g.beginPath(); g.moveTo(0, -r + 8); g.lineTo(0, -r - 4); g.stroke(); g.restore();
  drawBars(g, 2 * r + 30, width, height, pedals);
}

// Bars from 0 to 1 with names and values, side by side from x = `left`.
function drawBars(g, left, width, height, bars) {
  const each = (width - left) / bars.length, top = 1.4 * letterSize(), high = height - 2 * top;
  g.textAlign = "center";
  bars.forEach(([name, value], n) => {
    const x = left + n * each + 0.2 * each, wide = 0.6 * each, share = Math.min(1, Math.max(0, value || 0));
    g.strokeStyle = INK; g.strokeRect(x, top, wide, high);
    g.fillStyle = n % 2 ? GREEN : BLUE; g.fillRect(x, top + high * (1 - share), wide, high * share);
    g.fillStyle = INK; g.fillText(name, x + wide / 2, height - 0.35 * letterSize()); g.fillText(`${Math.round(100 * (value || 0))} %`, x + wide / 2, 0.8 * top);
  });
}

function drawLegs(canvas, uses) {
  const [g, width, height] = cleared(canvas);
  drawBars(g, 0, width, height, uses.map((use, n) => [`leg ${n + 1}`, use]));
}
