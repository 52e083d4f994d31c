// Rectangle with an image, in pixels from the upper left corner.
layout(location = 0) in vec2 corner;        // 0 or 1
uniform vec2 size;                          // of the canvas
uniform vec4 box;                           // x, y, width, height
out vec2 uv;

void main() {
    uv = corner;
    vec2 at = box.xy + corner * box.zw;
    gl_Position = vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, 0.0, 1.0);
}
