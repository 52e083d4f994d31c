in vec2 uv;
flat in vec4 shape;
in vec4 ink;
uniform sampler2D glyphs;
out vec4 color;

void main() {
    float inside;
    if (shape.x < 0.5) {
        inside = texture(glyphs, uv).r;
    } else if (shape.x < 1.5) {
        // rounded box: half width, half height, radius
        vec2 d = abs(uv) - shape.yz + shape.w;
        inside = 0.5 - (length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - shape.w);
    } else if (shape.x < 2.5) {
        // bar with round ends along x: half length, radius
        inside = 0.5 - (length(vec2(max(abs(uv.x) - shape.y, 0.0), uv.y)) - shape.z);
    } else {
        // ring: radius, half thickness
        inside = 0.5 - (abs(length(uv) - shape.y) - shape.z);
    }
    color = vec4(ink.rgb, ink.a * clamp(inside, 0.0, 1.0));
}
