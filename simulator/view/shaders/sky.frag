in vec3 ray;
uniform sampler2D grain;
out vec4 color;

void main() {
    vec3 d = normalize(ray);
    vec3 c = sky(d);
    // thin clouds on a plane high above, thinning out towards the horizon
    vec2 at = d.xy / (abs(d.z) + 0.06) * 0.10;
    vec4 puff = texture(grain, at * vec2(0.55, 1.0), -0.5);
    float cloud = 0.93 * puff.a + 0.07 * puff.b;
    cloud = smoothstep(0.50, 0.80, cloud) * smoothstep(0.02, 0.22, d.z);
    c = mix(c, vec3(0.80, 0.82, 0.84) + 0.25 * c, 0.62 * cloud);
    float s = dot(d, SUN);
    c += vec3(1.6, 1.35, 0.9) * smoothstep(0.99945, 0.9998, s);
    color = vec4(display(d.z < 0.0 ? haze(d, 1e5).rgb : c), 1.0);
}
