// Motion cueing: intensity, parameters of the washout, undo, two sets of values, file; and questions of the drive, which the operator confirms.
"use strict";

const MOST_UNDO = 50, QUESTION_FROM = 1200, QUESTION_UNTIL = 14000;
let undone = [], changing = new Map(), question = null, questionAt = 0;

const parameter = () => actions.washout[Number(byId("parameter").value)];
const parameterValue = () => parts && parts.washout[Number(byId("parameter").value)];

function beginTuning() {
  undone = []; changing = new Map();
  hideQuestion();
  byId("parameter").replaceChildren(...actions.washout.map((one, n) => option(n, one.words)));
  byId("intensity").max = actions.most_intensity;
  byId("save_washout").hidden = !actions.washout.length;
  showParameter(true);
}

// Shows the selected parameter; an input that has the focus keeps what the operator writes.
function showParameter(isNew) {
  const one = actions && parameter(), value = parameterValue(), isKnown = value !== null && value !== undefined;
  byId("parameter_form").hidden = !one;
  if (!one) return;
  const [low, high] = one.free.map(shownNumber), unit = one.unit && ` ${one.unit}`;
  byId("parameter_unit").textContent = one.unit;
  byId("parameter_text").textContent = `now ${isKnown ? shownNumber(value) : "–"}; free from ${low} to ${high}${unit} around ${shownNumber(one.given)}${unit} of the file; beyond it, with a confirmation`;
  const input = byId("parameter_value");
  input.min = one.least; input.max = one.most;
  if (isNew && isKnown) input.value = shownNumber(value);
}

function setParameter(event) {
  event.preventDefault();
  const one = parameter();
  change("washout_parameter", { name: one.name, index: one.index, value: Number(byId("parameter_value").value) }, { name: one.name, index: one.index, value: parameterValue() }, one.words);
}

// Requests a change; what it was before waits for the event of the drive, and can then be undone.
function change(kind, value, before, words) {
  changing.set(kind, [kind, before, words]);
  act(kind, value);
}

function noteChange(event) {
  const waiting = event.origin === "console" && changing.get(event.kind);
  if (!waiting) return;
  changing.delete(event.kind);
  undone.push(waiting);
  if (undone.length > MOST_UNDO) undone.shift();
  showUndo();
}

function showUndo() {
  const last = undone[undone.length - 1];
  byId("undo_text").textContent = last ? `(${last[2]})` : "";
  byId("undo").disabled = role !== "operator" || !last;
}

function undo() {
  const last = undone.pop();
  if (last) act(last[0], last[1]);
  const shown = last && last[0] === "washout_parameter" && parameter();
  if (shown && shown.name === last[1].name && shown.index === last[1].index) byId("parameter_value").value = shownNumber(last[1].value);
  showUndo();
}

function switchSet() {
  if (parts) change("washout_set", parts.set === "A" ? "B" : "A", parts.set, `set ${parts.set}`);
}

function showTuning(status) {
  showParameter(false);
  if (document.activeElement !== byId("intensity")) byId("intensity").value = status.intensity;
  byId("intensity_text").textContent = `${Math.round(100 * status.intensity)} %, free up to ${Math.round(100 * actions.free_intensity)} %`;
  byId("set_text").textContent = `Set ${status.set}: switch to ${status.set === "A" ? "B" : "A"}`;
}

// Offers a file that the drive has written; only the page of the operator, who asked for it, downloads it.
function takeFile(message) {
  note(`✎ written: ${message.place}`, "own");
  if (role !== "operator") return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([message.text], { type: "application/yaml" }));
  link.download = message.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// A question of the drive. Confirm acts after a while only: a double click must not confirm.
function ask(message) {
  note(`▲ asks: ${message.text}`, "own");
  if (role !== "operator") return;
  question = message; questionAt = performance.now();
  byId("question_text").textContent = `${message.text[0].toUpperCase()}${message.text.slice(1)}. Confirm?`;
  byId("question").hidden = false;
  byId("confirm").disabled = true;
  setTimeout(() => { byId("confirm").disabled = question === null; }, QUESTION_FROM);
  setTimeout(() => { if (question === message) cancel(); }, QUESTION_UNTIL);
  byId("cancel").focus();
}

function hideQuestion() {
  question = null;
  byId("question").hidden = true;
}

function confirmQuestion() {
  if (question && performance.now() - questionAt >= QUESTION_FROM) act("confirm", question.number);
  hideQuestion();
}

function cancel() {
  if (question) changing.delete(question.kind);
  hideQuestion();
  if (parts) byId("intensity").value = parts.intensity;
}

function listenToTuning() {
  byId("parameter").addEventListener("change", () => showParameter(true));
  byId("parameter_form").addEventListener("submit", setParameter);
  byId("undo").addEventListener("click", undo);
  byId("switch_set").addEventListener("click", switchSet);
  byId("save_washout").addEventListener("click", () => act("save_washout"));
  byId("intensity").addEventListener("change", () => change("intensity", Number(byId("intensity").value), parts && parts.intensity, "intensity"));
  byId("confirm").addEventListener("click", confirmQuestion);
  byId("cancel").addEventListener("click", cancel);
}
