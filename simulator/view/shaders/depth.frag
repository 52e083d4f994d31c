in vec3 p_W;
in vec3 n_W;
in vec4 look;

void main() {
}
