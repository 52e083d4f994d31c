in vec3 p_W;
in vec3 n_W;
in vec4 look;                               // square root of the color; code of the surface
in vec4 air;
in float wide;
uniform vec3 eye;
uniform sampler2DShadow shadow;
uniform mat4 shadow_of_world;
out vec4 color;

void main() {
    vec3 n = normalize(n_W), tint = look.rgb * look.rgb;
    vec4 slow = slow_noise(p_W.xy);
    float code = look.a, pixel = max(fwidth(code), 1e-3);
    Surface s = Surface(code < GROUND ? code : CONCRETE, tint * (0.9 + 0.2 * slow.b), 0.2);
    float paint = 0.0, joint = 0.0;
    if (code >= SLABS) {
        joint = stripe(mod(code - SLABS, SLAB) - 0.5 * SLAB, 0.02, pixel);
        s.tint *= 0.88 + 0.24 * fract(sin(floor((code - SLABS) / SLAB + 0.5) * 12.9898) * 437.58);
    } else if (code >= MARKING) {
        // worn paint on a pavement
        s = asphalt(slow);
        paint = clamp(1.15 + 3.0 * (slow.g - 0.5) + 0.5 * (slow.r - 0.5), 0.0, 1.0);
    } else if (code >= GROUND) {
        s = soil(code - GROUND, tint, wide, slow, 0.0);
        s.tint *= 0.74 + 0.52 * slow.b;
        s = floor(s.layer + 0.5) == GRAVEL ? gravel(slow) : floor(s.layer + 0.5) == ASPHALT ? asphalt(slow) : s;
    }
    float fresh = 0.0;
#ifdef SNOWY
    fresh = snow_cover(smoothstep(0.5, 0.8, n.z), 0.5, slow);
    s = under_snow(s, fresh);
#endif
    // the texture of a steep face is upright
    vec2 along = normalize(vec2(-n.y, n.x) + vec2(1e-6, 0.0));
    vec4 fine = texel(n.z > 0.5 ? p_W.xy : vec2(dot(p_W.xy, along), p_W.z), s.layer);
    vec3 ground = painted(colored(s, fine), tint, fine, paint * (1.0 - fresh)) * (1.0 - 0.65 * joint * (1.0 - fresh));
    vec2 lean = slopes(fine) * step(0.5, n.z) * (1.0 - 0.75 * paint);
#ifdef WET
    float up = normalize(eye - p_W).z;
    ground *= 1.0 - 0.42 * light_wet * (1.0 - fresh);
    float mirror = mirrored_sky(0.18 * light_wet * (1.0 - fresh) * n.z, up);
#endif
    vec4 s_W = shadow_of_world * vec4(p_W + n * 0.02, 1.0);
    vec2 edge = abs(s_W.xy - 0.5);
    float lit = texture(shadow, vec3(s_W.xy, s_W.z - 0.0012));
    float sun = max(dot(n, SUN), 0.0);
    sun = max(sun + dot(lean, SUN.xy) * min(6.0 * sun, 1.0), 0.0) * inversesqrt(1.0 + dot(lean, lean)) * (max(edge.x, edge.y) < 0.5 ? lit : 1.0);
#ifdef CASTERS
    sun *= unshaded(p_W + n * 0.05);
#endif
    ground *= SUNLIGHT * sun + ambient(n) + lamplight(p_W, n);
#ifdef WET
    ground = mix(ground, air.rgb, mirror);
#endif
    color = vec4(display(mix(ground, air.rgb, air.a)), 1.0);
}
