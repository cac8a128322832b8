// Functions with and without a result, parameters of all directions, shapes and interpolations.
float4 tint;

export float4 shade(in float4 a, inout float3 b, out int c, float4x4 m, row_major float2x3 r,
                    nointerpolation float2 uv : TEXCOORD3) : COLOR0
{
    c = (int)a.x;
    b = b + r[0];
    return mul(a, m) * tint + uv.xyxy;
}

export float twice(float shade : TWICE, noperspective bool twice1)
{
    return twice1 ? shade * 2 : shade;
}

export void nothing()
{
}
