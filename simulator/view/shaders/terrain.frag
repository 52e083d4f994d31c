in vec3 p_W;
in vec4 road;
in vec4 air;
in vec4 cover;                              // open sky, litter of trees, hollow (one half = none), slow noise
#ifdef SMOOTH
in vec4 near;
#endif
uniform sampler2D surface;                  // square root of the color of the bare ground; sunlight on it
uniform sampler2D grain;                    // fine noise, wear of pavements, clods, clouds
uniform sampler2DArray layers;              // surfaces: brightness, variation, slopes along x and y; see surface_textures.py
uniform sampler2D soils;                    // 16 times the layer of the bare ground plus the share that grass may cover
uniform vec4 grid;
#ifdef WET
uniform vec3 eye;
#endif
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

// a surface: its layer, color, how much its hue varies
struct Surface {
    float layer;
    vec3 tint;
    float hue;
};

// the surface where `over` covers by the share of `much`, 0..1: its texture from one half on, its color gradually
Surface covered(Surface s, Surface over, float much) {
    float soft = clamp(4.0 * much - 1.5, 0.0, 1.0);
    return Surface(much > 0.5 ? over.layer : s.layer, mix(s.tint, over.tint, soft), mix(s.hue, over.hue, soft));
}

void main() {
#ifdef CUT
    if (texture(cut, (p_W.xy - cut_grid.xy) * cut_grid.zw).r > 0.5) discard;
#endif
    vec2 lean = vec2(0.0);
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
    lean = vec2(rut(p_W.xy + vec2(NODE, 0.0)) - rut(p_W.xy - vec2(NODE, 0.0)), rut(p_W.xy + vec2(0.0, NODE)) - rut(p_W.xy - vec2(0.0, NODE)));
    lean *= known * 0.5 / NODE;
    float worn = clamp(deep / 0.015, 0.0, 1.0);
#endif
#ifdef SMOOTH
    vec4 base = near;
#else
    vec4 base = texture(surface, ((p_W.xy - grid.xy) / grid.zw + 0.5) / vec2(textureSize(surface, 0)));
#endif
    vec3 bare = base.rgb * base.rgb;
    vec4 slow = texture(grain, p_W.xy * 0.031 + 0.37 CRISP);
    float rough = slow.r - 0.5, wide = cover.a;

#ifdef PAVED
    Surface s;
#else
    // borders of soils are ragged
#ifdef SOIL
    const float code = SOIL;
#else
    vec2 at = p_W.xy + (slow.rb - 0.5) * vec2(1.4, -1.4);
    float code = floor(texture(soils, ((at - grid.xy) / grid.zw + 0.5) / vec2(textureSize(soils, 0))).r * 255.0 + 0.5);
#endif
    float kind = floor(code * 0.0625), fertile = (code - 16.0 * kind) / 15.0;
    Surface s = Surface(kind, bare, 0.35);
    // grass where the slow noise is high, dry at its borders
    float grass = 6.0 * (0.55 * wide + 0.45 * slow.a + 0.20 * rough) - 2.75;
#ifdef RUTS
    fertile *= 1.0 - worn;
#endif
    vec3 lush = mix(vec3(0.205, 0.190, 0.072), vec3(0.085, 0.122, 0.030), clamp(0.75 * grass + 0.6 * (slow.b - 0.5), 0.0, 1.0));
    s = covered(s, Surface(GRASS, lush, 0.55), clamp(grass + 0.35 * rough, 0.0, 1.0) * step(0.02, fertile) * min(0.62 * fertile + 0.42, 1.0));
    s = covered(s, Surface(LITTER, vec3(0.105, 0.068, 0.034), 0.6), clamp(cover.g + 0.9 * rough + 0.6 * slow.a - 0.25, 0.0, 1.0) * step(0.25, cover.g));
    s.tint *= 0.74 + 0.52 * slow.b;
#ifdef RUTS
    // pressed soil is dense and moist, and what lies deep sees less of the sky
    s.tint *= 1.0 - 0.45 * worn - 0.2 * clamp(deep / 0.25, 0.0, 1.0);
#endif
#endif

    float paint = 0.0, fresh = 0.0;
#ifndef WILD
    float paved = clamp(road.w, 0.0, 1.0), gravelly = clamp(-road.w, 0.0, 1.0), coated = clamp(2.0 * road.w - 3.0, 0.0, 1.0);
    float d = abs(road.x), wear = slow.g - 0.5;
    // tracks of the wheels on both lanes are worn smooth
    float track = max(1.0 - 2.6 * abs(abs(d - 0.5 * road.y) - 0.78), 0.0);
#ifndef SLABS
    Surface asphalt = Surface(ASPHALT, vec3(0.074, 0.073, 0.074) * (1.0 + 2.1 * wear + 0.45 * (slow.a - 0.5) + 0.10 * track), 0.12);
    float pixel = max(fwidth(road.x), 1e-3);
    paint = stripe(d - road.y + 0.28, 0.13, pixel) + stripe(d, 0.13, pixel) * step(0.35, road.z);
    paint *= clamp(1.05 + 3.0 * wear + 0.9 * rough - 0.4 * track, 0.0, 1.0) * step(0.1, road.y) * clamp(4.0 * road.w - 2.0, 0.0, 1.0);
#else
    vec2 joint = abs(fract(p_W.xy * 0.1) - 0.5) * 10.0, width = max(fwidth(p_W.xy), 1e-3);
    Surface asphalt = Surface(ASPHALT, vec3(0.074, 0.073, 0.074) * (1.0 + 2.1 * wear + 0.45 * (slow.a - 0.5)), 0.12);
    asphalt.tint *= 1.0 - 0.6 * max(stripe(joint.x, 0.09, width.x), stripe(joint.y, 0.09, width.y));
#endif
#ifdef PAVED
    s = asphalt;
#else
    Surface gravel = Surface(GRAVEL, vec3(0.305, 0.272, 0.225) * (0.78 + 0.36 * slow.b + 0.20 * track * step(0.1, road.y)), 0.42);
    // ragged edges where the hard surface fades into soil; a shoulder of gravel along a paved road
    float ragged = 0.7 * rough + slow.b - 0.5;
    float shoulder = clamp(1.6 - 1.4 * (d - road.y) + 1.6 * ragged, 0.0, 1.0) * step(0.1, road.y);
    s = covered(s, gravel, max(clamp(2.0 * gravelly + ragged * min(8.0 * gravelly, 1.0) - 0.4, 0.0, 1.0), shoulder * step(0.0, road.w)));
    s = covered(s, asphalt, clamp(4.0 * paved + 0.6 * ragged * min(8.0 * paved, 1.0) - 1.5, 0.0, 1.0));
#endif
    // ice, snow, water: a thin layer in its own color
    s = covered(s, Surface(bare.g > 0.5 ? SNOW : CONCRETE, bare, 0.2), coated);
    paint *= 1.0 - coated;
#endif
#ifdef SNOWY
    fresh = clamp(1.7 * light_snow + 1.6 * (slow.a - 0.5) + 0.5 * rough - 0.35 + 0.5 * (cover.b - 0.5), 0.0, 1.0) * smoothstep(0.35, 0.6, base.a);
    s = covered(s, Surface(SNOW, vec3(0.80, 0.83, 0.88), 0.08), fresh);
    paint *= 1.0 - fresh;
#endif

    vec4 fine = texture(layers, vec3(p_W.xy * 0.25, s.layer) CRISP);
#ifdef RICH
    // the same surface larger and turned, so that no repetition shows
    vec4 other = texture(layers, vec3(mat2(0.137, 0.069, -0.069, 0.137) * p_W.xy, s.layer) CRISP);
    fine = mix(fine, vec4(other.rg, fine.ba), 0.4);
#endif
    lean += 2.008 * fine.ba - 1.008;
    vec3 ground = s.tint * (2.0 * fine.r) * (1.0 + s.hue * (fine.g - 0.5) * vec3(1.0, 0.1, -1.0));
    ground = mix(ground, vec3(0.60, 0.60, 0.58) * (0.5 + fine.r), min(paint, 1.0));
#ifdef WET
    float puddle = clamp(9.0 * (light_wet * (0.52 + 0.7 * (cover.b - 0.5)) + 0.6 * (slow.a - 0.5) + 0.08 * (fine.g - 0.5) - 0.36), 0.0, 1.0) * (1.0 - fresh);
    ground *= 1.0 - light_wet * (0.42 + 0.2 * puddle) * (1.0 - fresh);
    lean *= 1.0 - puddle;
    // a film of water mirrors the sky at a low angle
    float up = 1.0 - max(normalize(eye - p_W).z, 0.0);
    float mirror = (0.03 + 0.75 * up * up * up * up) * light_wet * (0.18 + 0.82 * puddle) * (1.0 - fresh);
#endif

    float sun = base.a * 1.25, open = cover.r;
    sun = max(sun + dot(lean, SUN.xy) * min(6.0 * sun, 1.0), 0.0) * inversesqrt(1.0 + dot(lean, lean));
#ifdef SHADOW
    vec2 away = p_W.xy - under.xy;
    vec2 body = vec2(dot(away, under.zw), dot(away, vec2(-under.w, under.z))) * vec2(0.36, 0.72);
    float near_body = max(1.0 - 0.5 * dot(body, body), 0.0);
    open *= 1.0 - 0.65 * near_body * near_body;
    vec4 s_W = shadow_of_world * vec4(p_W, 1.0);
    vec2 edge = abs(s_W.xy - 0.5);
    float lit = texture(shadow, s_W.xyz);
    sun *= max(edge.x, edge.y) < 0.5 ? lit : 1.0;
#endif
#ifdef CASTERS
    sun *= unshaded(p_W);
#endif
    vec3 light = SUNLIGHT * sun + ambient(vec3(0.0, 0.0, 1.0)) * open;
    ground *= light;
#ifdef WET
    ground = mix(ground, air.rgb * open, mirror);
#endif
    color = vec4(display(mix(ground, air.rgb, air.a)), 1.0);
}
