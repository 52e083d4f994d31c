in vec2 uv;
uniform sampler2D picture;
uniform float gain;                         // brightness by day; a picture with its own light is darker at night
uniform float lit;                          // 1 = its own light
out vec4 color;

void main() {
    color = vec4(texture(picture, uv).rgb * gain * (1.0 - 0.4 * lit * light_night), 1.0);
}
