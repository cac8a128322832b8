cbuffer K { float4 tint; int steps; };
struct P { float4 position : SV_Position; float2 uv : TEXCOORD; };
float4 main(P p) : SV_Target
{
    float f = saturate(p.uv.x) * 1.015625;
    int i = steps & 7;
    uint u = (uint)i + 3;
    float4 table[4] = { tint, tint.wzyx, tint * 2, p.uv.xyxy };
    table[u & 3].y = 3e10;

    [loop] for (int k = 0; k < i; k++) f = f * 0.5 + table[k].x;
    float low = min(f, 2), root = sqrt(p.uv.y);
    return float4(low, root, u, table[i & 3].y);
}
