// Glow of a lamp: a square that faces the camera.
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 place;         // center in W, radius in m
layout(location = 2) in vec3 light;         // displayed linear color
uniform mat4 clip_of_world;
uniform vec3 eye, right, up;
uniform float pixel;                        // size of a pixel at 1 m distance
out vec2 at;
out vec3 tint;

void main() {
    float r = distance(place.xyz, eye);
    // a far lamp is at least two pixels large, and dims; fog widens the glow
    float wide = place.w * (1.0 + 1.5 * (1.0 - exp2(-60.0 * light_fog)));
    float radius = max(wide, 2.0 * pixel * r);
    tint = light * min(wide / radius * 2.0, 1.0) * exp2(-1.4427 * light_fog * r);
    at = corner;
    gl_Position = clip_of_world * vec4(place.xyz + radius * (corner.x * right + corner.y * up), 1.0);
}
