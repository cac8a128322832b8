// Loops, bools and integers in constant buffers, for vertex shaders of level 9.
cbuffer A { float4 a[2]; int n; bool b; int3 j; };
cbuffer B : register(b2) { float4 q; int4 k; row_major float4x4 m; };
struct Out { float4 position : SV_Position; float4 color : COLOR; };
Out main(float4 p : POSITION, float4 c : COLOR0)
{
    Out o; o.position = mul(p, m); o.color = 0;
    [loop] for (int i = 0; i < n; i++) o.color += a[0] * c + i;
    [loop] for (int l = 0; l < k.y; l++) o.color *= a[1];
    if (b) o.color += q;
    o.color += j.zyxx;
    return o;
}
