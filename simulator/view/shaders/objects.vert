// Objects: one unit mesh for all objects of a shape, placed and sized by the instance; see object_meshes.py.
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in float end;          // end of a round shape, -1, 0 or 1; or color of a mesh, 2 + red + 256 green + 65536 blue
layout(location = 3) in vec4 row_x;         // rows of the matrix from O to W
layout(location = 4) in vec4 row_y;
layout(location = 5) in vec4 row_z;
layout(location = 6) in vec4 size;
layout(location = 7) in vec3 paint;
uniform mat4 clip_of_world;
uniform vec3 eye;
out vec3 p_W;
out vec3 n_W;
out vec4 look;
out vec4 air;
#ifdef NUMBERS
flat out float number;                      // in place of the color
#endif

void main() {
    bool colored = end > 1.5;
    vec4 r = vec4(place * size.xyz + vec3(0.0, 0.0, colored ? 0.0 : end * size.w), 1.0);
    vec3 n = normal / size.xyz;
    p_W = vec3(dot(row_x, r), dot(row_y, r), dot(row_z, r));
    n_W = vec3(dot(row_x.xyz, n), dot(row_y.xyz, n), dot(row_z.xyz, n));
    float code = end - 2.0;
    vec3 own = vec3(mod(code, 256.0), mod(floor(code / 256.0), 256.0), floor(code / 65536.0)) / 255.0;
    look = vec4(colored ? own : paint, 0.0);
#ifdef NUMBERS
    number = paint.r;
#endif
    vec3 ray = p_W - eye;
    float far = length(ray);
    air = haze(ray / max(far, 1e-3), far);
    gl_Position = clip_of_world * vec4(p_W, 1.0);
}
