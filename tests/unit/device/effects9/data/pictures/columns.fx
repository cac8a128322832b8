// Vectors as columns, mul(M, v), and a row_major matrix: the camera must know.
float4x4 WorldViewProjection; row_major float4x4 World; texture Picture; sampler2D S = sampler_state { Texture = <Picture>; };
void vs(float4 p : POSITION, float2 u : TEXCOORD0, out float4 o : POSITION, out float2 v : TEXCOORD0) { o = mul(WorldViewProjection, mul(World, p)); v = u; }
float4 ps(float2 u : TEXCOORD0) : COLOR { return tex2D(S, u) + float4(ddx(u).x, 0, ddy(u).y, 0); }
technique Columns { pass P { VertexShader = compile vs_3_0 vs(); PixelShader = compile ps_3_0 ps(); } }
