in vec2 uv;
in float high;
flat in vec2 columns;
flat in float blend;
flat in float level;                        // of the halved copies
uniform sampler2D views;                    // normal to the right and up, brightness of bark or leaves, coverage
#ifdef DEPTH
uniform vec3 form;                          // as in the vertex shader
#else
in vec3 air;
flat in vec4 leaf;
flat in vec4 bark;
flat in vec3 lamps;
flat in vec3 sun_card;
out vec4 color;
#endif

void main() {
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    vec4 t = textureLod(views, vec2((uv.x + (noise < blend ? columns.y : columns.x)) * 0.125, uv.y), level);
    if (t.a < 0.5) discard;
#ifdef DEPTH
    // light falls through gaps between the leaves
    vec2 p = 2.0 * vec2(uv.x, uv.y * form.z);
    if (t.b > 0.5 && sin(23.0 * p.x + 2.5 * sin(21.0 * p.y)) * sin(47.0 * p.y + 2.5 * sin(17.0 * p.x)) > 0.6) discard;
#else
    if (noise < 1.0 - leaf.a) discard;
    vec2 side = 2.0 * t.rg - 1.0;
    vec3 n = vec3(side, sqrt(max(1.0 - dot(side, side), 0.0)));
    bool is_leaf = t.b > 0.5;
    float shade = (is_leaf ? t.b - 0.54 : t.b) * 2.17;
    float facing = dot(n, sun_card);
    facing = is_leaf ? clamp(0.3 + 0.7 * facing, 0.0, 1.0) : max(facing, 0.0);
    facing *= 1.0 - bark.a * (1.0 - high);
    vec3 paint = (is_leaf ? leaf.rgb : bark.rgb) * shade;
    paint = mix(paint, vec3(0.8), light_snow * clamp(1.5 * n.y, 0.0, 1.0));
    vec3 light = SUNLIGHT * facing + mix(GROUNDLIGHT, light_skylight, 0.5 + 0.5 * n.y) * (0.6 + 0.4 * high) + lamps;
    color = vec4(display(paint * light + air), 1.0);
#endif
}
