// Shared by all shaders. World axes: z up. Colors are linear until `display`.
const vec3 SUN = vec3(-0.4472, 0.5963, 0.6667);       // towards the sun, unit; textures.py bakes light from the same direction
const vec3 SUNLIGHT = vec3(1.18, 1.08, 0.90);
const vec3 ZENITH = vec3(0.085, 0.20, 0.46);
const vec3 HORIZON = vec3(0.52, 0.63, 0.74);
const vec3 GROUNDLIGHT = vec3(0.16, 0.135, 0.10);

// light of a clear sky from direction d
vec3 sky(vec3 d) {
    float t = 1.0 - clamp(d.z, 0.0, 1.0);
    float t2 = t * t;
    float glow = max(dot(d, SUN), 0.0);
    float g2 = glow * glow;
    float g4 = g2 * g2;
    return mix(ZENITH, HORIZON, t2 * t2 * (0.35 + 0.65 * t2)) + vec3(0.30, 0.22, 0.10) * g4 * (0.25 + 0.35 * g4 * t2);
}

// soft light from above and from the ground for a surface with normal n
vec3 ambient(vec3 n) {
    return mix(GROUNDLIGHT, vec3(0.27, 0.34, 0.44), 0.5 + 0.5 * n.z);
}

// color of the air towards direction d, and how much of it lies in front of something at distance r
vec4 haze(vec3 d, float r) {
    return vec4(sky(vec3(d.xy, max(d.z, 0.0) * 0.5 + 0.02)), 1.0 - exp2(-r * r * 3.2e-7 - r * 1.1e-4));
}

// linear light to the screen: soft shoulder, then gamma 2
vec3 display(vec3 c) {
    c = max(c, 0.0);
    return sqrt(c * (1.0 + 0.12 * c) / (0.86 + 0.36 * c));
}

#ifdef CASTERS
uniform sampler2DShadow casters;            // what the sun sees of the objects around the camera
uniform mat4 casters_of_world;

// share of the sun at p that objects leave; outside the map all of it
float unshaded(vec3 p) {
    vec3 s = (casters_of_world * vec4(p, 1.0)).xyz;
    vec2 edge = abs(s.xy - 0.5);
    return mix(texture(casters, s), 1.0, smoothstep(0.47, 0.5, max(edge.x, edge.y)));
}
#endif
