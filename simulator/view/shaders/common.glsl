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
    vec4 lamp_place[LAMPS];                 // place in W, 1 / range^2; the first lamp is the low beam of the vehicle
    vec4 lamp_beam[LAMPS];                  // unit vector along the beam, cosine of half its angle; 0, 0, 0, -1 = all directions
    vec4 lamp_light[LAMPS];                 // linear light at 1 m; not used
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
// light of all lamps but the low beam of the vehicle on a surface at p with the normal n
vec3 streetlight(vec3 p, vec3 n) {
    vec3 sum = vec3(0.0);
    for (int k = 1; k < LIT_LAMPS; ++k) {   // a constant: a software renderer then reads the lamps much faster
        vec3 ray = p - lamp_place[k].xyz;
        float r2 = dot(ray, ray), near = inversesqrt(r2 + 1.0);
        float cone = clamp((dot(ray, lamp_beam[k].xyz) * near - lamp_beam[k].w) * 8.0, 0.0, 1.0);
        float end = max(1.0 - r2 * lamp_place[k].w, 0.0);
        sum += lamp_light[k].rgb * (cone * max(-dot(ray, n), 0.0) * near * near * near * end * end);
    }
    return sum;
}

// light of the low beam of the vehicle: bright just below its cut-off and dark above
vec3 lowbeam(vec3 p, vec3 n) {
    vec3 ray = p - lamp_place[0].xyz;
    float r2 = dot(ray, ray), near = inversesqrt(r2 + 1.0), along = dot(ray, lamp_beam[0].xyz) * near;
    float above = ray.z * near - lamp_beam[0].z * along;
    float cone = clamp((along - lamp_beam[0].w) * 6.0, 0.0, 1.0) * clamp(0.5 - 50.0 * above, 0.02, 1.0) / (1.0 + 1000.0 * above * above);
    return lamp_light[0].rgb * (cone * max(-dot(ray, n), 0.0) * near * near * near * max(1.0 - r2 * lamp_place[0].w, 0.0));
}
#define lamplight(p, n) (streetlight(p, n) + lowbeam(p, n))
#else
#define lamplight(p, n) vec3(0.0)
#endif

#if defined(WET) || defined(SNOWY)
#define WEATHERED
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

// light that wet level ground at `ray` from the camera reflects; horizon: color of the sky there
// smoothness: 0 = soil, 1 = a hard surface; fine: as for `weathered`
vec3 shine(vec3 horizon, vec3 ray, float smoothness, float fine) {
#ifdef WET
    float up = 1.0 - abs(ray.z) * inversesqrt(dot(ray, ray)), up2 = up * up;
    float film = mix(0.12, clamp(0.4 - 2.0 * (fine - 0.6 * light_wet), 0.0, 1.0), smoothness) * light_wet * (1.0 - light_snow);
    return horizon * ((0.02 + 0.9 * up2 * up2 * up) * film);
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
