// Mostly preshader: all that does not depend on the pixel is computed before it.
float Time = 1.5; float2 Center = {0.3, 0.6}; float4 A = {1, 0.2, 0.1, 1}; float4 B = {0.1, 0.3, 1, 1}; int Rings = 3;
float4 ps(float2 u : TEXCOORD0) : COLOR { float2 c = Center + 0.2 * float2(sin(Time), cos(Time * 1.3)); float d = length(u - c) * (10 + Rings * exp2(sin(Time) * 0.5)); float m = 0.5 + 0.5 * sin(d + atan2(Time, 2)); return lerp(A * rsqrt(1 + Time * Time) * 2, B, m) + frac(Time * 3) * 0.1; }
technique Plasma { pass P { PixelShader = compile ps_2_0 ps(); Lighting = FALSE; } }
