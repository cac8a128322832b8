// A library with Direct3D 9 code.
float4 tint;

export float4 mix(float4 a, float3 b)
{
    return a * tint + b.xyzz;
}
