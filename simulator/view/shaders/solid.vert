// Bodies: position, normal, color, gloss; placed by one matrix, or each instance by its own.
layout(location = 0) in vec3 p_B;
layout(location = 1) in vec3 n_B;
layout(location = 2) in vec3 paint;
layout(location = 3) in float gloss;        // + 2 for a stop lamp, + 4 for a reverse lamp, + 6 for a head lamp, + 8 for the paint of a vehicle,
                                            // + 10 for a turn signal
uniform mat4 clip_of_world;
uniform vec3 eye;
out vec4 air;
#ifdef INSTANCED
layout(location = 4) in vec4 row_x;         // rows of the matrix from B to W
layout(location = 5) in vec4 row_y;
layout(location = 6) in vec4 row_z;
layout(location = 7) in vec4 more;          // lit stop lamps, lit reverse lamps, lit turn signals; number, or paint: 0 = none, else 1 + red + 256 green + 65536 blue
#ifdef NUMBERS
flat out float number;
#endif
#else
uniform mat4 world_of_body;
uniform vec3 lamps;                         // lit stop lamps, lit reverse lamps; turn signals: 0 = none, 1 = left, 2 = right, 3 = both
#endif
out vec3 p_W;
out vec3 n_W;
out vec4 look;
out float glow;                             // how much a lamp is lit

void main() {
#ifdef INSTANCED
    mat4 world_of_body = transpose(mat4(row_x, row_y, row_z, vec4(0.0, 0.0, 0.0, 1.0)));
    vec3 lamps = more.xyz;
#ifdef NUMBERS
    number = more.w;
#endif
    float code = more.w - 1.0;
    vec3 own = vec3(mod(code, 256.0), mod(floor(code / 256.0), 256.0), floor(code / 65536.0)) / 255.0;
    vec3 base = gloss > 7.0 && gloss < 9.5 && code >= 0.0 ? own : paint;
#else
    vec3 base = paint;
#endif
    vec4 p = world_of_body * vec4(p_B, 1.0);
    p_W = p.xyz;
    n_W = mat3(world_of_body) * n_B;
    float dark = smoothstep(0.3, 0.5, light_night);
    float turns = abs(lamps.z - (p_B.y > 0.0 ? 2.0 : 1.0)) > 0.5 ? min(lamps.z, 1.0) : 0.0;
    glow = gloss > 9.5 ? turns : gloss < 1.5 || gloss > 7.0 ? 0.0 : gloss < 3.5 ? max(lamps.x, 0.3 * dark) : gloss < 5.5 ? lamps.y : dark;
    look = vec4(base, mod(gloss, 2.0));
    vec3 ray = p_W - eye;
    float far = length(ray);
    air = haze(ray / max(far, 1e-3), far);
    gl_Position = clip_of_world * p;
}
