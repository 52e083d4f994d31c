in vec2 at;
in vec2 cloud;
in float lift;
flat in vec2 solid;
flat in vec3 shade;
out vec4 color;

void main() {
    float inner = max(1.0 - dot(at, at), 0.0);
    // uneven, without a texture, which would double the cost on a software renderer
    vec2 wave = abs(fract(cloud) - 0.5);
    float wisps = 0.4 + 6.0 * wave.x * wave.y;
    // no edge where the square meets the ground
    float soft = inner * min(1.5 * inner, 1.0) * wisps * clamp(lift, 0.0, 1.0);
    color = vec4(shade, min(solid.x * mix(soft, 4.0 * inner, solid.y), 1.0));
}
