layout(location = 0) in vec3 p;
layout(location = 1) in float across;       // -1..1
layout(location = 2) in float dark;         // 0..1
layout(location = 3) in float time;         // s
uniform mat4 clip_of_world;
uniform vec3 eye;
uniform float now;
uniform float fade;                         // s
out float side;
out float shade;

void main() {
    side = across;
    vec3 ray = p - eye;
    float far = length(ray);
    shade = dark * clamp(1.0 - (now - time) / fade, 0.0, 1.0) * (1.0 - haze(ray / max(far, 1e-3), far).a);
    gl_Position = clip_of_world * vec4(p, 1.0);
}
