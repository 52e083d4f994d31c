// Actions with values: faults, driver, place, next run, notes. They are requests to the drive, which checks them and reports what it refuses.
"use strict";

let actions = null, parts = null, markers = 0;

const act = (kind, value = null) => send({ type: "act", kind, value });
const option = (value, text) => { const one = document.createElement("option"); one.value = value; one.textContent = text; return one; };
const shownNumber = (value) => String(+value.toPrecision(4));

function beginActions(found) {
  actions = found;
  byId("fault_type").replaceChildren(...actions.faults.map((one) => option(one.name, one.name.replaceAll("_", " "))));
  showFaultFields();
  byId("note").maxLength = actions.most_note;
  const drivers = actions.drivers || [];
  byId("drivers").hidden = drivers.length < 2;
  byId("driver_set").title = "a person is asked, and takes over by moving a control";
  byId("driver_choice").replaceChildren(...drivers.map((one) => option(one, one)));
  beginTuning();
  showNextRun();
}

// Inputs of the next run: names with "as now" first, and the weather, whose values count only if one of them is changed.
function showNextRun() {
  const names = Object.entries(actions.next).map(([key, all]) => {
    const label = document.createElement("label"), words = document.createElement("span"), select = document.createElement("select");
    words.textContent = key;
    select.dataset.next = key;
    select.append(option("", `as now${actions.now[key] ? ` (${actions.now[key]})` : ""}`), ...all.map((one) => option(one, one)));
    label.append(words, select);
    return label;
  });
  byId("next_fields").replaceChildren(...names, ...actions.weather.map(faultField));
  for (const input of byId("next_fields").querySelectorAll("input")) { input.required = false; input.dataset.was = input.value; }
}

function startNext(event) {
  event.preventDefault();
  const value = {}, inputs = [...byId("next_fields").querySelectorAll("input")];
  for (const select of byId("next_fields").querySelectorAll("select")) if (select.value) value[select.dataset.next] = select.value;
  if (inputs.some((input) => input.value !== input.dataset.was)) {
    value.weather = Object.fromEntries(inputs.filter((input) => input.value !== "").map((input) => [input.dataset.key, input.type === "number" ? Number(input.value) : input.value]));
  }
  act("next_run", value);
}

// Inputs of the chosen kind of fault: words as a list of choices, numbers with their unit and limits.
function showFaultFields() {
  const kind = actions.faults.find((one) => one.name === byId("fault_type").value);
  if (!kind) return;
  byId("fault_meaning").textContent = kind.meaning;
  const times = [
    { key: "ramp_s", words: "ramp", meaning: "time until the fault is complete", unit: "s", count: 1, least: actions.shortest_ramp, most: 86400, default: kind.ramp },
    { key: "lasts_s", words: "lasts", meaning: "time after which the fault ends (empty: never)", unit: "s", count: 1, least: 0.1, most: 86400, default: null, empty: "no end" },
  ];
  byId("fault_fields").replaceChildren(...[...kind.fields, ...times].map(faultField));
}

function faultField(field) {
  const label = document.createElement("label");
  const words = document.createElement("span");
  label.title = field.meaning;
  words.textContent = `${field.words}${field.unit ? ` [${field.unit}]` : ""}`;
  label.append(words);
  if (field.choices) {
    const select = document.createElement("select");
    select.dataset.key = field.key;
    select.append(...field.choices.map((word) => option(word, word)));
    label.append(select);
    return label;
  }
  for (let n = 0; n < Math.max(1, field.count); n += 1) {
    const input = document.createElement("input");
    input.dataset.key = field.key;
    input.type = field.count ? "number" : "text";
    input.step = "any"; input.required = Boolean(field.required);
    if (field.count) { input.min = field.least; input.max = field.most; }
    if (field.count > 1) input.setAttribute("aria-label", `${field.words} ${n + 1}`);
    const preset = Array.isArray(field.default) ? field.default[n] : field.default;
    if (preset !== null && preset !== undefined) input.value = field.count ? shownNumber(preset) : preset;
    if (field.empty) input.placeholder = field.empty;
    label.append(input);
  }
  return label;
}

function addFault(event) {
  event.preventDefault();
  const entry = { type: byId("fault_type").value }, found = new Map();
  for (const input of byId("fault_fields").querySelectorAll("[data-key]")) {
    if (input.value === "") continue;
    const value = input.type === "number" ? Number(input.value) : input.value;
    found.set(input.dataset.key, [...(found.get(input.dataset.key) || []), value]);
  }
  for (const [key, values] of found) entry[key] = values.length > 1 ? values : values[0];
  if (entry.lasts_s !== undefined) { entry.end_s = now.time + entry.lasts_s; delete entry.lasts_s; }
  act("add_fault", entry);
}

function pickPlace(point) {
  byId("place_x").value = point[0].toFixed(1);
  byId("place_y").value = point[1].toFixed(1);
  if (byId("place_heading").value === "") byId("place_heading").value = Math.round(degrees(map.yaw));
}

function place(event) {
  event.preventDefault();
  const heading = byId("place_heading").value, value = { x: Number(byId("place_x").value), y: Number(byId("place_y").value) };
  act("place", heading === "" ? value : { ...value, heading_deg: Number(heading) });
}

// Fills the fault "ice patch" with the place that is chosen on the map, or with one ahead of the vehicle.
function patchHere() {
  byId("fault_type").value = "ice_patch";
  showFaultFields();
  const [x, y] = map.target || [now.p_WB_x + 20 * Math.cos(now.yaw), now.p_WB_y + 20 * Math.sin(now.yaw)];
  const values = { center: [x.toFixed(1), y.toFixed(1)], size: [20, 10], heading_deg: [Math.round(degrees(now.yaw))] };
  for (const [key, list] of Object.entries(values)) byId("fault_fields").querySelectorAll(`[data-key="${key}"]`).forEach((input, n) => { input.value = list[n]; });
  byId("fault_type").focus();
}

function showFaults(faults) {
  const list = byId("faults");
  if (list.dataset.names !== faults.map((one) => one.name).join()) {
    list.dataset.names = faults.map((one) => one.name).join();
    list.replaceChildren(...faults.map((one) => {
      const item = document.createElement("li"), text = document.createElement("span"), end = document.createElement("button");
      end.type = "button"; end.textContent = "End"; end.dataset.operator = ""; end.setAttribute("aria-label", `end ${one.name}`);
      end.addEventListener("click", () => act("end_fault", one.name));
      item.title = one.text; item.append(text, " ", end);
      return item;
    }));
    showButtons();
  }
  faults.forEach((one, n) => {
    const text = `${one.level > 0 ? "▲" : "○"} ${one.name}: ${Math.round(100 * one.level)} %`;
    const span = list.children[n].firstChild;
    if (span.textContent !== text) span.textContent = text;
  });
}

function mark() {
  markers += 1;
  act("note", `marker ${markers}`);
}

function writeNote(event) {
  event.preventDefault();
  act("note", byId("note").value);
  byId("note").value = "";
}

function listenToForms() {
  byId("fault_type").addEventListener("change", showFaultFields);
  byId("fault_form").addEventListener("submit", addFault);
  byId("place_form").addEventListener("submit", place);
  byId("place_ice").addEventListener("click", patchHere);
  byId("next_form").addEventListener("submit", startNext);
  byId("note_form").addEventListener("submit", writeNote);
  byId("driver_set").addEventListener("click", () => act("driver", byId("driver_choice").value));
  byId("nearer").addEventListener("click", () => map.zoom(1 / 1.2));
  byId("farther").addEventListener("click", () => map.zoom(1.2));
  for (const part of PICTURES) byId(`show_${part}`).addEventListener("change", choosePictures);
}
