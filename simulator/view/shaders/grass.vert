// Tufts of grass and small plants on soil around the camera: two crossed cards each. The fragments are those of leaves (trees.frag).
layout(location = 0) in vec3 corner;        // -0.5 .. 0.5 across, 0 .. 1 up; card 0 or 1
layout(location = 1) in vec4 base;          // in W, and heading
layout(location = 2) in vec4 looks;         // height in m (negative where ruts are near), column and row of the tile, chance
uniform mat4 clip_of_world;
uniform vec3 eye;
uniform float reach;                        // m up to which tufts are drawn
#ifdef RUTS
uniform sampler2D ruts;                     // as for the terrain
uniform vec4 rut_grid;
#endif
uniform sampler2DShadow shadow;             // of the vehicle
uniform mat4 shadow_of_world;
out vec2 uv;
out vec3 lit;
out vec3 air;
flat out float drawn;

void main() {
    float turn = base.w + 1.5708 * corner.z, far = distance(eye, base.xyz);
    float size = abs(looks.x) * clamp(4.0 - 4.0 * far / reach, 0.0, 1.0);    // grows out of the ground
#ifdef RUTS
    if (looks.x < 0.0) size *= clamp(1.0 - 100.0 * texture(ruts, base.xy * rut_grid.x + rut_grid.y).r * rut_grid.z, 0.0, 1.0);
#endif
    vec3 p = base.xyz + size * vec3(1.5 * corner.x * vec2(cos(turn), sin(turn)), corner.y - 0.08);
#ifdef WIND
    p.xy += 0.06 * size * corner.y * vec2(sin(2.1 * light_time + dot(base.xy, vec2(0.9, 0.7))), cos(1.7 * light_time + base.x));
#endif
    uv = vec2(looks.y + corner.x + 0.5, looks.z + corner.y) * vec2(0.25, 0.5);
    vec4 s = shadow_of_world * vec4(p, 1.0);
    float sun = max(SUN.z, 0.0);
    if (all(lessThan(abs(s.xy - 0.5), vec2(0.5)))) sun *= texture(shadow, vec3(s.xy, s.z - 0.002));
#ifdef CASTERS
    sun *= unshaded(p + vec3(0.0, 0.0, 0.1));
#endif
    vec3 paint = mix(vec3(0.30, 0.40, 0.10), vec3(0.62, 0.52, 0.20), looks.w * looks.w);
    paint = mix(paint, vec3(1.8), light_snow);
    vec3 ray = p - eye;
    vec4 haze_W = haze(ray / max(far, 1e-3), far);
    lit = paint * (0.55 + 0.45 * corner.y) * (SUNLIGHT * sun + ambient(vec3(0.0, 0.0, 1.0)) + lamplight(p, vec3(0.0, 0.0, 1.0))) * (1.0 - haze_W.a);
    air = haze_W.rgb * haze_W.a;
    drawn = 1.0;
    gl_Position = size < 0.02 ? vec4(2.0, 2.0, 2.0, 1.0) : clip_of_world * vec4(p, 1.0);
}
