// Page of the operator: states and events from the console, actions to it.
"use strict";

const TRAIL = 90, MOST_TRACK = 4000, TRACK_STEP = 0.5, MOST_EVENTS = 200, QUIET = 1000, ASLEEP = 500, DRAW_PERIOD = 60, PLOT_PERIOD = 100;
const numbered = (name, count) => Array.from({ length: count }, (_, n) => `${name}_${n}`);
const BASE = [
  "time", "p_WB_x", "p_WB_y", "p_WB_z", "roll", "pitch", "yaw", "v_WB_B_x", "a_WG_B_x", "a_WG_B_y", "steering_wheel_angle", "command_throttle",
  "command_brake", "command_parking_brake", "gear", "engine_speed", "paused", "incident", "resets", "platform_state", "platform_p_NP_x",
  "platform_p_NP_y", "platform_p_NP_z", "platform_roll", "platform_pitch", "platform_yaw", "host_tick", "host_waits", "host_stopped",
  "host_armed", "host_real_time_factor", "host_overruns", "host_lateness_p99", "host_lateness_worst", "host_dropped", "host_intensity",
  "host_missed", ...numbered("host_leg_use", 6),
];
const FIRST_PLOTS = [["v_WB_B_x"], ["a_WG_B_x", "a_WG_B_y"], ["platform_p_NP_z", "platform_p_NP_x", "platform_p_NP_y"], ["host_lateness"]];
const BAD = new Set(["incident", "collision", "fault", "stop"]);
const PICTURES = ["camera", "lidar", "map"];
const MARKS_OF = { incident: "✕", collision: "✱", fault: "▲", stop: "■", note: "✎", add_fault: "▲", place: "⌖" };
const byId = (id) => document.getElementById(id);

let socket = null, names = [], now = {}, hello = null, role = "viewer", ended = false, hasNext = false, reason = "";
let trail = [], plots = [], units = new Map(), tick = -1, tickAt = 0, fresh = false, frameAt = 0, drawnAt = 0, plottedAt = 0;
const map = new WorldMap(byId("map"), byId("follow"));

function send(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
  socket.binaryType = "arraybuffer";
  socket.onmessage = (event) => (typeof event.data === "string" ? hear(JSON.parse(event.data)) : showPicture(event.data));
  socket.onclose = () => {
    role = "viewer";
    showRole(false, 0);
    if (!ended || hasNext) setTimeout(connect, 1000);
  };
}

function hear(message) {
  if (message.type === "state") takeState(message);
  else if (message.type === "columns") names = message.names;
  else if (message.type === "hello") begin(message);
  else if (message.type === "status") { if (actions) showParts(message); else parts = message; }
  else if (message.type === "role") { role = message.role; showRole(message.operated, message.pages, message.lost); }
  else if (message.type === "event") showEvent(message);
  else if (message.type === "question") ask(message);
  else if (message.type === "file") takeFile(message);
  else if (message.type === "refused") note(`▲ refused: ${message.kind}${message.origin ? ` of ${message.origin}` : ""}: ${message.text}`, "bad");
}

async function begin(message) {
  hello = message;
  ended = hasNext = false; reason = ""; parts = null;
  map.track = []; map.target = null; trail = []; tick = -1;
  byId("events").replaceChildren();
  byId("title").textContent = `– ${message.title}`;
  document.title = `Jounce: ${message.title}`;
  units = new Map(message.columns.map(([name, unit]) => [name, unit]));
  byId("columns").replaceChildren(...message.columns.map(([name, unit, meaning]) => {
    const option = document.createElement("option");
    option.value = name;
    option.label = `${name} [${unit}] ${meaning}`;
    return option;
  }));
  const drive = await (await fetch("/drive.json")).json();
  await plotsReady;
  map.scene = drive.scene;
  beginActions(drive.actions);
  byId("pictures").hidden = !message.pictures;
  if (!plots.length) plots = FIRST_PLOTS.map((columns, number) => new Plot(columns, number, byId("plots"), choose));
  window.sceneOfDrive = drive.scene;
  window.dispatchEvent(new Event("drive"));
  choose();
  choosePictures();
}

function choose() {
  send({ type: "plot", columns: [...new Set([...BASE, ...(window.sceneColumns || []).filter((name) => units.has(name)), ...plots.flatMap((plot) => plot.names)])] });
}

function choosePictures() {
  const shown = PICTURES.filter((part) => byId(`show_${part}`).checked);
  for (const part of PICTURES) if (!shown.includes(part)) byId(`figure_${part}`).hidden = true;
  send({ type: "pictures", names: shown });
}

// A message with a picture: number of the part, length of its title, title, JPEG or PNG file.
async function showPicture(data) {
  const bytes = new Uint8Array(data), part = PICTURES[bytes[0]], title = new TextDecoder().decode(bytes.subarray(2, 2 + bytes[1]));
  if (!byId(`show_${part}`).checked) return;
  const image = await createImageBitmap(new Blob([bytes.subarray(2 + bytes[1])])), canvas = byId(`picture_${part}`);
  canvas.width = image.width; canvas.height = image.height;
  canvas.getContext("2d").drawImage(image, 0, 0);
  byId(`figure_${part}`).hidden = false;
  const caption = byId(`figure_${part}`).querySelector("figcaption");
  if (part !== "map") caption.textContent = title;
}

function takeState(message) {
  now = {};
  names.forEach((name, n) => { now[name] = message.v[n]; });
  const seconds = performance.now() / 1000;
  if (now.host_tick !== tick) { tick = now.host_tick; tickAt = performance.now(); }
  for (const plot of plots) plot.add(seconds, now);
  const track = map.track, last = track[track.length - 1], gap = last ? Math.hypot(now.p_WB_x - last[0], now.p_WB_y - last[1]) : Infinity;
  if (gap > TRACK_STEP) track.push([now.p_WB_x, now.p_WB_y, gap > 20]);
  if (track.length > MOST_TRACK) map.track = track.filter((point, n) => n % 2 === 0 || point[2]);
  map.place = [now.p_WB_x, now.p_WB_y]; map.yaw = now.yaw;
  trail.push([now.a_WG_B_y, now.a_WG_B_x]);
  if (trail.length > TRAIL) trail.shift();
  fresh = true;
}

function chip(id, text, look) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
  element.className = `chip ${look}`;
}

function showRole(operated, pages, lost = false) {
  const has = role === "operator";
  chip("role", has ? "★ you have control" : lost ? "▲ the operator is lost" : operated ? "☆ another page has control" : "☆ no operator", has ? "good" : "warn");
  byId("role").title = `${pages} pages`;
  byId("control_text").textContent = has ? "Hand over" : "Take control";
  showButtons();
}

function showButtons() {
  const has = role === "operator";
  for (const one of document.querySelectorAll("[data-operator]")) one.disabled = !has;
  byId("acknowledge").disabled = !has || !now.host_stopped;
  byId("stop").classList.toggle("latched", Boolean(now.host_stopped));
  byId("pause_text").textContent = now.paused ? "Continue" : "Pause";
  byId("pause").disabled = !has || Boolean(now.host_stopped);
  if (!has) hideQuestion();
  showUndo();
}

function alarm(text) {
  const element = byId("alarm");
  element.hidden = !text;
  if (element.textContent !== text) element.textContent = text;
}

function rows(id, pairs) {
  const body = byId(id);
  while (body.rows.length > pairs.length) body.deleteRow(-1);
  while (body.rows.length < pairs.length) { const row = body.insertRow(); row.insertCell(); row.insertCell(); }
  pairs.forEach((pair, n) => pair.forEach((text, column) => {
    const cell = body.rows[n].cells[column];
    if (cell.textContent !== text) cell.textContent = text;
  }));
}

function draw() {
  requestAnimationFrame(draw);
  const moment = performance.now();
  if (moment - frameAt > ASLEEP) tickAt = moment; // this page was asleep, not the drive
  frameAt = moment;
  const open = socket && socket.readyState === WebSocket.OPEN, quiet = tick >= 0 && moment - tickAt > QUIET;
  chip("link", ended ? (hasNext ? "◌ the next run is being prepared" : `■ the drive has ended${reason && `: ${reason}`}`) : open ? (quiet ? "▲ no data" : "● connected") : "✕ not connected", ended || !open || quiet ? "bad" : "good");
  markParts(ended ? ENDED : open && !quiet ? LIVE : UNKNOWN);
  if (ended) chip("drive", "■ ended", "bad");
  alarm(ended ? "" : !open ? "Not connected: actions have no effect. Use the emergency stop of the platform." : quiet
    ? "The drive does not answer. Use the emergency stop of the platform."
    : now.host_stopped ? "The platform is stopped. The operator has to acknowledge; the driver then raises it at the vehicle." : "");
  if (!fresh || !actions || moment - drawnAt < DRAW_PERIOD) return;
  fresh = false;
  drawnAt = moment;
  showState();
  if (moment - plottedAt < PLOT_PERIOD) return;
  plottedAt = moment;
  for (const plot of plots) plot.draw(moment / 1000, units);
}

function showState() {
  const state = hello.states[now.platform_state] || "–";
  const ends = parts && parts.ending;
  if (!ended) chip("drive", ends ? `■ ends: ${ends}` : now.host_waits ? "▲ waits for the platform" : now.paused ? "❚❚ paused" : now.incident ? "✕ incident" : "▶ drives", now.incident || ends ? "bad" : now.paused ? "warn" : "good");
  const isBad = state === "stopped" || state === "fault";
  chip("platform", `${state === "stopped" ? "■" : state === "fault" ? "✕" : "◆"} platform: ${state}`, isBad ? "bad" : "good");
  showButtons();
  byId("position").textContent = `x ${fixed(now.p_WB_x, 1, "m")}, y ${fixed(now.p_WB_y, 1, "m")}`;
  byId("gg_text").textContent = `${fixed(now.a_WG_B_x, 1, "")}/ ${fixed(now.a_WG_B_y, 1, "m/s²")}`;
  map.draw();
  drawGg(byId("gg"), trail);
  drawPedals(byId("pedals"), now.steering_wheel_angle || 0, [["throttle", now.command_throttle], ["brake", now.command_brake], ["parking", now.command_parking_brake]]);
  drawLegs(byId("legs"), [0, 1, 2, 3, 4, 5].slice(0, map.scene.platform.legs).map((n) => now[`host_leg_use_${n}`]));
  rows("driver", [
    ["speed", fixed(3.6 * now.v_WB_B_x, 1, "km/h")], ["steering wheel", fixed(degrees(now.steering_wheel_angle), 0, "°")],
    ["gear", `${now.gear}`], ["engine", fixed((30 / Math.PI) * now.engine_speed, 0, "rpm")], ["time", fixed(now.time, 2, "s")], ["restarts", `${now.resets}`],
  ]);
  rows("numbers", [
    ["state, armed", `${state}, ${now.host_armed ? "yes" : "no"}`],
    ["x, y, z", ["x", "y", "z"].map((axis) => fixed(1000 * now[`platform_p_NP_${axis}`], 0, "mm")).join(", ")],
    ["roll, pitch, yaw", ["roll", "pitch", "yaw"].map((angle) => fixed(degrees(now[`platform_${angle}`]), 1, "°")).join(", ")],
    ["lateness p99, worst", `${fixed(1000 * now.host_lateness_p99, 2, "ms")}, ${fixed(1000 * now.host_lateness_worst, 2, "ms")}`],
    ["late ticks, time lost", `${now.host_overruns}, ${fixed(now.host_dropped, 2, "s")}`],
    ["real-time factor", fixed(now.host_real_time_factor, 2, "")],
    ["missed events", `${now.host_missed}`],
  ]);
  if (window.drawScene) window.drawScene(now);
}

function showEvent(event) {
  if (event.kind === "end") { ended = true; reason = event.value || ""; }
  if (event.kind === "next_run") hasNext = true;
  if (event.kind === "stop") hasNext = false;
  noteChange(event);
  const at = event.time_s === null ? "" : `${event.time_s.toFixed(2)} s`;
  const value = eventWords(event);
  note(`${MARKS_OF[event.kind] || ""} ${at} (tick ${event.tick}) ${event.origin}: ${event.kind} ${value}`, BAD.has(event.kind) ? "bad" : event.origin === "console" ? "own" : "");
}

function note(text, look) {
  const item = document.createElement("li");
  item.textContent = text;
  item.className = look;
  byId("events").prepend(item);
  while (byId("events").children.length > MOST_EVENTS) byId("events").lastChild.remove();
}

function scaleText(change) {
  const scale = Math.min(2, Math.max(1, Math.round(10 * (parseFloat(localStorage.getItem("scale") || "1") + change)) / 10));
  localStorage.setItem("scale", scale);
  document.documentElement.style.setProperty("--scale", scale);
  for (const plot of plots) plot.remake();
}

const ACTIONS = {
  stop: () => send({ type: "stop" }),
  acknowledge: () => act("acknowledge"),
  pause: () => act("pause", !now.paused),
  reset: () => act("reset"),
  upright: () => act("upright"),
  park: () => act("park"),
  ask: () => act("request_raise"),
  marker: mark,
  control: () => send({ type: role === "operator" ? "hand over" : "take" }),
  larger: () => scaleText(0.1),
  smaller: () => scaleText(-0.1),
};
// key: id of a button that it presses, or of a field to which it goes; words for the list of keys
const KEYS = {
  s: ["stop", "stop the platform (also Esc; in a field for text only Esc)"], a: ["acknowledge", "acknowledge the stop"], p: ["pause", "pause, continue"], r: ["reset", "restart the drive"],
  t: ["next", "go to the next run"], u: ["upright", "put the vehicle on its wheels"], k: ["park", "park the platform"], j: ["ask", "ask the driver to raise the platform"],
  m: ["marker", "write a marker into the log"], o: ["control", "take control, hand over"], z: ["undo", "undo the last change of the motion cueing"],
  b: ["switch_set", "switch between the sets A and B of the motion cueing"], w: ["save_washout", "save the washout as a file"], n: ["note", "go to the note"], f: ["fault_type", "go to the faults"], i: ["intensity", "go to the motion cueing"], l: ["map", "go to the map (arrows move, Enter chooses its center)"],
  x: ["place_x", "go to the place of the vehicle"], e: ["events", "go to the events"], "+": ["larger", "larger text"], "-": ["smaller", "smaller text"],
};

function openDetails(element) {
  element.open = true;
  element.querySelector("summary").focus();
}

function press(event) {
  // Only fields for text need the letter S: lists and numbers often keep the focus after a click, and must not block the stop.
  const isText = event.target.matches("input:not([type=checkbox]):not([type=range]):not([type=number])"), hasModifier = event.ctrlKey || event.altKey || event.metaKey;
  if (event.key === "Escape" || (event.key.toLowerCase() === "s" && !isText && !hasModifier)) {
    event.preventDefault();
    if (!event.repeat) ACTIONS.stop();
    return;
  }
  const inField = event.target.matches("input:not([type=checkbox]):not([type=range]), select");
  if (hasModifier || event.repeat || inField) return;
  if (event.key === "?") { openDetails(byId("keys")); return; }
  const found = KEYS[event.key.toLowerCase()], element = found && byId(found[0]);
  if (!element) return;
  event.preventDefault();
  if (element instanceof HTMLButtonElement) element.click();
  else if (element instanceof HTMLDetailsElement) openDetails(element);
  else element.focus();
}

for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", action);
byId("key_list").append(...Object.entries(KEYS).flatMap(([key, [, words]]) => {
  const term = document.createElement("dt"), meaning = document.createElement("dd"), box = document.createElement("kbd");
  box.textContent = key.toUpperCase(); term.append(box); meaning.textContent = words;
  return [term, meaning];
}));
addEventListener("keydown", press);
byId("to_keys").addEventListener("click", () => openDetails(byId("keys")));
map.onPick = pickPlace;
listenToForms();
listenToTuning();
new Worker("/beat.js").onmessage = () => send({ type: "beat" });

scaleText(0);
connect();
draw();
