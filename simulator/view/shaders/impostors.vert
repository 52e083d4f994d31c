// Plants far from the camera: upright cards with one of eight views of the mesh; and their shadows, cards that face the sun.
layout(location = 0) in vec2 corner;        // -1 left, 1 right; 0 ground, 1 lowest point of the crown, 2 above its top
layout(location = 1) in vec4 base;          // in W, and heading
layout(location = 2) in vec4 size;          // radius, lowest and highest point of the crown, number of the kind
layout(location = 3) in vec4 leaf_paint;    // linear color, share that is drawn
layout(location = 4) in vec4 bark_paint;    // linear color, crowd: share of the sunlight that neighbors take at the ground
uniform mat4 clip_of_world;
uniform vec3 eye;
uniform vec3 form;                          // half width over radius, height over height of the plant, number of kinds
uniform float splits[16];                   // of each kind: lowest point of the crown over the height of the plant
out vec2 uv;
out float high;
flat out vec2 columns;
flat out float blend;
#ifndef DEPTH
out vec4 air;
flat out vec4 leaf;
flat out vec4 bark;
flat out vec3 sun_card;                     // towards the sun along the right, up, and towards the camera
#endif

void main() {
    float split = splits[int(size.w)], top = mix(size.y, size.z, (form.y - split) / (1.0 - split));
    float z = corner.y < 0.5 ? 0.0 : corner.y < 1.5 ? size.y : top;
    uv = vec2(0.5 + 0.5 * corner.x, ((corner.y < 0.5 ? 0.0 : corner.y < 1.5 ? split / form.y : 1.0) + size.w) / form.z);
    high = z / top;
#ifdef DEPTH
    vec3 right = normalize(vec3(-SUN.y, SUN.x, 0.0)), up = cross(SUN, right);
    float flat_sun = length(SUN.xy), middle = 0.5 * (size.y + size.z);
    vec3 p = base.xyz + vec3(0.0, 0.0, middle) + right * (corner.x * form.x * size.x);
    p += up * ((z - middle) * flat_sun + (z / top - 0.5) * size.x * SUN.z);
    columns = vec2(0.0);
    blend = 0.0;
#else
    vec2 away = eye.xy - base.xy;
    vec3 ahead = vec3(away / max(length(away), 1e-3), 0.0), right = vec3(-ahead.y, ahead.x, 0.0);
    float turn = (atan(ahead.y, ahead.x) - base.w) * 1.27323954;
    turn -= 8.0 * floor(turn / 8.0);
    columns = mod(vec2(floor(turn), floor(turn) + 1.0), 8.0);
    blend = smoothstep(0.35, 0.65, fract(turn));
    vec3 p = base.xyz + right * (corner.x * form.x * size.x) + vec3(0.0, 0.0, z);
    leaf = leaf_paint;
    bark = bark_paint;
    sun_card = vec3(dot(SUN, right), SUN.z, dot(SUN, ahead));
    vec3 ray = p - eye;
    float far = length(ray);
    air = haze(ray / max(far, 1e-3), far);
#endif
    gl_Position = clip_of_world * vec4(p, 1.0);
}
