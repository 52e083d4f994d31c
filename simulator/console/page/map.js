// Map: roads, objects, course, goal, track and vehicle from above; x to the right, y up, all in the world [m].
"use strict";

const LABELS = { vegetation: GREEN, building: "#5b6470", vehicle: "#6a2c91", person: RED, cone: "#b34700", rock: "#4a3b2a" };

class WorldMap {
  constructor(canvas, follow) {
    this.canvas = canvas; this.follow = follow;
    this.center = [0, 0]; this.size = 80; this.scene = null; this.track = []; this.place = null; this.yaw = 0;
    this.target = null; this.goal = null; this.areas = []; this.moved = new Map(); this.onPick = () => {};
    this.dragged = null;
    canvas.addEventListener("pointerdown", (event) => { this.dragged = [event.offsetX, event.offsetY, 0]; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", (event) => {
      if (this.dragged && this.dragged[2] < 4) this.pick(this.inWorld(event.offsetX, event.offsetY));
      this.dragged = null;
    });
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2); }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const step = 0.1 * this.size, moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (event.key in moves) this.move(...moves[event.key]);
    else if (event.key === "+") this.zoom(1 / 1.2);
    else if (event.key === "-") this.zoom(1.2);
    else if (event.key === "Enter") this.pick([...this.center]);
    else return;
    event.preventDefault(); event.stopPropagation();
  }

  drag(event) {
    if (!this.dragged) return;
    const dx = event.offsetX - this.dragged[0], dy = event.offsetY - this.dragged[1], scale = this.scale();
    this.dragged = [event.offsetX, event.offsetY, this.dragged[2] + Math.hypot(dx, dy)];
    if (this.dragged[2] >= 4) this.move(-dx / scale, dy / scale);
  }

  move(dx, dy) { this.follow.checked = false; this.center = [this.center[0] + dx, this.center[1] + dy]; this.draw(); }
  zoom(factor) { this.size = Math.min(20000, Math.max(10, this.size * factor)); this.draw(); }
  scale() { return Math.min(this.canvas.clientWidth, this.canvas.clientHeight * 1.6) / this.size; }
  pick(point) { this.target = point; this.onPick(point); this.draw(); }
  inWorld(u, v) { const s = this.scale(); return [this.center[0] + (u - this.canvas.clientWidth / 2) / s, this.center[1] - (v - this.canvas.clientHeight / 2) / s]; }

  draw() {
    const [g, width, height] = cleared(this.canvas);
    if (!this.place || !width) return;
    if (this.follow.checked) this.center = [...this.place];
    const scale = this.scale(), [cx, cy] = this.center;
    const x = (v) => width / 2 + scale * (v - cx), y = (v) => height / 2 - scale * (v - cy);
    const line = (points, color, wide, dash = []) => {
      g.strokeStyle = color; g.lineWidth = wide; g.setLineDash(dash); g.beginPath();
      points.forEach((p, n) => (n && !p[2] ? g.lineTo(x(p[0]), y(p[1])) : g.moveTo(x(p[0]), y(p[1])))); g.stroke(); g.setLineDash([]);
    };
    const seen = (p, room) => Math.abs(x(p[0]) - width / 2) < width / 2 + room && Math.abs(y(p[1]) - height / 2) < height / 2 + room;
    this.grid(g, width, height, x, y);
    const scene = this.scene;
    if (scene) {
      for (const road of scene.roads) line(road.points, "#d5cdbb", Math.max(2, road.width * scale));
      for (const lane of scene.lanes) line(lane, "#a9b7c6", 1);
      if (scene.bounds) { const [x0, x1, y0, y1] = scene.bounds; line([[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]], INK, 2, [8, 4]); }
      for (const one of scene.objects) { const [points, radius] = this.outlineOf(one); if (seen(points[0], 60)) this.object(g, one, points, radius, x, y, scale); }
      line(scene.path, "#8a5a00", 2, [10, 5]);
      for (const cone of scene.cones) { g.fillStyle = "#b34700"; g.beginPath(); const u = x(cone[0]), v = y(cone[1]); g.moveTo(u, v - 5); g.lineTo(u + 4, v + 4); g.lineTo(u - 4, v + 4); g.fill(); }
    }
    for (const area of this.areas) this.area(g, area, x, y, scale);
    this.drawGoal(g, x, y, scale);
    line(this.track, BLUE, 2);
    if (this.target) { const u = x(this.target[0]), v = y(this.target[1]); g.strokeStyle = RED; g.lineWidth = 2; g.beginPath(); g.moveTo(u - 9, v); g.lineTo(u + 9, v); g.moveTo(u, v - 9); g.lineTo(u, v + 9); g.stroke(); g.beginPath(); g.arc(u, v, 6, 0, 7); g.stroke(); }
    this.vehicle(g, x, y, scale);
    const bar = roundStep(width / scale, 5);
    g.strokeStyle = g.fillStyle = INK; g.lineWidth = 2; g.beginPath(); g.moveTo(8, height - 8); g.lineTo(8 + scale * bar, height - 8); g.stroke();
    g.fillText(`${bar} m`, 8, height - 12);
  }

  grid(g, width, height, x, y) {
    const step = roundStep(width / this.scale(), 5), [left, top] = this.inWorld(0, 0), [right, bottom] = this.inWorld(width, height);
    g.strokeStyle = "#e3e7eb"; g.lineWidth = 1; g.beginPath();
    for (let u = Math.ceil(left / step) * step; u < right; u += step) { g.moveTo(x(u), 0); g.lineTo(x(u), height); }
    for (let v = Math.ceil(bottom / step) * step; v < top; v += step) { g.moveTo(0, y(v)); g.lineTo(width, y(v)); }
    g.stroke();
  }

  // Points and radius of an object where it is now; those of an object at rest are those of the begin, an object that has fallen has another outline.
  outlineOf(one) {
    const at = this.moved.get(one.row);
    if (!at) return [one.points, one.radius];
    if (at.length > 3) return [at[3], at[4]];
    const [x0, y0, yaw0] = one.pose, c = Math.cos(at[2] - yaw0), s = Math.sin(at[2] - yaw0);
    return [one.points.map(([x, y]) => [at[0] + c * (x - x0) - s * (y - y0), at[1] + s * (x - x0) + c * (y - y0)]), one.radius];
  }

  object(g, one, points, radius, x, y, scale) {
    g.fillStyle = LABELS[one.label] || "#39414a"; g.strokeStyle = INK; g.lineWidth = 1; g.beginPath();
    if (radius > 0) for (const p of points) g.arc(x(p[0]), y(p[1]), Math.max(1.5, scale * radius), 0, 7);
    else points.forEach((p, n) => (n ? g.lineTo(x(p[0]), y(p[1])) : g.moveTo(x(p[0]), y(p[1]))));
    g.closePath(); g.fill(); g.stroke();
    if (this.size < 60) { g.fillStyle = INK; g.fillText(one.name, x(points[0][0]) + 5, y(points[0][1]) - 5); }
  }

  // Rectangle of the ground in which a fault acts: name, center, length, width, heading.
  area(g, [name, u, v, length, width, heading], x, y, scale) {
    g.save(); g.translate(x(u), y(v)); g.rotate(-heading); g.strokeStyle = RED; g.lineWidth = 2; g.setLineDash([3, 3]);
    const l = length * scale, w = width * scale;
    g.strokeRect(-l / 2, -w / 2, l, w); g.beginPath(); g.moveTo(-l / 2, -w / 2); g.lineTo(l / 2, w / 2); g.moveTo(-l / 2, w / 2); g.lineTo(l / 2, -w / 2); g.stroke();
    g.restore(); g.fillStyle = RED; g.fillText(`▲ ${name}`, x(u) + 4, y(v) - 4);
  }

  drawGoal(g, x, y, scale) {
    if (!this.goal) return;
    const [u, v, r] = this.goal;
    g.strokeStyle = GREEN; g.lineWidth = 3; g.setLineDash([4, 3]); g.beginPath(); g.arc(x(u), y(v), Math.max(5, r * scale), 0, 7); g.stroke(); g.setLineDash([]);
    g.fillStyle = GREEN; g.fillText("goal", x(u) + 6, y(v) - 6);
  }

  vehicle(g, x, y, scale) {
    const v = this.scene && this.scene.vehicle, s = Math.max(scale, 2.2);
    g.save(); g.translate(x(this.place[0]), y(this.place[1])); g.rotate(-this.yaw); g.fillStyle = RED; g.strokeStyle = INK; g.lineWidth = 1;
    const front = v ? v.front * s : 10, back = v ? (v.front - v.length) * s : -8, half = v ? 0.5 * v.width * s : 6;
    g.beginPath(); g.moveTo(front, 0); g.lineTo(front - 0.3 * (front - back), -half); g.lineTo(back, -half); g.lineTo(back, half); g.lineTo(front - 0.3 * (front - back), half); g.closePath(); g.fill(); g.stroke(); g.restore();
  }
}
