// Instruments: quads in pixels from the upper left corner, each a glyph or a shape with soft edges.
layout(location = 0) in vec2 at;
layout(location = 1) in vec2 local;         // glyph: place in the atlas; shape: pixels from its center
layout(location = 2) in vec4 form;          // kind, then three measures in pixels
layout(location = 3) in vec4 paint;
uniform vec2 size;
out vec2 uv;
flat out vec4 shape;
out vec4 ink;

void main() {
    uv = local;
    shape = form;
    ink = paint;
    gl_Position = vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, 0.0, 1.0);
}
