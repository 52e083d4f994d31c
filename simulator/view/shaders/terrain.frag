in vec3 p_W;
in vec4 road;
in vec4 air;
#ifdef NIGHT
in vec3 lamps;
#else
const vec3 lamps = vec3(0.0);
#define lowbeam(p, n) vec3(0.0)
#endif
in float wide;                             // slow noise
#ifdef SMOOTH
in vec4 near;
#endif
uniform sampler2D surface;                  // square root of the color of the bare ground; sunlight on it
uniform sampler2D grain;                    // fine light and shade: asphalt, stones, clods, clouds
uniform vec4 grid;
uniform vec3 eye;
#ifdef SHADOW
uniform sampler2DShadow shadow;
uniform mat4 shadow_of_world;
uniform vec4 under;                         // center x, y of the vehicle, heading cos, sin
#endif
#ifdef CUT
uniform sampler2D cut;                      // where something lies below the land
uniform vec4 cut_grid;                      // its corner x, y, 1 / its extent
#endif
#ifdef RUTS
uniform sampler2D ruts;                     // as in the vertex shader
uniform vec4 rut_grid;
uniform float rut_reach;
uniform vec2 focus;

float rut(vec2 p) {
    return texture(ruts, p * rut_grid.x + rut_grid.y).r * rut_grid.z;
}
#endif
out vec4 color;

float stripe(float d, float width, float pixel) {
    return clamp((0.5 * (width + pixel) - abs(d)) / pixel, 0.0, 1.0) * min(1.0, width / pixel);
}

void main() {
#ifdef CUT
    if (texture(cut, (p_W.xy - cut_grid.xy) * cut_grid.zw).r > 0.5) discard;
#endif
#ifdef RUTS
    // z falls by the depth: towards the walls of the rut the normal leans away from where it is deeper
    vec2 off = abs(p_W.xy - focus);
    float known = clamp((rut_grid.w - max(off.x, off.y)) / 10.0, 0.0, 1.0);
    float deep = known * rut(p_W.xy), away_from_it = distance(p_W.xy, focus);
#ifndef SUNK
    if (deep > 0.002 && away_from_it < rut_reach) {
        discard;
    }
#endif
    const float NODE = 0.05;
    vec2 lean = vec2(rut(p_W.xy + vec2(NODE, 0.0)) - rut(p_W.xy - vec2(NODE, 0.0)), rut(p_W.xy + vec2(0.0, NODE)) - rut(p_W.xy - vec2(0.0, NODE)));
    lean *= known * 0.5 / NODE;
    float worn = clamp(deep / 0.015, 0.0, 1.0);
#endif
#ifdef SMOOTH
    vec4 base = near;
#else
    vec4 base = texture(surface, ((p_W.xy - grid.xy) / grid.zw + 0.5) / vec2(textureSize(surface, 0)));
#endif
    vec4 fine = texture(grain, p_W.xy * 0.43 CRISP);
    vec4 middle = texture(grain, p_W.xy * 0.031 + 0.37 CRISP);

#ifndef PAVED
    vec3 soil = base.rgb * base.rgb;
    // grass where the slow noise is high, bare and stony where it is low
    float grass = clamp(6.0 * (0.55 * wide + 0.45 * middle.a + 0.22 * fine.a) - 3.2, 0.0, 1.0);
    grass *= clamp(1.45 - 2.0 * soil.r, 0.0, 0.85);
#ifdef RUTS
    grass *= 1.0 - worn;
#endif
    soil = mix(soil, vec3(0.105, 0.150, 0.038) + soil * vec3(0.12, 0.16, 0.02), grass);
    soil *= (0.62 + 0.76 * fine.b) * (0.72 + 0.56 * middle.b);
#ifdef RUTS
    // pressed soil is dense and moist, and what lies deep sees less of the sky
    soil *= 1.0 - 0.42 * worn - 0.2 * clamp(deep / 0.25, 0.0, 1.0);
#endif
#endif
#ifdef WILD
    vec3 ground = soil;
    const float HARD = 0.0;
#else

    float paved = clamp(road.w, 0.0, 1.0), gravelly = clamp(-road.w, 0.0, 1.0), coated = clamp(2.0 * road.w - 3.0, 0.0, 1.0);
    vec3 asphalt = vec3(0.078, 0.077, 0.078) * (0.25 + 1.5 * fine.r) * (0.58 + 0.52 * middle.a + 0.32 * middle.b);
#ifdef SLABS
    vec2 joint = abs(fract(p_W.xy * 0.1) - 0.5) * 10.0, width = max(fwidth(p_W.xy), 1e-3);
    asphalt *= (1.0 - 0.6 * max(stripe(joint.x, 0.09, width.x), stripe(joint.y, 0.09, width.y)));
#else
    float d = abs(road.x), pixel = max(fwidth(road.x), 1e-3);
    float paint = stripe(d - road.y + 0.28, 0.13, pixel) + stripe(d, 0.13, pixel) * step(0.35, road.z);
    asphalt += (0.40 + 0.4 * fine.r) * min(paint, 1.0);
#endif
    // ice, snow, water: a thin layer in its own color
    asphalt = mix(asphalt, base.rgb * base.rgb * (0.85 + 0.3 * fine.r) * (0.9 + 0.2 * middle.b), coated);
#ifdef PAVED
    vec3 ground = asphalt;
    const float HARD = 1.0;
#else
#define HARD paved
    // two lighter wheel tracks on gravel
    float track = max(1.0 - 2.0 * abs(abs(road.x) - 0.95), 0.0);
    vec3 gravel = vec3(0.305, 0.272, 0.225) * (0.42 + 1.16 * fine.g) * (0.80 + 0.3 * middle.b + 0.16 * track);
    // ragged edge where the hard surface fades into soil
    float ragged = fine.b + middle.b - 1.0;
    vec3 ground = mix(soil, gravel, clamp(2.0 * gravelly + ragged * min(8.0 * gravelly, 1.0) - 0.5, 0.0, 1.0));
    ground = mix(ground, asphalt, clamp(4.0 * paved + ragged * min(8.0 * paved, 1.0) - 1.5, 0.0, 1.0));
#endif
#endif

    float sun = base.a * 1.25, open = 1.0;
#ifdef RUTS
    sun = max(sun + dot(lean, SUN.xy), 0.0) / sqrt(1.0 + dot(lean, lean));
#endif
#ifdef SHADOW
    vec2 away = p_W.xy - under.xy;
    vec2 body = vec2(dot(away, under.zw), dot(away, vec2(-under.w, under.z))) * vec2(0.36, 0.72);
    float near_body = max(1.0 - 0.5 * dot(body, body), 0.0);
    open = 1.0 - 0.65 * near_body * near_body;
    vec4 s = shadow_of_world * vec4(p_W, 1.0);
    vec2 edge = abs(s.xy - 0.5);
    float lit = texture(shadow, s.xyz);
    sun *= max(edge.x, edge.y) < 0.5 ? lit : 1.0;
#endif
#ifdef CASTERS
    sun *= unshaded(p_W);
#endif
    const vec3 UP = vec3(0.0, 0.0, 1.0);
    float noise = 0.5 * (middle.b + fine.b);
    vec3 light = SUNLIGHT * sun + ambient(UP) * open + lamps + lowbeam(p_W, UP);
    vec3 seen = weathered(ground, UP, noise) * light + shine(air.rgb, p_W - eye, HARD, noise) * open;
    color = vec4(display(mix(seen, air.rgb, air.a)), 1.0);
}
