in vec3 p_W;
in vec3 n_W;
in vec4 look;                               // sRGB color
in vec4 air;
uniform vec3 eye;
#ifdef SHADOW
uniform sampler2DShadow shadow;             // of the vehicle
uniform mat4 shadow_of_world;
#endif
#ifdef CASTERS
const float BIAS = 0.12;                    // m, about the size of a texel of `casters`
#endif
out vec4 color;

void main() {
    vec3 n = normalize(n_W);
    n = dot(n, eye - p_W) < 0.0 ? -n : n;   // both sides of a triangle are surfaces
    float sun = max(dot(n, SUN), 0.0);
#ifdef SHADOW
    vec4 s = shadow_of_world * vec4(p_W + n * 0.02, 1.0);
    vec2 edge = abs(s.xy - 0.5);
    float lit = texture(shadow, vec3(s.xy, s.z - 0.0012));
    sun *= max(edge.x, edge.y) < 0.5 ? lit : 1.0;
#endif
#ifdef CASTERS
    sun *= unshaded(p_W + n * BIAS);
#endif
    vec3 light = SUNLIGHT * sun + ambient(n) + lamplight(p_W, n);
    vec3 base = weathered(look.rgb * look.rgb, n, 0.5);
    color = vec4(display(mix(base * light, air.rgb, air.a)), 1.0);
}
