// Flat rectangles in the cabin that show a texture.
layout(location = 0) in vec3 p_B;
layout(location = 1) in vec2 place;
uniform mat4 clip_of_body;
out vec2 uv;

void main() {
    uv = place;
    gl_Position = clip_of_body * vec4(p_B, 1.0);
}
