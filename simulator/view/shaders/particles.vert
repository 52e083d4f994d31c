// Particles: squares that face the camera; see particle_renderer.py.
layout(location = 0) in vec2 corner;        // -1..1
layout(location = 1) in vec4 ball;          // place in W, radius
layout(location = 2) in vec4 paint;         // linear color, opacity
layout(location = 3) in vec3 more;          // turn, height of the ground, 1 = clod with a sharp edge
uniform mat4 clip_of_world;
uniform vec3 eye;
uniform vec3 right;
uniform vec3 up;
out vec2 at;
out vec2 cloud;                             // place in the pattern
out float lift;                             // height above the ground in radii
flat out vec2 solid;                        // opacity, clod
flat out vec3 shade;

void main() {
    vec3 p = ball.xyz + ball.w * (corner.x * right + corner.y * up);
    vec3 ray = ball.xyz - eye;
    float far = length(ray);
    vec3 d = ray / max(far, 1e-3);
    // light from the sun that also shines through, and from the sky
    vec3 light = SUNLIGHT * (0.50 + 0.35 * pow(max(dot(d, SUN), 0.0), 4.0)) + 0.5 * (ambient(vec3(0.0, 0.0, 1.0)) + ambient(vec3(0.0, 0.0, -1.0))) + lamplight(ball.xyz, -d);
    vec4 air = haze(d, far);
    shade = display(mix(paint.rgb * light, air.rgb, air.a));
    solid = vec2(paint.a, more.z);
    at = corner;
    float c = cos(more.x), s = sin(more.x);
    cloud = 0.9 * (mat2(c, s, -s, c) * corner) + 3.0 * vec2(c, s) + 0.35 * corner.x * corner.y;
    lift = (p.z - more.y) / max(0.6 * ball.w, 0.02);
    gl_Position = clip_of_world * vec4(p, 1.0);
}
