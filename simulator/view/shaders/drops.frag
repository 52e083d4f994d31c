in vec2 at;
in vec4 tint;
out vec4 color;

void main() {
#ifdef FLAKES
    float soft = smoothstep(1.0, 0.3, length(at));
#else
    float soft = (1.0 - at.x * at.x) * (1.0 - at.y * at.y);
#endif
    color = vec4(display(tint.rgb), tint.a * soft);
}
