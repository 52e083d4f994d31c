in float side;
in float shade;
out vec4 color;

void main() {
    // two darker lines under the shoulders of the tire, soft at the edges
    float edge = abs(side), soft = clamp(6.0 - 6.0 * edge, 0.0, 1.0);
    color = vec4(vec3(0.03), shade * soft * (0.55 + 0.25 * edge * edge));
}
