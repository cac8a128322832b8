// A cube map reflected, blended over what is behind by Fresnel's term; both faces, back first.
float4x4 WVP : WORLDVIEWPROJECTION; float3 EyePosition; texture Sky; samplerCUBE Env = sampler_state { Texture = <Sky>; MinFilter = LINEAR; MagFilter = LINEAR; MipFilter = LINEAR; }; float Base = 0.2;
void vs(float4 p : POSITION, float3 n : NORMAL, out float4 o : POSITION, out float3 m : TEXCOORD0, out float3 w : TEXCOORD1) { o = mul(p, WVP); m = n; w = p.xyz; }
float4 ps(float3 n : TEXCOORD0, float3 w : TEXCOORD1) : COLOR { float3 v = normalize(w - EyePosition); n = normalize(n); float f = Base + (1 - Base) * pow(1 - abs(dot(v, n)), 3); return float4(texCUBE(Env, reflect(v, n)).rgb, f); }
technique Glass { pass Back { VertexShader = compile vs_2_0 vs(); PixelShader = compile ps_2_0 ps(); CullMode = CW; AlphaBlendEnable = TRUE; SrcBlend = SRCALPHA; DestBlend = INVSRCALPHA; ZWriteEnable = FALSE; } pass Front { CullMode = CCW; } }
