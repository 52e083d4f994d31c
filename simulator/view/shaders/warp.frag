in vec2 uv;
in float intensity;
uniform sampler2D image;
out vec4 color;

void main() {
    vec2 outside = abs(uv - 0.5);
    float seen = max(outside.x, outside.y) > 0.5 ? 0.0 : intensity;
    color = vec4(texture(image, uv).rgb * seen, 1.0);
}
