// SPDX-License-Identifier: MIT
#pragma once

/// The shaders of GlRenderer. Colours arrive as displayed (sRGB) and are lit in linear light.
namespace rigor::viewer::shaders {

// Shadow of the key light: percentage-closer filtering on a rotated disc, wide where it is far from its caster.
inline constexpr const char* kShadow = R"(
uniform sampler2DShadow u_shadow_map;
uniform mat4 u_light;
uniform int u_shadow_taps;
uniform float u_shadow_texel;
const vec2 kDisc[16] = vec2[](
  vec2(-.94, -.40), vec2(.95, -.77), vec2(-.09, -.93), vec2(.34, .29), vec2(-.92, .46), vec2(-.82, -.88),
  vec2(-.38, .28), vec2(.97, .76), vec2(.44, -.98), vec2(.54, -.47), vec2(-.26, -.42), vec2(.79, .19),
  vec2(-.24, 1.), vec2(-.81, .91), vec2(.20, .79), vec2(.14, -.14));
float lit(vec3 position, vec3 normal) {
  if (u_shadow_taps == 0) return 1.0;
  vec4 h = u_light * vec4(position, 1.0);
  vec3 s = h.xyz * .5 + .5;
  if (any(lessThan(s.xy, vec2(0.0))) || any(greaterThan(s.xy, vec2(1.0))) || s.z > 1.0) return 1.0;
  float sum = 0.0;
  for (int i = 0; i < 16; ++i) sum += texture(u_shadow_map, vec3(s.xy + kDisc[i] * u_shadow_texel * 7.0, s.z - .0025));
  float edge = max(abs(h.x), abs(h.y));
  return mix(sum / 16.0, 1.0, smoothstep(.85, 1.0, edge));
}
vec3 toLinear(vec3 c) { return pow(c, vec3(2.2)); }
vec3 toDisplay(vec3 c) { return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)); }
)";

inline constexpr const char* kMeshVertex = R"(
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
uniform mat4 u_model, u_clip;
out vec3 v_position, v_normal;
void main() {
  vec4 world = u_model * vec4(a_position, 1.0);
  v_position = world.xyz;
  v_normal = mat3(u_model) * a_normal;
  gl_Position = u_clip * world;
}
)";
inline constexpr const char* kMeshFragment = R"(
in vec3 v_position, v_normal;
uniform vec4 u_color;
uniform vec3 u_key, u_eye;
uniform float u_glow;
out vec4 color;
void main() {
  vec3 n = normalize(v_normal), e = normalize(u_eye - v_position);
  if (dot(n, e) < 0.0) n = -n;
  float key = max(dot(n, u_key), 0.0);
  float sky = .5 + .5 * n.z;
  float fill = max(dot(n, normalize(vec3(e.xy, .15))), 0.0);
  float shade = key > 0.0 ? lit(v_position + n * u_shadow_texel * .5, n) : 0.0;
  vec3 base = toLinear(u_color.rgb);
  vec3 c = base * (.24 + .30 * sky + .20 * fill + .60 * key * shade);
  vec3 h = normalize(u_key + e);
  c += vec3(.05) * pow(max(dot(n, h), 0.0), 40.0) * shade;
  c += base * u_glow;
  color = vec4(toDisplay(c), u_color.a);
}
)";
inline constexpr const char* kDepthFragment = "void main() {}\n";

inline constexpr const char* kGroundVertex = R"(
uniform mat4 u_clip;
uniform vec3 u_point, u_e1, u_e2;
uniform float u_radius;
out vec2 v_plane;
out vec3 v_position;
const vec2 kCorner[4] = vec2[](vec2(-1., -1.), vec2(1., -1.), vec2(-1., 1.), vec2(1., 1.));
void main() {
  v_plane = kCorner[gl_VertexID] * u_radius;
  v_position = u_point + v_plane.x * u_e1 + v_plane.y * u_e2;
  gl_Position = u_clip * vec4(v_position, 1.0);
}
)";
inline constexpr const char* kGroundFragment = R"(
in vec2 v_plane;
in vec3 v_position;
uniform vec4 u_ground, u_grid, u_grid_strong;
uniform vec3 u_normal, u_view;
uniform float u_cell, u_radius, u_shadow_strength;
out vec4 color;
float lines(float cell, float width) {
  vec2 x = v_plane / cell, d = fwidth(x);
  vec2 a = abs(fract(x - .5) - .5) / max(d, vec2(1e-9));
  vec2 l = clamp(width * .5 + .5 - a, 0.0, 1.0) * (1.0 - smoothstep(.05, .3, d));
  return max(l.x, l.y);
}
void main() {
  float fade = 1.0 - smoothstep(.15, .9, length(v_position) / u_radius);
  vec3 c = u_ground.rgb;
  if (u_cell > 0.0) {
    c = mix(c, u_grid.rgb, lines(u_cell, 1.0) * .6);
    c = mix(c, u_grid_strong.rgb, lines(u_cell * 10.0, 1.3) * .7);
  }
  float shade = mix(1.0, lit(v_position, u_normal), u_shadow_strength);
  c *= mix(.74, 1.0, shade);
  float below = dot(u_normal, u_view) < 0.0 ? .35 : 1.0;  // From below one looks through it.
  color = vec4(c, fade * below);
}
)";

// Segments as quads of a width in pixels, clipped at the near plane.
inline constexpr const char* kLineVertex = R"(
layout(location = 0) in vec3 a_from;
layout(location = 1) in vec3 a_to;
layout(location = 2) in vec4 a_color;
layout(location = 3) in float a_width;
uniform mat4 u_model, u_clip;
uniform vec2 u_size;
uniform vec4 u_flat_color;
uniform float u_flat_width, u_bias, u_use_flat, u_head;
out vec4 v_color;
out float v_across;
out float v_half;
void main() {
  vec4 a = u_clip * u_model * vec4(a_from, 1.0), b = u_clip * u_model * vec4(a_to, 1.0);
  float width = mix(a_width, u_flat_width, u_use_flat);
  v_color = mix(a_color, u_flat_color, u_use_flat);
  // Clip at z = -w.
  float da = a.z + a.w, db = b.z + b.w;
  if (da < 0.0 && db < 0.0) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); v_across = 0.0; v_half = 1.0; return; }
  if (da < 0.0) a = mix(b, a, .9999 * db / (db - da));
  if (db < 0.0) b = mix(a, b, .9999 * da / (da - db));
  vec2 pa = a.xy / a.w * u_size * .5, pb = b.xy / b.w * u_size * .5;
  vec2 along = pb - pa;
  float pixels = length(along);
  along = pixels > 1e-6 ? along / pixels : vec2(1.0, 0.0);
  vec2 side = vec2(-along.y, along.x);
  int k = gl_VertexID;
  vec4 p;
  if (u_head > 0.0) {
    // An arrow head: a triangle at the end, no longer than half of the arrow.
    float size = min(3.2 * width, max(.5 * pixels, 2.0));
    vec2 shift = k == 0 ? vec2(0.0) : -along * size + side * (k == 1 ? .42 : -.42) * size;
    p = b;
    p.xy += shift * 2.0 / u_size * p.w;
    v_across = 0.0;
    v_half = 1.0;
  } else {
    float reach = width * .5 + .75;
    p = k < 2 ? a : b;
    float s = (k & 1) == 0 ? 1.0 : -1.0;
    vec2 shift = side * s * reach + along * (k < 2 ? -.25 : .25) * width;
    p.xy += shift * 2.0 / u_size * p.w;
    v_across = s * reach;
    v_half = width * .5;
  }
  p.z -= u_bias * p.w;
  gl_Position = p;
}
)";
inline constexpr const char* kLineFragment = R"(
in vec4 v_color;
in float v_across;
in float v_half;
out vec4 color;
void main() {
  float cover = clamp(v_half + .5 - abs(v_across), 0.0, 1.0);
  if (cover <= 0.0) discard;
  color = vec4(v_color.rgb, v_color.a * cover);
}
)";

inline constexpr const char* kDotVertex = R"(
layout(location = 0) in vec3 a_at;
layout(location = 1) in vec4 a_color;
layout(location = 2) in float a_size;
uniform mat4 u_clip;
uniform vec2 u_size;
out vec4 v_color;
out vec2 v_corner;
out float v_pixels;
const vec2 kCorner[4] = vec2[](vec2(-1., -1.), vec2(1., -1.), vec2(-1., 1.), vec2(1., 1.));
void main() {
  vec4 p = u_clip * vec4(a_at, 1.0);
  v_corner = kCorner[gl_VertexID];
  v_pixels = a_size * .5 + 1.0;
  p.xy += v_corner * v_pixels * 2.0 / u_size * p.w;
  v_color = a_color;
  gl_Position = p;
}
)";
inline constexpr const char* kDotFragment = R"(
in vec4 v_color;
in vec2 v_corner;
in float v_pixels;
out vec4 color;
void main() {
  float r = length(v_corner) * v_pixels, outer = v_pixels - 1.0;
  float cover = clamp(outer + .5 - r, 0.0, 1.0);
  if (cover <= 0.0) discard;
  float ring = clamp(r - (outer - 1.8) + .5, 0.0, 1.0);
  color = vec4(mix(v_color.rgb, vec3(1.0), ring * .85), v_color.a * cover);
}
)";

inline constexpr const char* kFlatVertex = R"(
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec4 a_color;
uniform mat4 u_clip;
out vec4 v_color;
void main() { v_color = a_color; gl_Position = u_clip * vec4(a_position, 1.0); }
)";
inline constexpr const char* kFlatFragment = R"(
in vec4 v_color;
out vec4 color;
void main() { color = v_color; }
)";

inline constexpr const char* kSkyVertex = R"(
out float v_up;
void main() {
  vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  v_up = p.y * .5 + .5;
  gl_Position = vec4(p, .999999, 1.0);
}
)";
inline constexpr const char* kSkyFragment = R"(
in float v_up;
uniform vec4 u_top, u_bottom;
out vec4 color;
void main() { color = vec4(mix(u_bottom.rgb, u_top.rgb, clamp(v_up, 0.0, 1.0)), 1.0); }
)";

}  // namespace rigor::viewer::shaders
