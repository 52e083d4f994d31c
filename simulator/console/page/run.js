// Page of a finished run: plays the states, shows plots and events. Uses the functions of drawings.js.
import { States } from "/run_data.js";
import { drawPose, drawTimeline, markOf, textOf, timeAt } from "/run_drawings.js";
import { Plots } from "/run_plots.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16], TRAIL = 3, SHORTEST_VIEW = 0.05;
const byId = (id) => document.getElementById(id);

let run = null, states = null, plots = null;
let now = 0, view = [0, 1], playing = false, speed = 1, before = 0, stale = true;

async function begin() {
  const answer = await fetch("/run.json");
  if (!answer.ok) throw new Error((await answer.text()).trim());
  run = await answer.json();
  byId("title").textContent = `– ${run.title}`;
  document.title = `Jounce: ${run.title}`;
  [now] = view = run.axis.slice();
  chip("link", `● ${brief(run.axis[1] - run.axis[0])} s, ${run.rows} rows`, "good");
  byId("columns").replaceChildren(...run.columns.map(([name, unit, meaning]) => {
    const option = document.createElement("option");
    option.value = name;
    option.label = `${name} [${unit}] ${meaning}`;
    return option;
  }));
  byId("speed").replaceChildren(...SPEEDS.map((one) => new Option(`${one} ×`, one, one === 1, one === 1)));
  Object.assign(byId("scrub"), { min: run.axis[0], max: run.axis[1], step: Math.max(0.01, (run.axis[1] - run.axis[0]) / 5000), value: now });
  rows("facts", run.facts);
  listEvents();
  states = new States(run.states, () => { stale = true; }, fail);
  plots = new Plots(byId("plots"), { columns: run.columns, events: run.events, zoom, seek, failed: fail });
  plots.view = view;
  for (const name of run.plots) plots.add(name);
  draw();
}

function fail(error) {
  byId("alarm").hidden = false;
  byId("alarm").textContent = `The console does not answer: ${error.message}`;
  chip("link", "✕ not connected", "bad");
}

function chip(id, text, look) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
  element.className = `chip ${look}`;
}

function rows(id, pairs) {
  const body = byId(id);
  while (body.rows.length < pairs.length) { const row = body.insertRow(); row.insertCell(); row.insertCell(); }
  pairs.forEach(([name, value], n) => { body.rows[n].cells[0].textContent = name; body.rows[n].cells[1].textContent = value; });
}

const times = (factor, value) => (value === null || value === undefined ? value : factor * value);

function listEvents() {
  byId("events_count").textContent = run.events.length ? `${run.events.length}, select one to go there` : "none";
  byId("events").replaceChildren(...run.events.map((event) => {
    const item = document.createElement("li"), button = document.createElement("button");
    button.type = "button";
    button.textContent = textOf(event);
    button.addEventListener("click", () => seek(event.at));
    item.className = markOf(event.kind)[2] === RED ? "bad" : "";
    item.append(button);
    return item;
  }));
  const kinds = new Set(run.events.map((event) => markOf(event.kind)));
  byId("legend").textContent = [...kinds].map(([sign, name]) => `${sign} ${name}`).join("   ");
}

function seek(time) {
  now = Math.min(run.axis[1], Math.max(run.axis[0], time));
  const width = view[1] - view[0];
  if (now < view[0] || now > view[1]) zoom(now - width / 2, now + width / 2);
  stale = true;
}

function zoom(from, to) {
  const width = Math.min(run.axis[1] - run.axis[0], Math.max(SHORTEST_VIEW, to - from));
  const first = Math.max(run.axis[0], Math.min(Number.isFinite(from) ? from : run.axis[0], run.axis[1] - width));
  view = [first, first + width];
  now = Math.min(view[1], Math.max(view[0], now));
  plots.look(...view);
  stale = true;
}

function zoomBy(factor) {
  const width = factor * (view[1] - view[0]), share = (now - view[0]) / (view[1] - view[0] || 1);
  zoom(now - share * width, now + (1 - share) * width);
}

function play(on) {
  playing = on;
  if (playing && now >= run.axis[1]) seek(run.axis[0]);
  before = performance.now();
  byId("play_text").textContent = playing ? "❚❚ Pause" : "▶ Play";
}

function change(step) {
  const place = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(speed) + step));
  speed = SPEEDS[place];
  byId("speed").value = speed;
  stale = true;
}

function toEvent(direction) {
  const ahead = run.events.filter((event) => direction * (event.at - now) > 1e-6).map((event) => event.at);
  if (ahead.length) seek(direction > 0 ? Math.min(...ahead) : Math.max(...ahead));
}

function draw() {
  requestAnimationFrame(draw);
  const wall = performance.now();
  if (playing) {
    seek(now + (speed * (wall - before)) / 1000);
    if (now >= run.axis[1]) play(false);
  }
  before = wall;
  if (!stale) return;
  stale = false;
  byId("scrub").value = now;
  byId("scrub").setAttribute("aria-valuetext", `${now.toFixed(2)} s`);
  drawTimeline(byId("timeline"), run.axis, view, now, run.events);
  plots.move(now);
  showEvent();
  const state = states.at(now, speed);
  if (state) show(state);
}

function showEvent() {
  let latest = -1;
  run.events.forEach((event, n) => { if (event.at <= now + 1e-6) latest = n; });
  [...byId("events").children].forEach((item, n) => {
    const button = item.firstChild, present = n === latest;
    if (button.classList.contains("present") !== present) {
      button.classList.toggle("present", present);
      if (present && playing) byId("events").scrollTop = item.offsetTop - byId("events").offsetTop - 40;
    }
  });
}

function show(state) {
  const platform = run.platform_states[state.platform_state];
  chip("drive", `${state.incident ? "✕ incident" : state.paused ? "❚❚ paused" : "▶ drives"}, ${now.toFixed(2)} s`, state.incident ? "bad" : state.paused ? "warn" : "good");
  chip("platform", `platform: ${platform || "none"}`, platform === "fault" ? "bad" : "good");
  byId("place").textContent = `x ${fixed(state.p_WB_x, 1, "m")}, y ${fixed(state.p_WB_y, 1, "m")}`;
  byId("gg_text").textContent = `${fixed(state.a_WG_B_x, 1, "")}/ ${fixed(state.a_WG_B_y, 1, "m/s²")}`;
  if (run.track.length) drawMap(byId("map"), run.track, [state.p_WB_x || 0, state.p_WB_y || 0], state.yaw || 0);
  drawGg(byId("gg"), states.trail(now, speed, TRAIL, "a_WG_B_y", "a_WG_B_x"));
  drawPedals(byId("pedals"), state.steering_wheel_angle || 0, [["throttle", state.command_throttle], ["brake", state.command_brake], ["parking", state.command_parking_brake]]);
  drawPose(byId("pose"), state);
  const [short, long] = run.legs, legs = [0, 1, 2, 3, 4, 5].map((n) => state[`platform_legs_${n}`]).filter((leg) => leg !== undefined);
  if (short && legs.length) drawLegs(byId("legs"), legs.map((leg) => (leg - short) / (long - short)));
  rows("driver", [
    ["speed", fixed(times(3.6, state.v_WB_B_x), 1, "km/h")], ["steering wheel", fixed(degrees(state.steering_wheel_angle), 0, "°")],
    ["gear", fixed(state.gear, 0, "")], ["engine", fixed(times(30 / Math.PI, state.engine_speed), 0, "rpm")],
    ["simulated time", fixed(state.time, 2, "s")], ["restarts", fixed(state.resets, 0, "")],
  ]);
  rows("numbers", [
    ["x, y, z", ["x", "y", "z"].map((axis) => fixed(times(1000, state[`platform_p_NP_${axis}`]), 0, "mm")).join(", ")],
    ["roll, pitch, yaw", ["roll", "pitch", "yaw"].map((angle) => fixed(degrees(state[`platform_${angle}`]), 1, "°")).join(", ")],
    ["lateness of the row", fixed(times(1000, state.lateness), 2, "ms")],
    ["collisions", fixed(state.collision_count, 0, "")],
  ]);
}

function scaleText(change) {
  const scale = Math.min(2, Math.max(1, Math.round(10 * (parseFloat(localStorage.getItem("scale") || "1") + change)) / 10));
  localStorage.setItem("scale", scale);
  document.documentElement.style.setProperty("--scale", scale);
  plots?.load();
  stale = true;
}

const ACTIONS = {
  play: () => play(!playing),
  previous: () => toEvent(-1),
  next: () => toEvent(1),
  zoom_in: () => zoomBy(0.5),
  zoom_out: () => zoomBy(2),
  whole: () => zoom(-Infinity, Infinity),
  larger: () => scaleText(0.1),
  smaller: () => scaleText(-0.1),
  add: () => plots.add(run.plots[0]),
};
const KEYS = {
  " ": ACTIONS.play, ",": ACTIONS.previous, ".": ACTIONS.next, z: ACTIONS.zoom_in, x: ACTIONS.zoom_out, w: ACTIONS.whole, "+": ACTIONS.larger,
  "-": ACTIONS.smaller, "[": () => change(-1), "]": () => change(1), home: () => seek(run.axis[0]), end: () => seek(run.axis[1]),
  arrowleft: (event) => seek(now - (event.shiftKey ? 0.1 : 1)), arrowright: (event) => seek(now + (event.shiftKey ? 0.1 : 1)),
};

function listen() {
  for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", action);
  byId("speed").addEventListener("change", () => { speed = parseFloat(byId("speed").value); stale = true; });
  byId("scrub").addEventListener("input", () => seek(parseFloat(byId("scrub").value)));
  const line = byId("timeline"), point = (event) => seek(timeAt(line, run.axis, event.offsetX));
  line.addEventListener("pointerdown", (event) => { line.setPointerCapture(event.pointerId); point(event); });
  line.addEventListener("pointermove", (event) => { if (line.hasPointerCapture(event.pointerId)) point(event); });
  addEventListener("resize", () => { stale = true; });
  addEventListener("keydown", (event) => {
    const target = event.target, isOwn = target.matches("input, select") || (event.key === " " && target.matches("button"));
    const action = KEYS[event.key.toLowerCase()];
    if (!action || isOwn || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action(event);
  });
}

scaleText(0);
begin().then(listen, fail);
