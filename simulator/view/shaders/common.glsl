// Shared by all shaders. World axes: z up. Colors are linear until `display`.

// light of the world; rows of LIGHT in light.py
const int LAMPS = 16;
layout(std140) uniform Light {
    vec3 light_sun;                         // unit vector towards the sun or moon
    float light_exposure;
    vec3 light_sunlight;
    float light_clouds;                     // 0..1
    vec3 light_zenith;
    float light_fog;                        // extinction, 1/m
    vec3 light_horizon;
    float light_wet;                        // 0..1
    vec3 light_glow;
    float light_snow;                       // 0..1
    vec3 light_skylight;
    float light_night;                      // 0..1
    vec3 light_groundlight;
    float light_time;                       // s
    float light_lamps;                      // number of lamps
    float light_rain;                       // mm/h
    float light_snowfall;                   // mm/h
    float light_spare;
    vec4 lamp_place[LAMPS];                 // place in W, range in m
    vec4 lamp_beam[LAMPS];                  // unit vector along the beam, cosine of half its angle
    vec4 lamp_light[LAMPS];                 // linear light at 10 m
};
#define SUN light_sun
#define SUNLIGHT light_sunlight
#define ZENITH light_zenith
#define HORIZON light_horizon
#define GROUNDLIGHT light_groundlight

// light of a clear sky from direction d
vec3 sky(vec3 d) {
    float t = 1.0 - clamp(d.z, 0.0, 1.0);
    float t2 = t * t;
    float glow = max(dot(d, SUN), 0.0);
    float g2 = glow * glow;
    float g4 = g2 * g2;
    return mix(ZENITH, HORIZON, t2 * t2 * (0.35 + 0.65 * t2)) + light_glow * g4 * (0.25 + 0.35 * g4 * t2);
}

// soft light from above and from the ground for a surface with normal n
vec3 ambient(vec3 n) {
    return mix(GROUNDLIGHT, light_skylight, 0.5 + 0.5 * n.z);
}

// color of the air towards direction d, and how much of it lies in front of something at distance r
vec4 haze(vec3 d, float r) {
    return vec4(sky(vec3(d.xy, max(d.z, 0.0) * 0.5 + 0.02)), 1.0 - exp2(-r * r * 3.2e-7 - r * (1.1e-4 + 1.4427 * light_fog)));
}

// linear light to the screen: soft shoulder, then gamma 2
vec3 display(vec3 c) {
    c = max(c * light_exposure, 0.0);
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
