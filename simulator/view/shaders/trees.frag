in vec3 p_W;
in vec3 n_W;
in vec2 uv;
in vec4 air;
in float shade;
flat in vec3 paint;
flat in float drawn;
uniform sampler2D skin;                     // leaves: brightness, hue, 0, coverage; or bark: brightness
uniform vec3 eye;
#ifdef BAKE
uniform vec3 right;                         // of the image, in W
#endif
#ifndef DEPTH
out vec4 color;
#endif

float noise(vec2 p) {                       // even noise of the screen [Jimenez 2014]
    return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715))));
}

void main() {
    vec4 t = texture(skin, uv);
#ifndef BARK
    if (t.a < 0.5) discard;
#endif
#ifndef DEPTH
    vec3 n = normalize(n_W);
#ifdef BAKE
    // normal to the right and up; bark in the lower half of the scale, leaves in the upper half
#ifdef BARK
    color = vec4(0.5 + 0.5 * vec2(dot(n, right), n.z), 0.46 * shade * (0.45 + 0.55 * t.r), 1.0);
#else
    color = vec4(0.5 + 0.5 * vec2(dot(n, right), n.z), 0.54 + 0.46 * shade * t.r, 1.0);
#endif
#else
    if (drawn < 1.0 && noise(gl_FragCoord.xy) >= drawn) discard;
#ifdef BARK
    float facing = max(dot(n, SUN), 0.0);
    vec3 skin_color = paint * (0.45 + 1.1 * t.r) * shade;
#else
    float facing = clamp(0.3 + 0.7 * dot(n, SUN), 0.0, 1.0);
    float through = max(dot(normalize(p_W - eye), SUN), 0.0);    // leaves in front of the sun shine
    facing += 0.5 * through * through * (1.0 - facing);
    vec3 skin_color = mix(paint, paint * vec3(1.7, 1.25, 0.7), 2.0 * t.g - 1.0) * (1.75 * t.r * shade);
#endif
#ifdef CASTERS
    facing *= unshaded(p_W + 0.4 * SUN);
#endif
    skin_color = mix(skin_color, vec3(0.8), light_snow * clamp(1.5 * n.z, 0.0, 1.0));
    vec3 light = SUNLIGHT * facing + ambient(n) * shade;
    color = vec4(display(mix(skin_color * light, air.rgb, air.a)), 1.0);
#endif
#endif
}
