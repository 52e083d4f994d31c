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
out vec3 p_W;
out vec3 n_W;
out vec2 uv;
out vec4 air;
out float shade;
flat out vec3 paint;
flat out float drawn;

void main() {
    float high = place.z < 1.0 ? place.z * size.y : mix(size.y, size.z, place.z - 1.0);
    vec4 r = vec4(vec3(place.xy * size.x, high) + thick * size.w, 1.0);
    p_W = vec3(dot(row_x, r), dot(row_y, r), dot(row_z, r));
#ifdef WIND
    float phase = dot(p_W.xy, vec2(0.31, 0.17)) + 1.3 * light_time, gust = sin(phase) + 0.5 * sin(2.3 * phase + 1.0);
    p_W.xy += look.y * 0.012 * size.z * vec2(gust, 0.6 * sin(1.7 * phase)) + (look.y > 0.0 ? 0.012 : 0.0) * sin(5.0 * light_time + 9.0 * place.xy);
#endif
    n_W = vec3(dot(row_x.xyz, normal), dot(row_y.xyz, normal), dot(row_z.xyz, normal));
    uv = at;
    shade = look.x;
#ifdef BARK
    paint = bark_paint;
#else
    paint = leaf_paint.rgb;
#endif
    drawn = leaf_paint.a;
    vec3 ray = p_W - eye;
    float far = length(ray);
    air = haze(ray / max(far, 1e-3), far);
    gl_Position = clip_of_world * vec4(p_W, 1.0);
}
