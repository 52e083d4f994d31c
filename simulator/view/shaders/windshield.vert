// Layer over the image of the driver's camera, at the distance of the windshield.
layout(location = 0) in vec2 corner;
uniform mat4 vehicle_of_clip;               // directions in B
uniform float depth;
out vec3 ray;

void main() {
    vec4 far = vehicle_of_clip * vec4(corner, 1.0, 1.0);
    ray = far.xyz / far.w;
    gl_Position = vec4(corner, depth, 1.0);
}
