in vec3 p_W;
in vec3 n_W;
in vec4 look;                               // sRGB color, gloss
in vec4 air;
uniform vec3 eye;
uniform sampler2D stains;                   // soft and fine noise, means one half
#ifdef SHADOW
uniform sampler2DShadow shadow;             // of the vehicle
uniform mat4 shadow_of_world;
#endif
#ifdef CASTERS
const float BIAS = 0.12;                    // m, about the size of a texel of `casters`
#endif
#ifdef ROOF
in vec2 wall;
flat in vec2 surface;
#endif
#ifdef WALL
in vec2 wall;
flat in vec4 cells;
flat in vec4 house;
flat in vec4 board;
flat in vec3 sash;
flat in vec2 per_cell;
#endif
#if defined(ROCK) || defined(NETTING)
in vec3 p_O;
in vec3 n_O;
#endif
out vec4 color;

// share of a pixel inside an edge at distance d, negative inside; s: 1 / width of the pixel
float cover(float d, float s) { return clamp(0.5 - d * s, 0.0, 1.0); }

// what a pane with normal n shows of the surroundings to the direction v
vec3 reflected(vec3 n, vec3 v) {
    vec3 mirror = 2.0 * dot(n, v) * n - v;
    return mix(HORIZON, ZENITH, clamp(1.6 * mirror.z, 0.0, 1.0)) * clamp(6.0 * mirror.z + 0.6, 0.25, 1.0);
}

#ifdef WALL
const float CONCRETE = 2.0;                 // style of a wall; 0 is brick, 1 plaster

float hash(vec2 p) {
    p = fract(p * vec2(0.1031, 0.1030) + house.y);
    p += dot(p, p.yx + 33.33);
    return fract((p.x + p.y) * p.x);
}

// share of a pixel at p inside a rectangle
float inside(vec2 p, vec2 halves, vec2 s) {
    vec2 c = clamp(0.5 - (abs(p) - halves) * s, 0.0, 1.0);
    return c.x * c.y;
}

// bare wall at `wall`, m
vec3 masonry(vec3 base, float style, vec2 w, vec2 s) {
#ifdef NEAR
    vec2 stain = texture(stains, wall * 0.13 + house.y).rg;
    float near = clamp(1.5 - 45.0 * max(w.x, w.y), 0.0, 1.0);
    vec2 q = wall * vec2(4.0, 13.333);
    q.x += 0.5 * mod(floor(q.y), 2.0);
    vec2 k = floor(q), f = abs(q - k - 0.5);
    float stone = cover(f.x - 0.475, s.x * 0.25) * cover(f.y - 0.42, s.y * 0.075);
    vec3 bricks = mix(vec3(0.34, 0.32, 0.30), base * (0.78 + 0.44 * hash(k)), stone);
    return (0.87 + 0.26 * stain.r) * mix(base, style < 0.5 ? bricks : base * (0.9 + 0.2 * stain.g), near);
#else
    return base;
#endif
}

// color of a wall whose bare color is `base`, seen from the direction v; `glow`: light that comes through its windows
vec3 facade(vec3 base, vec3 n, vec3 v, out vec3 glow) {
    vec2 w = fwidth(wall) + 1e-3, s = 1.0 / w, q = wall * per_cell, id = floor(q), p = (q - id - 0.5) * cells.xy;
    float above = wall.y - house.w, number = hash(id + 11.0 * house.z);
    vec3 other = fract(number * vec3(17.0, 57.0, 131.0));
    vec3 m = n + 0.05 * (other - 0.5), frame = sash;
    float rim = 1.0 - max(dot(m, v), 0.0);
#ifdef PANES
    // panes from edge to edge, and strips of glass before the floors
    vec2 e = p - vec2(0.0, 0.12);
    float pane = inside(e, 0.5 * cells.xy - vec2(0.04, 0.42), s) * (above < -0.4 ? 1.0 : 0.0);
    vec3 seen = 0.05 + 0.42 * reflected(m, v);
    glow = vec3(0.80, 0.85, 0.85) * step(0.55, number) * light_night * pane * (0.6 + 0.5 * other.y);
    return mix(vec3(0.16, 0.17, 0.18), seen, pane);
#else
    vec3 trim = mix(base, vec3(0.62), 0.55), c = masonry(base, house.x, w, s);
    // plinth, band above the first floor, joints of slabs, cornice
    c = mix(c, mix(0.55 * base, vec3(0.13), 0.4), cover(wall.y - 0.5, s.y));
    float low = wall.y - cells.y, shade = 0.35 * cover(abs(low + 0.17) - 0.06, s.y);
    if (house.x > CONCRETE - 0.5) shade = max(shade, 0.4 - 0.4 * cover(max(abs(p.x) - 0.5 * cells.x + 0.02, abs(p.y) - 0.5 * cells.y + 0.02), s.x));
    shade = max(shade, 0.4 * cover(abs(above + 0.45) - 0.09, s.y));
    c = mix(c * (1.0 - shade), trim, max(cover(abs(low) - 0.11, s.y), cover(abs(above + 0.18) - 0.18, s.y)));
    // openings: half of their size, height of the middle above that of the cell
    vec2 halves = house.x < CONCRETE - 0.5 ? vec2(0.52, 0.78) : vec2(0.36 * cells.x, 0.72);
    float middle = 1.68 - 0.5 * cells.y, up = 1.0, curtain = 0.22 * step(0.45, number), bar = 0.25;
#ifdef FRONT
    bool street = id.y < 0.5, shop = street && house.y > 0.45, entrance = street && id.x == floor(0.5 * cells.z);
    bool door = entrance && !shop;
    if (shop) { halves = vec2(0.5 * cells.x - 0.22, 1.08); middle = 1.45 - 0.5 * cells.y; curtain = 0.0; bar = 9.0; }
    if (entrance) { halves = vec2(shop ? 0.8 : 0.55, 1.15); middle = 1.15 - 0.5 * cells.y; }
    if (door) { frame = vec3(0.12, 0.07, 0.045); bar = 9.0; }
#else
    if (house.z < 0.5 && board.a < 0.5 && mod(id.x, 2.0) < 0.5) halves = vec2(-1.0);
#endif
    if (wall.y < 0.0 || above > -0.4) halves = vec2(-1.0);
    vec2 e = p - vec2(0.0, middle);
    float hole = inside(e, halves, s), pane = inside(e, halves - 0.06, s), bars = max(cover(abs(e.x) - 0.025, s.x), cover(abs(e.y - bar) - 0.02, s.y));
    curtain *= cover(0.5 * halves.x * (1.2 - number) - abs(e.x), s.x);
    vec3 seen = 0.04 + curtain + (0.16 + 0.30 * rim) * reflected(m, v);
    float lamp = step(0.62, number) * light_night * (0.6 + 0.5 * other.y);
#ifdef FRONT
    if (door) {                             // of wood below, of glass above
        up = cover(0.45 - e.y, s.y);
        bars = 0.0;
        seen = mix(0.5 * frame, seen, up);
    }
    if (shop) lamp = light_night * step(0.2, number);
#endif
    glow = lamp * pane * up * (1.0 - bars) * mix(vec3(1.15, 0.78, 0.38), vec3(0.9, 0.95, 0.9), step(0.8, other.x));
    vec3 window = mix(frame, seen, pane * (1.0 - bars)) * (1.0 - 0.55 * cover(halves.y - 0.11 - e.y, s.y));
#ifdef NEAR
    float sill = inside(e + vec2(0.0, halves.y + 0.05), vec2(halves.x + 0.1, 0.05), s), below = inside(e + vec2(0.0, halves.y + 0.16), vec2(halves.x + 0.1, 0.06), s);
#ifdef FRONT
    if (street) sill = below = 0.0;
#endif
    if (halves.x > 0.0) c = mix(c * (1.0 - 0.35 * below), trim, sill);
#endif
    c = mix(c, window, hole);
#ifdef FRONT
    if (shop && halves.x > 0.0) {           // board above the shop, with blocks for letters
        float text = 0.0, strip = cover(abs(wall.y - 2.76) - 0.19, s.y);
#ifdef NEAR
        float letter = wall.x * 3.125, first = floor(letter);
        text = inside(vec2((letter - first - 0.5) * 0.32, wall.y - 2.76), vec2(0.10, 0.12), s) * step(0.35, hash(vec2(first, 1.0)));
        text *= step(abs(p.x), 0.36 * cells.x) * step(0.4, other.z);
#endif
        c = mix(c, mix(board.rgb, vec3(0.85), text), strip);
        glow = mix(glow, light_night * mix(0.3 * board.rgb, vec3(0.8), text), strip);
    }
#endif
    return c * (0.72 + 0.28 * clamp(wall.y * 0.8 + 0.2, 0.0, 1.0));
#endif
}
#endif

#ifdef ROOF
vec3 roof(vec3 base, vec3 n) {
    float kind = surface.x;
    vec2 w = fwidth(wall) + 1e-4, s = 1.0 / w;
    if (kind < 1.5) {                       // tiles in rows
        vec2 q = wall / vec2(0.24, 0.32);
        vec2 f = fract(q);
        float near = clamp(1.4 - 12.0 * max(w.x, w.y), 0.0, 1.0);
        float relief = 1.0 - 0.45 * cover(f.y - 0.16, s.y * 0.32) + 0.25 * (f.x - 0.5);
        return base * mix(0.93, relief, near) * (0.7 + 0.6 * texture(stains, wall * 0.09 + surface.y).r);
    }
    if (kind < 2.5) return base * 0.96;     // gable and parapet
    if (kind < 3.5) return vec3(0.45, 0.44, 0.42);     // boards and coping
    return vec3(0.075, 0.075, 0.078) * (0.6 + 0.8 * texture(stains, p_W.xy * 0.06).r);
}
#endif

void main() {
    vec3 n = normalize(n_W), v = normalize(eye - p_W);
    n = dot(n, v) < 0.0 ? -n : n;           // both sides of a triangle are surfaces
    vec3 paint = look.rgb * look.rgb, glow = vec3(0.0);
    float gloss = look.a;
#ifdef WALL
    paint = facade(paint, n, v, glow);
    gloss = 0.0;
#elif defined(ROOF)
    paint = roof(paint, n);
#elif defined(ROCK)
    vec3 share = n_O * n_O / dot(n_O, n_O);
    vec4 rough = share.x * texture(stains, p_O.yz * 0.37) + share.y * texture(stains, p_O.xz * 0.37) + share.z * texture(stains, p_O.xy * 0.37);
    paint *= (0.35 + 0.9 * rough.r) * (0.65 + 0.7 * rough.g);
    n = normalize(n + 0.9 * (rough.gba - 0.5));
#elif defined(NETTING)
    vec2 q = vec2(p_O.x + p_O.z, p_O.x - p_O.z) / 0.075, net = abs(fract(q) - 0.5), w = fwidth(q) + 1e-3, s = 1.0 / w;
    float wire = max(cover(net.x - 0.06, s.x), cover(net.y - 0.06, s.y));
    wire = mix(wire, 0.24, clamp(1.5 * max(w.x, w.y) - 0.4, 0.0, 1.0));
    if (wire < 0.15 + 0.7 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))))) discard;
#endif
#ifdef WEATHERED
    paint = weathered(paint, n, 0.5);
#endif
    float sun = max(dot(n, SUN), 0.0);
#ifdef SHADOW
    vec4 s = shadow_of_world * vec4(p_W + n * 0.02, 1.0);
    vec2 edge = abs(s.xy - 0.5);
    float lit = texture(shadow, vec3(s.xy, s.z - 0.0012));
    sun *= max(edge.x, edge.y) < 0.5 ? lit : 1.0;
#endif
#ifdef CASTERS
    sun *= unshaded(p_W + n * BIAS);
#endif
    vec3 c = paint * (SUNLIGHT * sun + ambient(n) + lamplight(p_W, n)) + glow / light_exposure;
#if !defined(WALL) && !defined(ROOF) && !defined(ROCK)
    float rim = 1.0 - max(dot(n, v), 0.0);
    c += gloss * (0.10 + 0.6 * rim * rim) * reflected(n, v);
    if (look.r > 1.1) c = look.rgb / light_exposure;     // lit at night
#endif
    color = vec4(display(mix(c, air.rgb, air.a)), 1.0);
}
