// Dressed objects: one mesh for all copies of a look, see dressings/pieces.py.
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 shade;         // sRGB color; of walls and roofs: shift in m
layout(location = 3) in float code;         // gloss + 8 for the color of the piece + 16 if lit at night + 32 x limb; of walls and roofs: kind of surface
layout(location = 4) in vec4 row_x;         // rows of the matrix from O to W
layout(location = 5) in vec4 row_y;
layout(location = 6) in vec4 row_z;
layout(location = 7) in vec4 size;          // factors of the mesh, seed
layout(location = 8) in vec4 paint;         // sRGB color of the piece; kind of a house + width of its cells in m / 10, or phase of the walk
uniform mat4 clip_of_world;
uniform vec3 eye;
out vec3 p_W;
out vec3 n_W;
out vec4 look;                              // sRGB color, gloss
out vec4 air;
#ifdef WALL
out vec2 wall;                              // m along the wall and above its foot
flat out vec4 cells;                        // width of a cell, height of a floor, number of cells, number of floors
flat out vec4 house;                        // style, seed, 1 for the front and 2 for the rear, height
flat out vec4 board;                        // color of the board above a shop; 1: all cells of a gable wall have windows
flat out vec3 sash;                         // color of the frames of windows
flat out vec2 per_cell;                     // 1 / size of a cell
#endif
#ifdef ROOF
out vec2 wall;                              // m along the eaves and up the slope
flat out vec2 surface;                      // kind, seed
#endif
#if defined(ROCK) || defined(NETTING)
out vec3 p_O;
out vec3 n_O;
#endif
#if !defined(WALL) && !defined(ROOF)
// the place and direction of a part of a leg or arm that swings about the joint at height `at`, in units of the mesh
void swing(float angle, vec2 at, inout vec3 p, inout vec3 n) {
    float c = cos(angle), s = sin(angle);
    p.xz = at + vec2(c * (p.x - at.x) + s * (p.z - at.y), c * (p.z - at.y) - s * (p.x - at.x));
    n.xz = vec2(c * n.x + s * n.z, c * n.z - s * n.x);
}

void walk(int limb, float phase, inout vec3 p, inout vec3 n) {
    if (limb == 0) return;
    float side = limb % 2 == 1 ? 1.0 : -1.0;
    float step = side * sin(phase), lift = side * cos(phase);
    if (limb <= 4) {                        // legs of a person: 1, 2 thighs, 3, 4 shanks
        if (limb > 2) swing(0.75 * max(lift, 0.0) * (abs(phase) > 1e-4 ? 1.0 : 0.0), vec2(0.0, 0.27), p, n);
        swing(-0.5 * step, vec2(0.0, 0.51), p, n);
    } else if (limb <= 6) {
        swing(0.42 * step, vec2(0.0, 0.80), p, n);
    } else {                                // legs of an animal: 7, 8 at the front, 9, 10 at the rear
        swing(0.45 * (limb > 8 ? -step : step), vec2(limb > 8 ? -0.32 : 0.28, 0.55), p, n);
    }
}
#endif

void main() {
    vec3 p = place, n = normal;
#if defined(WALL) || defined(ROOF)
    vec3 r = p * size.xyz + shade;
#ifdef ROOF
    if (code > 9.0) r.x = sign(p.x) * max(size.x - size.y, 0.0);       // ridge of a hip roof
    n /= size.yyz;
    surface = vec2(mod(code, 10.0), size.w);
    wall = vec2(abs(normal.x) > 0.1 ? r.y : r.x, p.z * length(size.yz));
    float k = paint.a;
#else
    n /= size.xyz;
    bool along_x = abs(normal.y) > 0.5;
    float wide = 2.0 * (along_x ? size.x : size.y), high = size.z, pitch = 10.0 * fract(paint.a);
    float count = max(floor((wide - 0.5) / pitch), 1.0), floors = max(floor(high / 3.0 + 0.5), 1.0);
    wall = vec2(0.5 * wide + (along_x ? r.x : r.y), r.z);
    cells = vec4(wide / count, high / floors, count, floors);
    per_cell = 1.0 / cells.xy;
    house = vec4(floor(paint.a), size.w, normal.y < -0.5 ? 1.0 : along_x ? 2.0 : 0.0, high);
#endif
#ifdef WALL
    vec4 chance = fract(size.w * vec4(7919.0, 104.7, 1299.7, 15.49));
    board = vec4(0.06 + 0.5 * chance.xyz * chance.xyz, step(0.45, chance.w));
    sash = mix(vec3(0.62), vec3(0.09, 0.08, 0.075), step(0.6, size.w));
#endif
    look = vec4(paint.rgb, 0.0);
#else
    float rest = mod(code, 32.0);
    walk(int(code / 32.0), paint.a, p, n);
    vec3 r = p * size.xyz;
    n /= size.xyz;
    bool tinted = mod(rest, 16.0) > 7.0;
    look = vec4(tinted ? shade * paint.rgb : shade, mod(rest, 2.0));
    if (rest > 15.0) look.rgb = mix(look.rgb, vec3(4.0, 3.4, 2.2), light_night);
#if defined(ROCK) || defined(NETTING)
    p_O = r + size.w * 40.0;
    n_O = n;
#endif
#endif
    vec4 q = vec4(r, 1.0);
    p_W = vec3(dot(row_x, q), dot(row_y, q), dot(row_z, q));
    n_W = vec3(dot(row_x.xyz, n), dot(row_y.xyz, n), dot(row_z.xyz, n));
    vec3 ray = p_W - eye;
    float far = length(ray);
    air = haze(ray / max(far, 1e-3), far);
    gl_Position = clip_of_world * vec4(p_W, 1.0);
}
