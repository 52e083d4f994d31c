in vec2 uv;
uniform sampler2D skin;                     // leaves: brightness, hue, 0, coverage; or bark: brightness
#ifdef BAKE
in vec3 baked;
out vec4 color;
#elif !defined(DEPTH)
in vec3 lit;
in vec3 air;
flat in float drawn;
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
#ifdef BAKE
    // bark in the lower half of the scale, leaves in the upper half
#ifdef BARK
    color = vec4(baked.xy, 0.46 * baked.z * (0.45 + 0.55 * t.r), 1.0);
#else
    color = vec4(baked.xy, 0.54 + 0.46 * baked.z * t.r, 1.0);
#endif
#elif !defined(DEPTH)
    if (drawn < 1.0 && noise(gl_FragCoord.xy) >= drawn) discard;
#ifdef BARK
    color = vec4(display(lit * (0.45 + 1.1 * t.r) + air), 1.0);
#else
    color = vec4(display(lit * mix(vec3(0.3, 0.75, 1.3), vec3(1.7, 1.25, 0.7), t.g) * t.r + air), 1.0);
#endif
#endif
}
