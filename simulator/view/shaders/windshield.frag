// Drops on the glass: each cell of a grid may have one, since the wiper has passed; two arms wipe in parallel.
in vec3 ray;
uniform float pause;                        // s between two strokes
uniform float wipe;                         // s of a stroke forth and back
out vec4 color;

const vec2 PIVOT = vec2(-0.06, -0.46);      // of the left arm: right and up at 1 m before the driver's eyes
const float APART = 0.66, LONG = 0.70, LOW = 0.10, HIGH = 2.15;

vec3 random(vec2 cell, float more) {
    vec3 p = fract(vec3(cell.xyx + more) * vec3(0.1031, 0.1030, 0.0973));
    p += dot(p, p.yxz + 33.33);
    return fract((p.xxy + p.yzz) * p.zyx);
}

// s since the last stroke at q; far from the arms: long ago
float since(vec2 q, float now, out float arm) {
    float period = wipe + pause, s = mod(now, period), angle = LOW, best = 30.0;
    angle += (HIGH - LOW) * max(1.0 - abs(2.0 * s / wipe - 1.0), 0.0);
    arm = 0.0;
    for (int k = 0; k < 2; ++k) {
        vec2 off = q - PIVOT - vec2(APART * float(k), 0.0);
        float r = length(off), at = atan(off.y, off.x);
        vec2 blade = vec2(cos(angle), sin(angle));
        float along = dot(off, blade), across = abs(off.x * blade.y - off.y * blade.x);
        arm = max(arm, smoothstep(0.008, 0.004, across - 0.004 * step(along, 0.25)) * step(0.0, along) * step(along, LONG));
        float f = (at - LOW) / (HIGH - LOW);
        if (r < 0.20 || r > LONG || f < 0.0 || f > 1.0) continue;
        float first = 0.5 * wipe * f, second = wipe - first;
        best = min(best, s >= second ? s - second : s >= first ? s - first : s + period - second);
    }
    return best;
}

void main() {
    if (ray.x < 0.15) discard;
    vec2 q = vec2(-ray.y, ray.z) / ray.x;
    float arm, age = since(q, light_time, arm);
    vec4 sum = vec4(0.0);
    for (int layer = 0; layer < 2; ++layer) {
        float size = layer == 0 ? 26.0 : 58.0;
        vec2 cell = floor(q * size);
        vec3 h = random(cell, 17.0 * floor((light_time - age) * 2.0 + 0.5) + 5.0 * float(layer));
        vec2 off = (q * size - cell - 0.3 - 0.4 * h.xy) / (0.13 + 0.14 * fract(h.z * 7.0));
        float born = h.z * 9.0 / (0.4 + 0.25 * light_rain);
        float body = smoothstep(1.0, 0.75, length(off)) * smoothstep(born, born + 0.15, age);
        // a drop shows the world upside down
        vec3 c = mix(GROUNDLIGHT, light_skylight * 1.1, smoothstep(-0.7, 0.7, -off.y - 0.2 * off.x));
        if (body > sum.a) sum = vec4(c, body);
    }
    float shown = max(0.62 * sum.a, arm);
    if (shown < 0.02) discard;
    color = vec4(display(mix(sum.rgb, light_skylight * 0.03, arm)), shown);
}
