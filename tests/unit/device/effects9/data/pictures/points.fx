// Wireframe over points: fill modes, point size and flat shading.
float4x4 WorldViewProjection; float Size = 5;
void vs(float4 p : POSITION, float4 c : COLOR, out float4 o : POSITION, out float4 d : COLOR) { o = mul(p, WorldViewProjection); d = c; }
float4 ps(float4 c : COLOR) : COLOR { return c; } float4 white() : COLOR { return 1; }
technique Points { pass Lines { VertexShader = compile vs_2_0 vs(); PixelShader = compile ps_2_0 ps(); FillMode = WIREFRAME; ShadeMode = FLAT; } pass Points { PixelShader = compile ps_2_0 white(); FillMode = POINT; PointSize = (Size * 0.5); } }
