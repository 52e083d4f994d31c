// Drawings of a finished run on canvases: events over time, pose of the platform. Uses the functions of drawings.js.

const MARKS = {
  incident: ["✕", "incident", RED], collision: ["◆", "collision", RED], fault: ["▲", "fault", RED], stop: ["■", "stop of the platform", RED],
  acknowledge: ["□", "acknowledged", GREEN], pause: ["‖", "pause", INK], reset: ["↺", "restart", BLUE], upright: ["↥", "upright", BLUE],
  platform: ["▽", "platform", GREEN], end: ["|", "end", INK],
};
const OTHER = ["●", "other event", INK];

// Returns sign, name and color of the events of a kind: kinds differ by the sign, not only by the color.
export function markOf(kind) {
  return MARKS[kind] || OTHER;
}

// Returns the text of an event.
export function textOf(event) {
  const value = eventWords(event);
  const at = event.tick === null ? "" : ` (tick ${event.tick})`;
  return `${markOf(event.kind)[0]} ${event.at.toFixed(2)} s${at} ${event.origin}: ${event.kind} ${value.length > 160 ? `${value.slice(0, 160)}…` : value}`;
}

// Events [{at, kind}, ...] over the whole run from `axis[0]` to `axis[1]`, with the window `view` of the plots and the time `now`.
export function drawTimeline(canvas, axis, view, now, events) {
  const [g, width, height] = cleared(canvas), span = axis[1] - axis[0] || 1, x = (t) => 6 + ((width - 12) * (t - axis[0])) / span;
  g.fillStyle = "#dfe8fa"; g.fillRect(x(view[0]), 0, x(view[1]) - x(view[0]), height);
  g.strokeStyle = GRID; g.fillStyle = INK; g.textAlign = "center"; g.textBaseline = "bottom";
  const step = roundStep(span, Math.max(2, width / 110));
  for (let t = Math.ceil(axis[0] / step) * step; t <= axis[1]; t += step) {
    g.beginPath(); g.moveTo(x(t), 0); g.lineTo(x(t), height); g.stroke();
    g.fillText(`${brief(t)} s`, Math.min(width - 20, Math.max(16, x(t))), height);
  }
  g.textBaseline = "top";
  const taken = new Set(), order = (event) => (markOf(event.kind)[2] === RED ? 0 : 1);
  for (const event of [...events].sort((one, other) => order(one) - order(other))) {
    const [sign, , color] = markOf(event.kind), at = x(event.at), place = Math.round(at / 8);
    if (taken.has(place)) continue;  // dense events: the important ones are drawn
    taken.add(place);
    g.strokeStyle = g.fillStyle = color; g.globalAlpha = 0.5;
    g.beginPath(); g.moveTo(at, 0); g.lineTo(at, height); g.stroke(); g.globalAlpha = 1;
    g.fillText(sign, at, 2);
  }
  g.strokeStyle = RED; g.lineWidth = 3; g.beginPath(); g.moveTo(x(now), 0); g.lineTo(x(now), height); g.stroke();
}

// Returns the time at a pixel of the timeline.
export function timeAt(canvas, axis, pixel) {
  const share = (pixel - 6) / (canvas.clientWidth - 12);
  return axis[0] + Math.min(1, Math.max(0, share)) * (axis[1] - axis[0]);
}

// Platform from behind and from the left: position [m] from neutral and angles [rad] of a state.
export function drawPose(canvas, state) {
  const [g, width, height] = cleared(canvas);
  if (state.platform_p_NP_z === undefined || state.platform_p_NP_z === null) { g.fillText("no platform in this log", 10, height / 2); return; }
  const scale = Math.min(width / 4.4, height / 1.6), views = [
    ["from behind", -state.platform_p_NP_y, state.platform_roll], ["from the left", -state.platform_p_NP_x, -state.platform_pitch],
  ];
  views.forEach(([name, shift, angle], n) => {
    const middle = (width * (2 * n + 1)) / 4, base = height - 22, neutral = base - 0.75 * scale, half = 0.6 * scale;
    const cx = middle + scale * shift, cy = neutral - scale * state.platform_p_NP_z, dx = half * Math.cos(angle), dy = half * Math.sin(angle);
    g.strokeStyle = GRID; g.beginPath(); g.moveTo(middle - half, neutral); g.lineTo(middle + half, neutral); g.stroke();
    g.strokeStyle = INK; g.lineWidth = 2; g.beginPath(); g.moveTo(middle - 1.2 * half, base); g.lineTo(middle + 1.2 * half, base);
    for (const [foot, top] of [[-1, -1], [0, -1], [0, 1], [1, 1]]) { g.moveTo(middle + foot * half, base); g.lineTo(cx + top * 0.8 * dx, cy + top * 0.8 * dy); }
    g.stroke();
    g.strokeStyle = BLUE; g.lineWidth = 5; g.beginPath(); g.moveTo(cx - dx, cy - dy); g.lineTo(cx + dx, cy + dy); g.stroke();
    g.fillStyle = RED; g.beginPath(); g.arc(cx, cy, 4, 0, 7); g.fill();
    g.fillStyle = INK; g.textAlign = "center"; g.textBaseline = "bottom"; g.lineWidth = 1.5; g.fillText(name, middle, height - 2);
  });
}
