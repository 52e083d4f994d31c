// Bodies: position, normal, color, gloss; placed by one matrix.
layout(location = 0) in vec3 p_B;
layout(location = 1) in vec3 n_B;
layout(location = 2) in vec3 paint;
layout(location = 3) in float gloss;
uniform mat4 clip_of_world;
uniform mat4 world_of_body;
out vec3 p_W;
out vec3 n_W;
out vec4 look;

void main() {
    vec4 p = world_of_body * vec4(p_B, 1.0);
    p_W = p.xyz;
    n_W = mat3(world_of_body) * n_B;
    look = vec4(paint, gloss);
    gl_Position = clip_of_world * p;
}
