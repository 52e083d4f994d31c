layout(location = 0) in vec2 corner;
uniform mat4 world_of_clip;                 // without translation
out vec3 ray;

void main() {
    vec4 far = world_of_clip * vec4(corner, 1.0, 1.0);
    ray = far.xyz / far.w;
    gl_Position = vec4(corner, 1.0, 1.0);
}
