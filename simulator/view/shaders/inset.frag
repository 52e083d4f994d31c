in vec2 uv;
uniform sampler2D image;
out vec4 color;

void main() {
    color = vec4(texture(image, uv).rgb, 1.0);
}
