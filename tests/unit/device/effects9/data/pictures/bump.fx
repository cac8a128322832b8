// A normal map in the space of tangents, with a mask of alpha test.
float4x4 WVP : WORLDVIEWPROJECTION; float3 LightDirection; texture NormalMap; texture Color; float Depth = 1; float Cut = 0.3;
sampler2D Normals = sampler_state { Texture = <NormalMap>; MinFilter = ANISOTROPIC; MaxAnisotropy = 4; MagFilter = LINEAR; MipFilter = LINEAR; }; sampler2D Colors = sampler_state { Texture = <Color>; MinFilter = LINEAR; MagFilter = LINEAR; };
void vs(float4 p : POSITION, float3 n : NORMAL, float3 t : TANGENT, float3 b : BINORMAL, float2 u : TEXCOORD0, out float4 o : POSITION, out float2 v : TEXCOORD0, out float3 l : TEXCOORD1) { o = mul(p, WVP); v = u; l = mul(float3x3(t, b, n), LightDirection); }
float4 ps(float2 u : TEXCOORD0, float3 l : TEXCOORD1) : COLOR { float3 n = normalize((tex2D(Normals, u).xyz * 2 - 1) * float3(Depth, Depth, 1)); float4 c = tex2D(Colors, u); return float4(c.rgb * (0.1 + saturate(dot(n, normalize(l)))), c.g); }
technique Bump { pass P { VertexShader = compile vs_2_0 vs(); PixelShader = compile ps_2_0 ps(); AlphaTestEnable = TRUE; AlphaFunc = GREATER; AlphaRef = (int(Cut * 255)); } }
