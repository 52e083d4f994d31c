// Plants near the camera: one mesh for all plants of a kind, fitted to the crown and the trunk of each; see dressings/tree_meshes.py.
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 thick;
layout(location = 2) in vec3 normal;
layout(location = 3) in vec2 at;
layout(location = 4) in vec2 look;          // brightness, mobility
layout(location = 5) in vec4 row_x;         // rows of the matrix from the plant to W
layout(location = 6) in vec4 row_y;
layout(location = 7) in vec4 row_z;
layout(location = 8) in vec4 size;          // radius of the crown, its lowest and highest point, radius of the trunk
layout(location = 9) in vec4 leaf_paint;    // linear color, share that is drawn
layout(location = 10) in vec3 bark_paint;
uniform mat4 clip_of_world;
uniform vec3 eye;
out vec2 uv;
#ifdef BAKE
uniform vec3 right;                         // of the image, in W
out vec3 baked;                             // normal to the right and up, brightness
#elif !defined(DEPTH)
out vec3 lit;                               // light from a skin of brightness one that reaches the camera
out vec3 air;                               // light of the air in front of it
flat out float drawn;
#endif

void main() {
    float high = place.z < 1.0 ? place.z * size.y : mix(size.y, size.z, place.z - 1.0);
    vec4 r = vec4(vec3(place.xy * size.x, high) + thick * size.w, 1.0);
    vec3 p_W = vec3(dot(row_x, r), dot(row_y, r), dot(row_z, r));
#ifdef WIND
    float phase = dot(p_W.xy, vec2(0.31, 0.17)) + 1.3 * light_time, gust = sin(phase) + 0.5 * sin(2.3 * phase + 1.0);
    p_W.xy += look.y * 0.012 * size.z * vec2(gust, 0.6 * sin(1.7 * phase)) + (look.y > 0.0 ? 0.012 : 0.0) * sin(5.0 * light_time + 9.0 * place.xy);
#endif
    uv = at;
    gl_Position = clip_of_world * vec4(p_W, 1.0);
#ifndef DEPTH
    vec3 n = normalize(vec3(dot(row_x.xyz, normal), dot(row_y.xyz, normal), dot(row_z.xyz, normal)));
#ifdef BAKE
    baked = vec3(0.5 + 0.5 * dot(n, right), 0.5 + 0.5 * n.z, look.x);
#else
    // light changes little over a card, so that it is computed at the corners, with the shadows
    vec3 ray = p_W - eye;
    float far = max(length(ray), 1e-3);
    vec4 haze_W = haze(ray / far, far);
#ifdef BARK
    vec3 paint = bark_paint;
    float facing = max(dot(n, SUN), 0.0);
#else
    vec3 paint = leaf_paint.rgb * 1.75;
    float facing = clamp(0.3 + 0.7 * dot(n, SUN), 0.0, 1.0);
    float through = max(dot(ray, SUN) / far, 0.0);       // leaves in front of the sun shine
    facing += 0.5 * through * through * (1.0 - facing);
#endif
    facing *= unshaded(p_W + 0.5 * SUN);
    paint = mix(paint, vec3(1.2), light_snow * clamp(1.5 * n.z, 0.0, 1.0));
    lit = paint * look.x * (SUNLIGHT * facing + ambient(n) * (0.5 + 0.5 * look.x) + lamplight(p_W, n)) * (1.0 - haze_W.a);
    air = haze_W.rgb * haze_W.a;
    drawn = leaf_paint.a;
#endif
#endif
}
