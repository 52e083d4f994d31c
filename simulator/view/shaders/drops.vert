// Rain and snow: each instance is a drop in a cube that follows the camera; a drop that leaves on one side enters on the other.
layout(location = 0) in vec2 corner;        // across -1..1, along 0..1
layout(location = 1) in vec4 seed;          // place in the cube, phase; 0..1
uniform mat4 clip_of_world;
uniform vec3 eye, center, fallen, streak;
uniform float box, clear;
out vec2 at;
out vec4 tint;

void main() {
    vec3 p = seed.xyz * box + fallen;
#ifdef FLAKES
    p.xy += 0.25 * vec2(sin(light_time * 1.7 + 40.0 * seed.w), cos(light_time * 1.3 + 60.0 * seed.w));
#endif
    p = center + mod(p - center, box) - 0.5 * box;
    vec3 ray = p - eye;
    float r = max(length(ray), 0.01);
#ifdef FLAKES
    float radius = max(0.014 + 0.014 * seed.w, 0.0016 * r);
    vec3 along = 2.0 * radius * normalize(vec3(0.0, 0.0, 1.0) + 2.0 * streak);
    float visible = 0.95;
#else
    float radius = max(0.003, 0.0013 * r);
    vec3 along = streak;
    float visible = 0.30 * 0.003 / radius + 0.16;
#endif
    vec3 side = normalize(cross(along, ray) + vec3(1e-6, 0.0, 0.0)) * radius;
    visible *= smoothstep(clear, clear + 0.8, r) * smoothstep(0.95 * box, 0.75 * box, r);
    tint = vec4(1.3 * light_skylight + 0.5 * light_horizon + 0.3 * light_sunlight, visible);
    at = vec2(corner.x, 2.0 * corner.y - 1.0);
    gl_Position = clip_of_world * vec4(p + side * corner.x + along * (corner.y - 0.5), 1.0);
}
