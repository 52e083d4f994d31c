// Bars and springs between two points of the chassis: the mesh gives a place along the axis, a place on the helix and the skin's direction.
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 skin;
layout(location = 2) in vec4 from;          // first end in B, radius of the bar or wire
layout(location = 3) in vec4 to;            // second end in B, radius of the helix
layout(location = 4) in vec3 paint;
uniform mat4 clip_of_world;
uniform vec3 eye;
out vec4 air;
uniform mat4 world_of_body;
out vec3 p_W;
out vec3 n_W;
out vec4 look;
out float glow;

void main() {
    vec3 axis = to.xyz - from.xyz;
    float span = max(length(axis), 1e-6);
    vec3 z = axis / span;
    vec3 x = normalize(cross(abs(z.x) < 0.9 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0), z));
    mat3 R = mat3(x, cross(z, x), z);
    vec3 p_B = from.xyz + z * (span * place.z) + R * vec3(place.xy * to.w, 0.0) + R * skin * from.w;
    vec4 p = world_of_body * vec4(p_B, 1.0);
    p_W = p.xyz;
    n_W = mat3(world_of_body) * (R * skin);
    look = vec4(paint, 0.25);
    glow = 0.0;
    vec3 ray = p_W - eye;
    float far = length(ray);
    air = haze(ray / max(far, 1e-3), far);
    gl_Position = clip_of_world * p;
}
