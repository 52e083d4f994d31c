// Vehicle and motion platform in 3-D. World axes of the simulation (z up) are those of the scenes.
import * as THREE from "./three.module.min.js";

const PERIOD = 90, VERTEX_BYTES = 12;
const columnsOf = (wheel) => [`p_BK_${wheel}_x`, `p_BK_${wheel}_y`, `p_BK_${wheel}_z`, `road_wheel_angle_${wheel}`, `wheel_angle_${wheel}`];

class View {
  constructor(renderer, distance, height) {
    this.canvas = renderer.domElement;
    this.renderer = renderer;
    this.renderer.setClearColor(0xfbfcfd);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.1, 200);
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(0.8 * distance, 0.6 * distance, height);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x888888, 2.2));
    const sun = new THREE.DirectionalLight(0xffffff, 1.5);
    sun.position.set(3, 4, 8);
    this.scene.add(sun);
  }

  draw(target) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width) return;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.camera.lookAt(...target);
    this.renderer.render(this.scene, this.camera);
  }
}

const solid = (color) => new THREE.MeshLambertMaterial({ color });

// Returns the mesh of a text: vertices in base 64 with position (3 x int16), normal (3 x int8) and color (3 x uint8).
function meshOf(text, unit, material) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)), data = new DataView(bytes.buffer), count = bytes.length / VERTEX_BYTES;
  const position = new Float32Array(3 * count), normal = new Float32Array(3 * count), color = new Float32Array(3 * count), one = new THREE.Color();
  for (let n = 0; n < count; n += 1) {
    const at = n * VERTEX_BYTES;
    for (let k = 0; k < 3; k += 1) {
      position[3 * n + k] = unit * data.getInt16(at + 2 * k, true);
      normal[3 * n + k] = data.getInt8(at + 6 + k) / 127;
    }
    one.setRGB(data.getUint8(at + 9) / 255, data.getUint8(at + 10) / 255, data.getUint8(at + 11) / 255, THREE.SRGBColorSpace).toArray(color, 3 * n);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
  geometry.setAttribute("color", new THREE.BufferAttribute(color, 3));
  return new THREE.Mesh(geometry, material);
}

class Vehicle extends View {
  constructor(renderer, about) {
    super(renderer, 1.7 * about.length, 0.65 * about.length);
    this.body = new THREE.Group();
    this.body.rotation.order = "ZYX";
    const painted = new THREE.MeshLambertMaterial({ vertexColors: true, side: THREE.DoubleSide });
    const pane = new THREE.MeshLambertMaterial({ vertexColors: true, side: THREE.DoubleSide, transparent: true, opacity: 0.45, depthWrite: false });
    this.body.add(meshOf(about.solid, about.unit, painted), meshOf(about.glass, about.unit, pane));
    const tire = meshOf(about.wheel, about.unit, painted);
    this.wheels = about.wheels.map((one) => this.wheel(one, tire));
    this.scene.add(this.body);
    this.ground = new THREE.GridHelper(20, 20, 0x8894a0, 0xc4ccd4);
    this.ground.rotation.x = Math.PI / 2;
    this.ground.position.z = about.low;
    this.scene.add(this.ground);
  }

  wheel(one, tire) {
    const carrier = new THREE.Group(), spin = new THREE.Group(), mesh = tire.clone();
    spin.add(mesh);
    carrier.rotation.order = "ZYX";
    carrier.add(spin);
    this.body.add(carrier);
    return [columnsOf(one.name), carrier, spin, mesh, one.scale];
  }

  show(now) {
    this.body.rotation.set(now.roll || 0, now.pitch || 0, 0);
    for (const [columns, carrier, spin, mesh, [round, wide]] of this.wheels) {
      const [x, y, z, heading, angle] = columns.map((name) => now[name] || 0);
      carrier.position.set(x, y, z);
      carrier.rotation.z = heading;
      spin.rotation.y = angle;
      mesh.scale.set(round, y < 0 ? -wide : wide, round); // the mesh is that of a left wheel
    }
    this.draw([0, 0, 0]);
  }
}

class Hexapod extends View {
  constructor(renderer, about) {
    const reach = Math.max(...about.base.flat().map(Math.abs), ...about.joints.flat().map(Math.abs));
    super(renderer, 4 * reach, 2.2 * about.neutral);
    this.about = about;
    this.top = new THREE.Group();
    this.top.rotation.order = "ZYX";
    this.top.add(this.plate(about.joints, 0x0047c2, 0.05));
    const nose = new THREE.Mesh(new THREE.ConeGeometry(0.12 * reach, 0.35 * reach, 12), solid(0xa8001c));
    nose.rotation.z = -Math.PI / 2; nose.position.set(0.9 * reach, 0, 0.05);
    this.top.add(nose);
    this.scene.add(this.top, this.plate(about.base, 0x8894a0, -0.03));
    this.legs = about.base.slice(0, about.legs).map(() => {
      const leg = new THREE.Mesh(new THREE.CylinderGeometry(0.03 * reach, 0.045 * reach, 1, 10), solid(0x39414a));
      this.scene.add(leg);
      return leg;
    });
  }

  plate(joints, color, z) {
    const order = joints.map((p) => [Math.atan2(p[1], p[0]), p]).sort((a, b) => a[0] - b[0]).map((one) => one[1]);
    const shape = new THREE.Shape(order.map((p) => new THREE.Vector2(p[0], p[1])));
    const mesh = new THREE.Mesh(new THREE.ExtrudeGeometry(shape, { depth: 0.04, bevelEnabled: false }), solid(color));
    mesh.position.z = joints[0][2] + z;
    return mesh;
  }

  show(now) {
    const about = this.about;
    this.top.position.set(now.platform_p_NP_x || 0, now.platform_p_NP_y || 0, about.neutral + (now.platform_p_NP_z || 0));
    this.top.rotation.set(now.platform_roll || 0, now.platform_pitch || 0, now.platform_yaw || 0);
    this.top.updateMatrixWorld();
    this.legs.forEach((leg, n) => {
      const low = new THREE.Vector3(...about.base[n]), high = new THREE.Vector3(...about.joints[n]).applyMatrix4(this.top.matrixWorld);
      const along = high.clone().sub(low);
      leg.position.copy(low).addScaledVector(along, 0.5);
      leg.scale.y = along.length();
      leg.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
    });
    this.draw([0, 0, 0.5 * about.neutral]);
  }
}

const canvases = [document.getElementById("scene"), document.getElementById("hexapod")];
let views = [], drawnAt = 0, failed = false;

// Makes the views of a drive; a drive after another one has a new vehicle.
function begin() {
  if (!window.sceneOfDrive || failed) return;
  const scene = window.sceneOfDrive;
  window.sceneColumns = scene.vehicle.wheels.flatMap((one) => columnsOf(one.name));
  choose();
  try {
    const renderers = views.length ? views.map((view) => view.renderer) : canvases.map((canvas) => new THREE.WebGLRenderer({ canvas, antialias: true }));
    views = [new Vehicle(renderers[0], scene.vehicle), new Hexapod(renderers[1], scene.platform)];
  } catch (error) {
    failed = true;
    document.querySelector(".pair").hidden = true;
    document.getElementById("scene_text").textContent = "This browser has no WebGL: no 3-D view.";
  }
}

window.addEventListener("drive", begin);
begin();
window.drawScene = (now) => {
  const moment = performance.now();
  if (moment - drawnAt < PERIOD) return;
  drawnAt = moment;
  for (const view of views) view.show(now);
};
