// Compiled by d3dx9_33: vs_2_0
int n; float4 k[40];
float4 main(float4 p : POSITION, float4 q : TEXCOORD0) : POSITION { float4 r = p; [loop] for (int i = 0; i < n; i++) r += k[q[i]] * r.yzwx; return r * n; }
