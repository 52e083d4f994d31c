// Plants far from the camera: upright cards with one of eight views of the mesh; and their shadows, cards that face the sun.
layout(location = 0) in vec2 corner;        // -1 left, 1 right; 0 ground, 1 lowest point of the crown, 2 above its top
layout(location = 1) in vec4 base;          // in W, and heading
layout(location = 2) in vec4 size;          // radius, lowest and highest point of the crown, number of the kind
layout(location = 3) in vec4 leaf_paint;    // linear color, share that is drawn
layout(location = 4) in vec4 bark_paint;    // linear color, crowd: share of the sunlight that neighbors take at the ground
uniform mat4 clip_of_world;
uniform vec3 eye;
uniform vec3 form;                          // half width over radius, height over height of the plant, number of kinds
uniform vec3 shapes[16];                    // of each kind: lowest point of the crown over the height of the plant; width at the ground and at the top
uniform vec2 texels;                        // of a view from bottom to top; pixels for one meter at a distance of one meter
out vec2 uv;
out float high;
flat out vec2 columns;
flat out float blend;
flat out float level;
#ifndef DEPTH
out vec3 air;                               // light of the air in front
flat out vec4 leaf;
flat out vec4 bark;
flat out vec3 lamps;                        // light of lamps on a surface that faces the camera
flat out vec3 sun_card;                     // towards the sun along the right, up, and towards the camera
#endif

void main() {
    // a narrow card for the trunk, and one for the crown, which begins below its lowest point
    vec3 shape = shapes[int(size.w)];
    float split = shape.x, top = size.z;
    float low = corner.y == 1.0 ? 0.6 : 0.0, z = corner.y == 2.0 ? top : low * size.y;
    float side = corner.x * (corner.y == 2.0 ? shape.z : 1.0);
    if (abs(corner.x) < 1.0) side = sign(corner.x) * shape.y;
    uv = vec2(0.5 + 0.5 * side, ((corner.y == 2.0 ? 1.0 : low * split) / form.y + size.w) / form.z);
    high = z / top;
#ifdef DEPTH
    vec3 right = normalize(vec3(-SUN.y, SUN.x + 1e-6, 0.0)), up = cross(SUN, right);
    float flat_sun = length(SUN.xy), middle = 0.5 * (size.y + size.z);
    vec3 p = base.xyz + vec3(0.0, 0.0, middle) + right * (side * form.x * size.x);
    p += up * ((z - middle) * flat_sun + (z / top - 0.5) * size.x * SUN.z);
    columns = vec2(0.0);
    blend = 0.0;
    level = 0.0;
#else
    vec2 away = eye.xy - base.xy;
    vec3 ahead = vec3(away / max(length(away), 1e-3), 0.0), right = vec3(-ahead.y, ahead.x, 0.0);
    float turn = (atan(ahead.y, ahead.x) - base.w) * 1.27323954;
    turn -= 8.0 * floor(turn / 8.0);
    columns = mod(vec2(floor(turn), floor(turn) + 1.0), 8.0);
    blend = smoothstep(0.35, 0.65, fract(turn));
    vec3 p = base.xyz + right * (side * form.x * size.x) + vec3(0.0, 0.0, z);
    sun_card = vec3(dot(SUN, right), SUN.z, dot(SUN, ahead));
    lamps = lamplight(p, ahead);
    vec3 ray = p - eye;
    float far = max(length(ray), 1e-3);
    level = max(log2(texels.x / top * far / texels.y) - 0.4, 0.0);
    vec4 haze_W = haze(ray / far, far);
    air = haze_W.rgb * haze_W.a;
    leaf = vec4(leaf_paint.rgb * 1.75 * (1.0 - haze_W.a), leaf_paint.a);
    bark = vec4(bark_paint.rgb * 1.4 * (1.0 - haze_W.a), bark_paint.a);
#endif
    gl_Position = clip_of_world * vec4(p, 1.0);
}
