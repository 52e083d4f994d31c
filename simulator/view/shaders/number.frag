// Numbers of objects and depths instead of colors, for the images of cameras.
#ifdef NUMBERS
flat in float number;
#else
uniform float number;
#endif
#ifdef CUT
in vec3 p_W;
uniform sampler2D cut;                      // where something lies below the land
uniform vec4 cut_grid;                      // its corner x, y, 1 / its extent
#endif
layout(location = 0) out int found;
layout(location = 1) out float depth;       // m, along the optical axis

void main() {
#ifdef CUT
    if (texture(cut, (p_W.xy - cut_grid.xy) * cut_grid.zw).r > 0.5) discard;
#endif
    found = int(number);
    depth = 1.0 / gl_FragCoord.w;
}
