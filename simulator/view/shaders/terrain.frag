in vec3 p_W;
in vec4 road;
in vec4 air;
in vec2 on_grid;
in vec4 cover;                              // open sky, litter of trees, hollow (one half = none), slow noise
#ifdef NIGHT
in vec3 lamps;
#endif
#ifdef SMOOTH
in vec4 near;
#endif
uniform sampler2D surface;                  // square root of the color of the bare ground; sunlight on it
uniform sampler2D soils;                    // 16 times the layer of the bare ground plus the share that grass may cover
uniform vec2 ragged_by;                     // size of this raggedness, as a fraction of the grid
#ifdef MIRRORS
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
    vec4 base = texture(surface, on_grid);
#endif
    vec3 bare = base.rgb * base.rgb;
    vec4 slow = slow_noise(p_W.xy);
    float rough = slow.r - 0.5, wide = cover.a;

#ifdef PAVED
    Surface s;
#else
    // borders of soils are ragged
#ifdef SOIL
    const float code = SOIL;
#else
    float code = floor(texture(soils, on_grid + (slow.rb - 0.5) * ragged_by).r * 255.0 + 0.5);
#endif
#ifndef RUTS
    const float worn = 0.0;
#endif
    Surface s = soil(code, bare, wide, slow, worn);
    s = covered(s, Surface(LITTER, vec3(0.105, 0.068, 0.034), 0.6), clamp(cover.g + 0.9 * rough + 0.6 * slow.a - 0.25, 0.0, 1.0) * step(0.25, cover.g));
    s.tint *= 0.74 + 0.52 * slow.b;
#ifdef RUTS
    // pressed soil is dense and moist, and what lies deep sees less of the sky
    s.tint *= 1.0 - 0.45 * worn - 0.2 * clamp(deep / 0.25, 0.0, 1.0);
#endif
#endif

    float paint = 0.0, fresh = 0.0, film = 0.0;
#ifndef WILD
    float paved = clamp(road.w, 0.0, 1.0), gravelly = clamp(-road.w, 0.0, 1.0), coated = clamp(2.0 * road.w - 3.0, 0.0, 1.0);
    Surface pavement = asphalt(slow);
#ifdef SLABS
    vec2 joint = abs(fract(p_W.xy * 0.1) - 0.5) * 10.0, width = max(fwidth(p_W.xy), 1e-3);
    pavement.tint *= 1.0 - 0.6 * max(stripe(joint.x, 0.09, width.x), stripe(joint.y, 0.09, width.y));
    const float track = 0.0, beside = 1e3;
#else
    // edge lines and dashes; the tracks of the wheels on both lanes are worn smooth
    float d = abs(road.x), beside = d - road.y, pixel = max(fwidth(road.x), 1e-3), on_road = step(0.1, road.y);
    float track = max(1.0 - 2.6 * abs(abs(d - 0.5 * road.y) - 0.78), 0.0) * on_road;
    pavement.tint *= 1.0 + 0.10 * track;
    paint = stripe(beside + 0.28, 0.13, pixel) + stripe(d, 0.13, pixel) * step(0.35, road.z);
    paint *= clamp(1.05 + 3.0 * (slow.g - 0.5) + 0.5 * rough - 0.3 * track, 0.0, 1.0) * on_road * clamp(4.0 * road.w - 2.0, 0.0, 1.0);
#endif
#ifdef PAVED
    s = pavement;
#else
    Surface stones = gravel(slow);
    stones.tint *= 1.0 + 0.22 * track;
    // ragged edges where the hard surface fades into soil; a shoulder of gravel along a paved road
    float ragged = 0.7 * rough + slow.b - 0.5;
    float shoulder = clamp(1.6 - 1.4 * beside + 1.6 * ragged, 0.0, 1.0) * clamp(20.0 * paved, 0.0, 1.0);
    s = covered(s, stones, max(clamp(2.0 * gravelly + ragged * min(8.0 * gravelly, 1.0) - 0.4, 0.0, 1.0), shoulder));
    s = covered(s, pavement, clamp(4.0 * paved + 0.6 * ragged * min(8.0 * paved, 1.0) - 1.5, 0.0, 1.0));
#endif
    // ice, snow, water: a thin layer in its own color
    s = covered(s, Surface(bare.g > 0.75 ? SNOW : bare.g > 0.3 ? CONCRETE : ASPHALT, bare * (0.8 + 0.4 * slow.a), 0.15), coated);
    paint *= 1.0 - coated;
    film = 0.75 * coated * step(bare.g, 0.75);
#endif
#ifdef SNOWY
    fresh = snow_cover(smoothstep(0.4, 0.75, 1.25 * base.a / SUN.z), cover.b, slow);    // level ground has the light of the sun's height
    s = under_snow(s, fresh);
    paint *= 1.0 - fresh;
#endif

    vec4 fine = texel(p_W.xy, s.layer);
#ifdef RUTS
    fine = mix(fine, vec4(0.5, 0.5, 0.502, 0.502), 0.65 * worn);
#endif
    lean += slopes(fine) * (1.0 - 0.75 * min(paint, 1.0));
    vec3 ground = painted(colored(s, fine), vec3(0.60, 0.60, 0.58), fine, paint);
    film *= 1.0 - fresh;
#ifdef WET
    float puddle = puddles(cover.b, slow, fine) * (1.0 - fresh);
    film = max(film, light_wet * (0.18 + 0.82 * puddle) * (1.0 - fresh));
    ground *= 1.0 - light_wet * (0.42 + 0.2 * puddle) * (1.0 - fresh);
    lean *= 1.0 - puddle;
#endif
#ifdef MIRRORS
    lean *= 1.0 - 0.8 * film;
    float mirror = mirrored_sky(film, normalize(eye - p_W).z);
#endif

    float sun = base.a * 1.25, open = cover.r;
    sun = max(sun + dot(lean, SUN.xy) * min(6.0 * sun, 1.0), 0.0) * (1.0 - 0.35 * min(dot(lean, lean), 1.0));
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
    const vec3 UP = vec3(0.0, 0.0, 1.0);
    vec3 light = SUNLIGHT * sun + ambient(UP) * open;
#ifdef NIGHT
    light += lamps + lowbeam(p_W, UP);
#endif
    ground *= light;
#ifdef MIRRORS
    ground = mix(ground, air.rgb * open, mirror);
#endif
    color = vec4(display(mix(ground, air.rgb, air.a)), 1.0);
}
