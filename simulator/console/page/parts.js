// State of the parts of the drive: processes, streams, sensors, faults, driver.
"use strict";

const LIVE = "live", ENDED = "ended", UNKNOWN = "unknown";
let partsAre = LIVE;

function showParts(status) {
  parts = status;
  map.goal = status.goal;
  map.areas = status.faults.filter((one) => one.area && one.level > 0).map((one) => [one.name, ...one.area]);
  map.moved = new Map(status.moved.map(([row, ...pose]) => [row, pose]));
  chip("active", `driver: ${status.driver}${status.phase ? ` (${status.phase})` : ""}${status.offered ? `, ▲ asked: ${status.offered}` : ""}`, status.offered ? "warn" : "good");
  listParts(status);
  showFaults(status.faults);
  showTuning(status);
}

// Marks the parts as live, ended with the drive, or unknown without a connection: then nothing on the page may run or send.
function markParts(are) {
  if (are === partsAre) return;
  partsAre = are;
  if (parts) listParts(parts);
}

function listParts(status) {
  const now = (live) => ({ [LIVE]: live, [ENDED]: "■ ended", [UNKNOWN]: "– unknown" })[partsAre];
  const lines = [
    ["■", "console", now("● connected")],
    ...status.processes.map((one) => ["■", one.name, `${now({ good: "● runs", starts: "◌ starts", bad: "✕ missing" }[one.state])} ${one.text}`]),
    ...status.streams.map((one) => ["→", `${one.name} to ${one.address}`, one.trouble ? `✕ ${one.trouble}` : `${now(one.refused ? "▲ nobody receives" : "● sends")}, ${one.sent} sent, ${one.lost} lost`]),
    ...status.outlets.map((one) => ["→", `outlet ${one.name}`, `${one.missed} samples missed, ${one.dropped} events dropped`]),
    ...status.sensors.map((one) => ["◎", `sensor ${one.name}`, one.trouble ? `✕ ${one.trouble}` : `${now("●")} ${one.late} late, ${one.skipped} skipped`]),
    ["", "incidents, collisions", `${status.incidents}, ${status.collisions}`],
  ];
  rows("parts", lines.map(([mark, name, text]) => [`${mark} ${name}`, text]));
}
