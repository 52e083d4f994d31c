// What is built on the ground, and markings: corners in W, color, and a code of the surface (feature_meshes.py).
layout(location = 0) in vec3 p;
layout(location = 1) in vec3 n;
layout(location = 2) in vec3 paint;
layout(location = 3) in float code;
uniform mat4 clip_of_world;
uniform vec3 eye;
uniform sampler2D grain;
out vec3 p_W;
out vec3 n_W;
out vec4 look;
out vec4 air;
out float wide;

void main() {
    p_W = p;
    n_W = n;
    look = vec4(paint, code);
    wide = textureLod(grain, p.xy * 0.0021 + 0.11, 0.0).a;
    vec3 ray = p - eye;
    float far = length(ray);
    air = haze(ray / max(far, 1e-3), far);
    gl_Position = clip_of_world * vec4(p, 1.0);
}
