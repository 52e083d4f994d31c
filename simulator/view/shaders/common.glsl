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
    float light_disc;                       // sine of the elevation of the disc of the sun or moon
    vec4 lamp_place[LAMPS];                 // place in W, range in m
    vec4 lamp_beam[LAMPS];                  // unit vector along the beam, cosine of half its angle
    vec4 lamp_light[LAMPS];                 // linear light at 10 m; 1 = low beam: nothing above its beam
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
    return mix(ZENITH, HORIZON, t2 * t2 * (0.35 + 0.65 * t2)) + light_glow * g4 * (0.12 + 0.48 * g4 * g4 * t2);
}

// soft light from above and from the ground for a surface with normal n
vec3 ambient(vec3 n) {
    return mix(GROUNDLIGHT, light_skylight, 0.5 + 0.5 * n.z);
}

// color of the air towards direction d, and how much of it lies in front of something at distance r
vec4 haze(vec3 d, float r) {
    return vec4(sky(vec3(d.xy, max(d.z, 0.0) * 0.5 + 0.02)), 1.0 - exp2(-r * r * 3.2e-7 - r * (1.1e-4 + 1.4427 * light_fog)));
}

// linear light to the screen: filmic curve with a dark toe and a soft shoulder, then gamma 2
vec3 display(vec3 c) {
    c = max(c * light_exposure, 0.0);
    return sqrt(c * (1.0 + 0.12 * c) * (c + 0.01) / ((0.82 + 0.36 * c) * (c + 0.03)));
}

#ifdef NIGHT
// light of the lamps on a surface at p with the normal n
vec3 lamplight(vec3 p, vec3 n) {
    vec3 sum = vec3(0.0);
    for (int k = 0; k < int(light_lamps); ++k) {
        vec3 ray = p - lamp_place[k].xyz;
        float r2 = dot(ray, ray), range = lamp_place[k].w;
        if (r2 > range * range) continue;
        float far = inversesqrt(r2 + 0.01);
        vec4 beam = lamp_beam[k];
        float along = dot(ray, beam.xyz) * far;
        float cone = beam.w < -0.5 ? 1.0 : smoothstep(beam.w, mix(beam.w, 1.0, 0.7), along);
        // a low beam is bright just below its cut-off and dark above
        float above = dot(ray, vec3(0.0, 0.0, 1.0)) * far - beam.z * along;
        cone *= mix(1.0, smoothstep(0.012, -0.012, above) / (0.35 + 60.0 * above * above + 4.0 * max(-above, 0.0)), lamp_light[k].w);
        float facing = max(-dot(ray, n) * far, 0.0);
        float end = 1.0 - r2 / (range * range);
        sum += lamp_light[k].rgb * (100.0 * cone * facing * end * end / (r2 + 1.0));
    }
    return sum;
}
#else
#define lamplight(p, n) vec3(0.0)
#endif

// color of a surface with the normal n below rain and snow; fine: noise 0..1, mean one half
vec3 weathered(vec3 base, vec3 n, float fine) {
#ifdef WET
    base *= 1.0 - light_wet * (0.25 + 0.25 * max(n.z, 0.0));
#endif
#ifdef SNOWY
    float cover = smoothstep(0.35, 0.8, n.z) * smoothstep(-0.1, 0.1, light_snow * 1.2 - fine - 0.05);
    base = mix(base, vec3(0.80, 0.83, 0.87) * (0.9 + 0.2 * fine), cover);
#endif
    return base;
}

// light of the sky that wet level ground reflects towards the camera along the ray d
// smoothness: 0 = soil, 1 = a hard surface; fine: as for `weathered`
vec3 shine(vec3 d, float smoothness, float fine) {
#ifdef WET
    float up = 1.0 - clamp(-d.z, 0.0, 1.0), up2 = up * up;
    float film = mix(0.12, smoothstep(0.85, 0.25, fine + 0.6 - 0.6 * light_wet), smoothness) * light_wet * (1.0 - light_snow);
    return sky(vec3(d.xy, abs(d.z) + 0.03)) * (0.02 + 0.9 * up2 * up2 * up) * film;
#else
    return vec3(0.0);
#endif
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
