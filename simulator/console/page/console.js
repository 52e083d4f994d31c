// Page of the operator: states and events from the console, actions to it.
"use strict";

const SPAN = 20, TRAIL = 90, MOST_TRACK = 4000, TRACK_STEP = 0.5, MOST_EVENTS = 200, QUIET = 1000;
const BASE = [
  "time", "p_WB_x", "p_WB_y", "yaw", "v_WB_B_x", "a_WG_B_x", "a_WG_B_y", "steering_wheel_angle", "command_throttle", "command_brake",
  "command_parking_brake", "gear", "engine_speed", "paused", "incident", "resets", "platform_state", "platform_p_NP_x", "platform_p_NP_y",
  "platform_p_NP_z", "platform_roll", "platform_pitch", "platform_yaw", "host_tick", "host_waits", "host_stopped", "host_armed",
  "host_real_time_factor", "host_overruns", "host_lateness_p99", "host_lateness_worst", "host_dropped", "host_intensity", "host_missed",
  "host_leg_use_0", "host_leg_use_1", "host_leg_use_2", "host_leg_use_3", "host_leg_use_4", "host_leg_use_5",
];
const FIRST_PLOTS = ["v_WB_B_x", "a_WG_B_y", "platform_p_NP_z", "host_lateness"];
const BAD = new Set(["incident", "collision", "fault", "stop"]);
const byId = (id) => document.getElementById(id);

let socket = null, names = [], now = {}, hello = null, role = "viewer", ended = false;
let track = [], trail = [], plots = [], tick = -1, tickAt = 0, fresh = false;

function send(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
  socket.onmessage = (event) => hear(JSON.parse(event.data));
  socket.onclose = () => {
    role = "viewer";
    showRole(false, 0);
    if (!ended) setTimeout(connect, 1000);
  };
}

function hear(message) {
  if (message.type === "state") takeState(message);
  else if (message.type === "columns") names = message.names;
  else if (message.type === "hello") begin(message);
  else if (message.type === "role") { role = message.role; showRole(message.operated, message.pages); }
  else if (message.type === "event") showEvent(message);
  else if (message.type === "refused") note(`refused: ${message.kind}${message.origin ? ` of ${message.origin}` : ""}: ${message.text}`, "bad");
}

function begin(message) {
  hello = message;
  byId("title").textContent = `– ${message.title}`;
  document.title = `Jounce: ${message.title}`;
  const list = byId("columns");
  list.replaceChildren(...message.columns.map(([name, unit, meaning]) => {
    const option = document.createElement("option");
    option.value = name;
    option.label = `${name} [${unit}] ${meaning}`;
    return option;
  }));
  if (!plots.length) plots = FIRST_PLOTS.map(newPlot);
  choose();
}

function choose() {
  send({ type: "plot", columns: [...new Set([...BASE, ...plots.map((plot) => plot.name)])] });
}

function newPlot(name, number) {
  const box = document.createElement("div"), label = document.createElement("label"), input = document.createElement("input");
  const value = document.createElement("span"), canvas = document.createElement("canvas");
  input.value = name;
  input.setAttribute("list", "columns");
  label.append(`Plot ${number + 1} `, input, " ", value);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `plot ${number + 1} over time`);
  box.append(label, canvas);
  byId("plots").append(box);
  const plot = { name, canvas, value, points: [] };
  input.addEventListener("change", () => {
    plot.name = input.value.trim();
    plot.points = [];
    choose();
  });
  return plot;
}

function takeState(message) {
  now = {};
  names.forEach((name, n) => { now[name] = message.v[n]; });
  const seconds = performance.now() / 1000;
  if (now.host_tick !== tick) { tick = now.host_tick; tickAt = performance.now(); }
  for (const plot of plots) {
    if (!(plot.name in now)) continue;
    plot.points.push([seconds, now[plot.name]]);
    while (plot.points.length && plot.points[0][0] < seconds - SPAN) plot.points.shift();
  }
  const last = track[track.length - 1], gap = last ? Math.hypot(now.p_WB_x - last[0], now.p_WB_y - last[1]) : Infinity;
  if (gap > TRACK_STEP) track.push([now.p_WB_x, now.p_WB_y, gap > 20]);
  if (track.length > MOST_TRACK) track = track.filter((point, n) => n % 2 === 0 || point[2]);
  trail.push([now.a_WG_B_y, now.a_WG_B_x]);
  if (trail.length > TRAIL) trail.shift();
  fresh = true;
}

function chip(id, text, look) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
  element.className = `chip ${look}`;
}

function showRole(operated, pages) {
  const has = role === "operator";
  chip("role", has ? "★ you have control" : operated ? "another page has control" : "no operator", has ? "good" : "warn");
  byId("role").title = `${pages} pages`;
  byId("control_text").textContent = has ? "Hand over" : "Take control";
  showButtons();
}

function showButtons() {
  const has = role === "operator";
  for (const button of document.querySelectorAll("[data-operator]")) button.disabled = !has;
  byId("acknowledge").disabled = !has || !now.host_stopped;
  byId("stop").classList.toggle("latched", Boolean(now.host_stopped));
  byId("pause_text").textContent = now.paused ? "Continue" : "Pause";
  byId("pause").disabled = !has || Boolean(now.host_stopped);
}

function alarm(text) {
  const element = byId("alarm");
  element.hidden = !text;
  if (element.textContent !== text) element.textContent = text;
}

function rows(id, pairs) {
  const body = byId(id);
  while (body.rows.length < pairs.length) { const row = body.insertRow(); row.insertCell(); row.insertCell(); }
  pairs.forEach(([name, value], n) => { body.rows[n].cells[0].textContent = name; body.rows[n].cells[1].textContent = value; });
}

const fixed = (value, digits, unit) => (value === null || value === undefined ? "–" : `${value.toFixed(digits)} ${unit}`);
const degrees = (value) => (value === null || value === undefined ? value : (180 / Math.PI) * value);

function draw() {
  requestAnimationFrame(draw);
  const open = socket && socket.readyState === WebSocket.OPEN, quiet = tick >= 0 && performance.now() - tickAt > QUIET;
  chip("link", ended ? "■ the drive has ended" : open ? (quiet ? "▲ no data" : "● connected") : "✕ not connected", ended || !open || quiet ? "bad" : "good");
  alarm(ended ? "" : !open ? "Not connected: actions have no effect. Use the emergency stop of the platform." : quiet
    ? "The drive does not answer. Use the emergency stop of the platform."
    : now.host_stopped ? "The platform is stopped. The operator has to acknowledge; the driver then raises it at the vehicle." : "");
  if (!fresh) return;
  fresh = false;
  const state = hello.states[now.platform_state] || "–";
  chip("drive", now.host_waits ? "▲ waits for the platform" : now.paused ? "❚❚ paused" : now.incident ? "✕ incident" : "▶ drives", now.incident ? "bad" : now.paused ? "warn" : "good");
  chip("platform", now.host_stopped ? "■ platform stopped" : `platform: ${state}`, now.host_stopped || state === "fault" ? "bad" : "good");
  showButtons();
  byId("place").textContent = `x ${fixed(now.p_WB_x, 1, "m")}, y ${fixed(now.p_WB_y, 1, "m")}`;
  byId("gg_text").textContent = `${fixed(now.a_WG_B_x, 1, "")}/ ${fixed(now.a_WG_B_y, 1, "m/s²")}`;
  drawMap(byId("map"), track, [now.p_WB_x, now.p_WB_y], now.yaw);
  drawGg(byId("gg"), trail);
  drawPedals(byId("pedals"), now.steering_wheel_angle || 0, [["throttle", now.command_throttle], ["brake", now.command_brake], ["hand brake", now.command_parking_brake]]);
  drawLegs(byId("legs"), [0, 1, 2, 3, 4, 5].map((n) => now[`host_leg_use_${n}`]));
  rows("driver", [
    ["speed", fixed(3.6 * now.v_WB_B_x, 1, "km/h")], ["steering wheel", fixed(degrees(now.steering_wheel_angle), 0, "°")],
    ["gear", `${now.gear}`], ["engine", fixed((30 / Math.PI) * now.engine_speed, 0, "rpm")], ["time", fixed(now.time, 2, "s")], ["restarts", `${now.resets}`],
  ]);
  rows("numbers", [
    ["state, armed", `${state}, ${now.host_armed ? "yes" : "no"}`],
    ["x, y, z", ["x", "y", "z"].map((axis) => fixed(1000 * now[`platform_p_NP_${axis}`], 0, "mm")).join(", ")],
    ["roll, pitch, yaw", ["roll", "pitch", "yaw"].map((angle) => fixed(degrees(now[`platform_${angle}`]), 1, "°")).join(", ")],
    ["motion intensity", fixed(100 * now.host_intensity, 0, "%")],
    ["lateness p99, worst", `${fixed(1000 * now.host_lateness_p99, 2, "ms")}, ${fixed(1000 * now.host_lateness_worst, 2, "ms")}`],
    ["late ticks, time lost", `${now.host_overruns}, ${fixed(now.host_dropped, 2, "s")}`],
    ["real-time factor", fixed(now.host_real_time_factor, 2, "")],
    ["missed events", `${now.host_missed}`],
  ]);
  const seconds = performance.now() / 1000;
  for (const plot of plots) {
    const column = hello.columns.find(([name]) => name === plot.name), last = plot.points[plot.points.length - 1];
    plot.value.textContent = column ? `${last ? brief(last[1]) : "–"} ${column[1]}` : "no such column";
    drawPlot(plot.canvas, plot.points, seconds, SPAN, column ? column[1] : "");
  }
}

function showEvent(event) {
  if (event.kind === "end") ended = true;
  const at = event.time_s === null ? "" : `${event.time_s.toFixed(2)} s`;
  const value = event.value === null ? "" : typeof event.value === "object" ? JSON.stringify(event.value) : String(event.value);
  note(`${at} (tick ${event.tick}) ${event.origin}: ${event.kind} ${value}`, BAD.has(event.kind) ? "bad" : event.origin === "console" ? "own" : "");
}

function note(text, look) {
  const item = document.createElement("li");
  item.textContent = `${look === "bad" ? "▲ " : ""}${text}`;
  item.className = look;
  byId("events").prepend(item);
  while (byId("events").children.length > MOST_EVENTS) byId("events").lastChild.remove();
}

function scaleText(change) {
  const scale = Math.min(2, Math.max(1, Math.round(10 * (parseFloat(localStorage.getItem("scale") || "1") + change)) / 10));
  localStorage.setItem("scale", scale);
  document.documentElement.style.setProperty("--scale", scale);
}

const act = (kind, value = null) => send({ type: "act", kind, value });
const ACTIONS = {
  stop: () => send({ type: "stop" }),
  acknowledge: () => act("acknowledge"),
  pause: () => act("pause", !now.paused),
  reset: () => act("reset"),
  upright: () => act("upright"),
  park: () => act("park"),
  control: () => send({ type: role === "operator" ? "hand over" : "take" }),
  larger: () => scaleText(0.1),
  smaller: () => scaleText(-0.1),
};
const KEYS = { s: "stop", a: "acknowledge", p: "pause", r: "reset", u: "upright", k: "park", o: "control", "+": "larger", "-": "smaller" };

for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", action);
addEventListener("keydown", (event) => {
  if (event.key === "Escape") { ACTIONS.stop(); return; }
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target instanceof HTMLInputElement) return;
  const id = KEYS[event.key.toLowerCase()];
  if (id && !byId(id).disabled) { event.preventDefault(); ACTIONS[id](); }
});
new Worker("/beat.js").onmessage = () => send({ type: "beat" });

scaleText(0);
connect();
draw();
