in vec3 p_W;
in vec3 n_W;
in vec4 look;                               // sRGB color, gloss
in float glow;                              // how much a lamp is lit
uniform vec3 eye;
in vec4 air;                                // haze between the camera and the vehicle
#ifdef INSTANCED
uniform vec3 past_body;                     // way to the sun that leaves the body, which is among the casters
#endif
uniform float outdoors;                     // 1 = part of the ground, which rain and snow reach
uniform float sheltered;                    // 1 = seen from inside of the cabin, which lamps do not light
uniform float lamp;                         // light from the camera, for looking into the wheel house
uniform sampler2DShadow shadow;
uniform mat4 shadow_of_world;
#ifdef TRANSLUCENT
uniform float opacity;
#endif
out vec4 color;

void main() {
    vec3 n = normalize(gl_FrontFacing ? n_W : -n_W);
    vec3 v = normalize(eye - p_W);
    vec3 paint = look.rgb * look.rgb;
#ifdef WEATHERED
    paint = mix(paint, weathered(paint, n, 0.5), outdoors);
#endif
    float facing = max(dot(n, v), 0.0);
    float rim = (1.0 - facing) * (1.0 - facing);
#ifdef GHOST
    color = vec4(display(paint * ambient(n) + 0.22 * SUNLIGHT * rim), 0.04 + 0.34 * rim);
#elif defined(TRANSLUCENT)
    color = vec4(display(mix(paint, vec3(0.10, 0.35, 0.90), 0.6) * (0.6 * ambient(n) + 0.5 * max(dot(n, SUN), 0.0)) + 0.25 * rim), opacity);
#else
#ifdef INDOORS
    // what the driver sees of the cabin, without the look-up of shadows, which takes most of the time of a software renderer
    vec3 light = 0.8 * ambient(n) + 0.2 * SUNLIGHT * max(dot(n, SUN), 0.0);
#else
    vec4 s = shadow_of_world * vec4(p_W + n * 0.02, 1.0);
    vec2 edge = abs(s.xy - 0.5);
    float lit = texture(shadow, vec3(s.xy, s.z - 0.0012));
    float sun = max(dot(n, SUN), 0.0) * (max(edge.x, edge.y) < 0.5 ? lit : 1.0);
#ifdef CASTERS
#ifdef INSTANCED
    sun *= unshaded(p_W + past_body);
#else
    sun *= unshaded(p_W + n * 0.05);
#endif
#endif
    // the inside of the shell sees no sun
    vec3 light = gl_FrontFacing ? SUNLIGHT * sun + ambient(n) : ambient(n) * 0.5;
#endif
    light += lamp * facing / light_exposure + (1.0 - 0.9 * sheltered) * lamplight(p_W, n);
    vec3 c = paint * light + glow * (5.0 * paint + 0.04) / light_exposure;
#ifndef MATTE
    if (look.a > 0.0) {
        // clear coat and glass mirror the sky and the sun, most of all at a flat angle
        vec3 mirror = 2.0 * dot(n, v) * n - v;
        float coat = look.a * (0.08 + 0.85 * rim * rim);
#ifdef PLAIN
        vec3 above = mix(HORIZON, ZENITH, clamp(1.6 * mirror.z, 0.0, 1.0));
#else
        vec3 above = sky(mirror);
#endif
        above = mix(GROUNDLIGHT, above, smoothstep(-0.06, 0.10, mirror.z));
        float spark = max(dot(mirror, SUN), 0.0);
        spark *= spark;
        spark *= spark;
        spark *= spark;
        float sharp = spark * spark;
        sharp *= sharp;
        sharp *= sharp;
#ifdef GLASS
        spark = 0.0;                        // panes are flat
        sharp *= sharp;
        sharp *= sharp;
#endif
        c = c * (1.0 - coat) + coat * above + look.a * sun * (0.16 * spark + 0.9 * sharp) * SUNLIGHT;
#ifdef GLASS
        color = vec4(display(c + 0.10 * above), clamp(0.42 + 0.55 * rim + look.a * sun * sharp, 0.0, 1.0));
        return;
#endif
    }
#endif
    color = vec4(display(mix(c, air.rgb, air.a)), 1.0);
#endif
}
