// Surfaces of the ground, for the terrain and for what is built on it. The names of the layers are those of surface_textures.py.
uniform sampler2D grain;                    // fine noise, wear of pavements, clods, clouds
uniform sampler2DArray layers;              // brightness, variation, slopes along x and y

// a surface: its layer, color, how much its hue varies
struct Surface {
    float layer;
    vec3 tint;
    float hue;
};

float stripe(float d, float width, float pixel) {
    return clamp((0.5 * (width + pixel) - abs(d)) / pixel, 0.0, 1.0) * min(1.0, width / pixel);
}

// noise over wide areas
vec4 slow_noise(vec2 p) {
    return texture(grain, p * 0.031 + 0.37);
}

// the surface where `over` covers the share `much`: its texture from one half on, its color gradually
Surface covered(Surface s, Surface over, float much) {
    float soft = clamp(4.0 * much - 1.5, 0.0, 1.0);
    return Surface(much > 0.5 ? over.layer : s.layer, mix(s.tint, over.tint, soft), mix(s.hue, over.hue, soft));
}

// bare ground of a color with grass where the noise is high, dry at its borders; code as in soil_layers; wide: very slow noise
Surface soil(float code, vec3 bare, float wide, vec4 slow, float worn) {
    float layer = floor(code * 0.0625), fertile = (code - 16.0 * layer) / 15.0 * (1.0 - worn), rough = slow.r - 0.5;
    float grass = 6.0 * (0.55 * wide + 0.45 * slow.a + 0.20 * rough) - 2.6;
    vec3 blades = mix(vec3(0.205, 0.190, 0.072), vec3(0.085, 0.122, 0.030), clamp(0.75 * grass + 0.6 * (slow.b - 0.5), 0.0, 1.0));
    float share = clamp(grass + 0.35 * rough, 0.0, 1.0) * step(0.02, fertile) * min(0.62 * fertile + 0.42, 1.0);
    return covered(Surface(layer, bare, 0.24), Surface(GRASS, blades, 0.55), share);
}

// pavement with patches, cracks and stains
Surface asphalt(vec4 slow) {
    return Surface(ASPHALT, vec3(0.074, 0.073, 0.074) * (1.0 + 2.1 * (slow.g - 0.5) + 0.45 * (slow.a - 0.5)), 0.12);
}

Surface gravel(vec4 slow) {
    return Surface(GRAVEL, vec3(0.305, 0.272, 0.225) * (0.78 + 0.36 * slow.b), 0.42);
}

#ifdef SNOWY
// share under fresh snow of a surface that is level by the share `level`
float snow_cover(float level, float hollow, vec4 slow) {
    return clamp(1.7 * light_snow + 1.6 * (slow.a - 0.5) + 0.5 * (slow.r - 0.5) - 0.35 + 0.5 * (hollow - 0.5), 0.0, 1.0) * level;
}

Surface under_snow(Surface s, float fresh) {
    return covered(s, Surface(SNOW, vec3(0.80, 0.83, 0.88), 0.08), fresh);
}
#endif

// texel of a layer at a place in m
vec4 texel(vec2 p, float layer) {
    vec4 fine = texture(layers, vec3(p * 0.25, layer), -0.6);
#ifdef FINE
    // the same surface larger and turned, so that no repetition shows
    vec4 other = texture(layers, vec3(mat2(0.137, 0.069, -0.069, 0.137) * p, layer), -0.6);
    fine = mix(fine, vec4(other.rg, fine.ba), 0.4);
#endif
    return fine;
}

vec3 colored(Surface s, vec4 fine) {
    return s.tint * (2.0 * fine.r) * (1.0 + s.hue * (fine.g - 0.5) * vec3(1.0, 0.1, -1.0));
}

vec2 slopes(vec4 fine) {
    return 2.008 * fine.ba - 1.008;
}

vec3 painted(vec3 ground, vec3 paint, vec4 fine, float share) {
    return mix(ground, paint * (0.8 + 0.4 * fine.r), clamp(share, 0.0, 1.0));
}

#ifdef WET
// depth of puddles, 0..1; hollow: one half = none
float puddles(float hollow, vec4 slow, vec4 fine) {
    return clamp(9.0 * (light_wet * (0.42 + 0.5 * (hollow - 0.5)) + 0.45 * (slow.b - 0.5) + 0.3 * (slow.a - 0.5) + 0.06 * (fine.g - 0.5) - 0.5), 0.0, 1.0);
}
#endif

// share of the light of the sky in the light of a surface under a film of water or ice; up: vertical part of the unit vector to the eye
float mirrored_sky(float film, float up) {
    float low = 1.0 - max(up, 0.0);
    return (0.03 + 0.75 * low * low * low * low) * film;
}
