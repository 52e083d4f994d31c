// An image on the warp mesh of a screen.
layout(location = 0) in vec2 at;            // on the screen, -1..1
layout(location = 1) in vec2 place;         // in the image, 0..1
layout(location = 2) in float share;        // of the light
out vec2 uv;
out float intensity;

void main() {
    uv = place;
    intensity = share;
    gl_Position = vec4(at, 0.0, 1.0);
}
