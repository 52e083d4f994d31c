in vec2 at;
in vec3 tint;
out vec4 color;

void main() {
    float r2 = dot(at, at);
    float halo = max(1.0 - r2, 0.0);
    color = vec4(tint * (0.30 * halo * halo * halo + 1.3 * smoothstep(0.05, 0.0, r2)), 1.0);
}
