in vec3 ray;
uniform sampler2D grain;
out vec4 color;

const vec2 WIND = vec2(6e-4, 2.5e-4);       // of the clouds, repetitions of the texture per second

#ifdef NIGHT
// stars: at most one in a cell of a cube around the camera
float stars(vec3 d) {
    vec3 a = abs(d);
    vec2 q = a.z > max(a.x, a.y) ? d.xy / a.z : a.x > a.y ? d.yz / a.x + 3.0 : d.zx / a.y + 7.0;
    q *= 70.0;
    vec2 cell = floor(q);
    vec3 h = fract(vec3(cell.xyx) * vec3(0.1031, 0.1030, 0.0973));
    h += dot(h, h.yzx + 33.33);
    h = fract((h.xxy + h.yzz) * h.zyx);
    vec2 off = q - cell - 0.2 - 0.6 * h.xy;
    float magnitude = h.z * h.z * h.z;
    return smoothstep(0.13, 0.0, length(off)) * magnitude * magnitude;
}
#endif

void main() {
    vec3 d = normalize(ray);
    vec3 c = sky(d);
    // clouds on a plane high above
    vec2 at = d.xy / (abs(d.z) + 0.06) * 0.10 + light_time * WIND;
    vec4 puff = texture(grain, at * vec2(0.55, 1.0), -0.5);
    float thick = 0.93 * puff.a + 0.07 * puff.b;
    float start = mix(0.72, 0.06, light_clouds);
    float cloud = smoothstep(start, start + 0.30, thick) * smoothstep(0.02, 0.22, d.z);
    float clear = 1.0 - smoothstep(0.6, 1.0, light_clouds);
    vec3 white = 0.42 * SUNLIGHT + light_skylight + 0.2 * c;
    float s = dot(d, SUN);
#ifdef NIGHT
    c += vec3(0.010, 0.011, 0.012) * (stars(d) * clear * exp2(-500.0 * light_fog) * light_night * smoothstep(0.0, 0.25, d.z) * (1.0 - cloud));
#endif
    float seen = exp2(-500.0 * light_fog);
    c = mix(c * (1.0 + seen * 0.56 * (thick - 0.5)), mix(c, white, 0.72 * cloud * seen), clear);
    // the disc is where the sun is, which may be lower than the direction of its light
    vec3 disc = normalize(vec3(SUN.xy, light_disc * length(SUN.xy) / sqrt(max(1.0 - light_disc * light_disc, 1e-3))));
    float face = smoothstep(0.99985, 0.99992, dot(d, disc));
    c += face * clear * (1.0 - 0.8 * cloud) * seen * mix(30.0, 8.0, light_night) * SUNLIGHT;
    color = vec4(display(d.z < 0.0 ? haze(d, 1e5).rgb : c), 1.0);
}
