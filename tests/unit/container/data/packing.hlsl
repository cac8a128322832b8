struct S { float a; double2 d; float b; };
struct T { float3 v; float2x3 m; row_major float3x2 r; float arr[3]; double d3[2]; float t; };
struct P { float2 uv; int k[3]; };
cbuffer C : register(b0) { double d1; double2 d2; double3 d3; double4 d4; double a3[3]; double3 v3[2]; double2 v2[2]; double2x3 m; row_major double3x4 rm; S s[2]; float tail; P p[2]; float x; float1x1 m11[2]; float4x1 m41; float1x3 m13; row_major float2x4 rm24[2]; bool bb; float z; };
StructuredBuffer<T> Src; StructuredBuffer<S> Src2; StructuredBuffer<float2x3> Src3; StructuredBuffer<P> Src4;
RWStructuredBuffer<double> Dst;
RWStructuredBuffer<float> Dst2;
[numthreads(1,1,1)] void main(uint3 id : SV_DispatchThreadID) {
 Dst[0] = d1+d2.x+d3.z+d4.w+a3[id.x]+v3[id.x].y+v2[id.x].y+m[1][2]+rm[2][3]+s[id.x].d.y;
 Dst2[0] = (float)(tail + x + p[id.x].k[id.y]) + Src[id.x].m[1][id.y] + Src[id.x].r[2][1] + Src[id.x].arr[id.y]+ (float)Src[id.x].d3[1] + (float)Src2[id.x].d.x + Src2[id.x].b + Src3[0][1][2]+Src4[id.x].k[id.y] + m11[id.x][0][0]+m41[3][0]+m13[0][2]+rm24[1][id.x].z+z+bb;
}
