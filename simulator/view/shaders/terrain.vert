// One tile of the quadtree, T x T cells; its odd nodes slide onto the even ones with distance (geomorphing), so levels meet without cracks.
layout(location = 0) in vec2 node;          // 0..T
layout(location = 1) in vec4 tile;          // x, y of the corner, cell size, side length
uniform mat4 clip_of_world;
uniform vec3 eye;
uniform vec2 focus;                         // levels are chosen by the distance from here
uniform sampler2D heights;
uniform sampler2D roads;
uniform sampler2D grain;
uniform sampler2D relief;                   // open sky, litter of trees, depth of hollows
#ifdef SMOOTH
uniform sampler2D surface;
out vec4 near;                              // the surface texture at the nodes, which are its texels here
#endif
#ifdef SUNK
uniform sampler2D ruts;                     // how deep the soil was pressed around the vehicle, repeated for ever
uniform vec4 rut_grid;                      // 1 / m per repetition, half a node of it, depth of the full scale in m, m up to which it counts
uniform float rut_reach;                    // m up to which ruts are sunk in
#endif
uniform vec4 grid;                          // origin x, y, spacing x, y
uniform vec4 road_grid;                     // origin x, y, spacing x, y of the road texture
uniform vec3 plane;                         // height, slope x, slope y
uniform float mirrored;                     // beyond the grid: 1 = its mirror images go on for ever, 0 = its border is held
out vec3 p_W;
out vec4 road;                              // lateral offset, half width, dash, kind
out vec4 air;
out vec2 on_grid;                           // place on the grid of nodes, 0..1
out vec4 cover;                             // open sky, litter, hollow, slow noise
#ifdef NIGHT
out vec3 lamps;                             // light of the street
#endif

#ifdef SMOOTH
vec4 weights(float t) {
    return vec4(t * (-0.5 + t * (1.0 - 0.5 * t)), 1.0 + t * t * (1.5 * t - 2.5), t * (0.5 + t * (2.0 - 1.5 * t)), t * t * (0.5 * t - 0.5));
}

// node k or the one that it is the image of
ivec2 node_of(ivec2 k, ivec2 last) {
    ivec2 image = ivec2(mix(vec2(clamp(k, ivec2(0), last)), mix(vec2(k), vec2(-1 - k), lessThan(k, ivec2(0))), mirrored));
    return ivec2(mix(vec2(image), vec2(2 * last + 1 - image), greaterThan(image, last)));
}

// the Catmull-Rom surface that the wheels roll on; u lies inside
float ground(vec2 u) {
    ivec2 last = textureSize(heights, 0) - 1;
    ivec2 low = ivec2(floor(u));
    vec4 a = weights(u.x - float(low.x)), b = weights(u.y - float(low.y));
    float z = 0.0;
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 4; ++i) {
            z += a[i] * b[j] * texelFetch(heights, node_of(low + ivec2(i - 1, j - 1), last), 0).r;
        }
    }
    return z;
}
#endif

// place on the grid, in nodes, where the land is as it is at u
vec2 inside(vec2 u, vec2 size) {
    vec2 image = size - abs(mod(u + 0.5, 2.0 * size) - size) - 0.5;
    return mix(clamp(u, vec2(0.0), size - 1.0), image, mirrored);
}

float height(vec2 p, vec2 u, vec2 size, float cell, float morph) {
    float lod = log2(max(cell * (1.0 + morph) / max(grid.z, grid.w), 1.0)) * mirrored;
    float z = textureLod(heights, (u + 0.5) / size, lod).r;
#ifdef SMOOTH
#ifdef EXACT
    z = ground(u);
#else
    z = mix(ground(u), z, morph);
#endif
#endif
    return z + plane.x + dot(plane.yz, p);
}

void main() {
    vec2 at = tile.xy + node * tile.z;
#ifdef SUNK
    float morph = 0.0;
#else
    float morph = clamp((distance(at, focus) / tile.w - 3.45) / 0.55, 0.0, 1.0);
    at -= fract(node * 0.5) * 2.0 * morph * tile.z;
#endif
    vec2 size = vec2(textureSize(heights, 0));
    vec2 u = inside((at - grid.xy) / grid.zw, size);
    p_W = vec3(at, height(at, u, size, tile.z, morph));
#ifdef SUNK
    p_W.z -= textureLod(ruts, at * rut_grid.x + rut_grid.y, 0.0).r * rut_grid.z * clamp(4.0 - 4.0 * distance(at, focus) / rut_reach, 0.0, 1.0);
#endif
    road = textureLod(roads, (u * grid.zw / road_grid.zw + 0.5) / vec2(textureSize(roads, 0)), 0.0);
    on_grid = (u + 0.5) / size;
    cover = textureLod(relief, on_grid, 0.0);
    cover.a = textureLod(grain, at * 0.0021 + 0.11, 0.0).a;
#ifdef NIGHT
    lamps = streetlight(p_W, vec3(0.0, 0.0, 1.0));
#endif
#ifdef SMOOTH
    near = textureLod(surface, on_grid, 0.0);
#endif
    vec3 ray = p_W - eye;
    float r = length(ray);
    air = haze(ray / max(r, 1e-3), r);
    gl_Position = clip_of_world * vec4(p_W, 1.0);
}
