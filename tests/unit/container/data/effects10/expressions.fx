// States that are computed from variables.
float f; float2 f2; float4 f4; int i; int2 ij; int4 i4; uint u; bool b; bool4 b4; float4x4 m; float4x4 ma[4]; float fa[8]; float4 f4a[4]; int ia[4];
struct S { float a; float4 c[3]; }; S sa[3];
technique10
{
    pass { SetBlendState(NULL, f4 * f + 0.1, i * 100000 + 1); SetDepthStencilState(NULL, u / 3); }
    pass { SetBlendState(NULL, f4.wzyx, i % 5); SetDepthStencilState(NULL, b4.w); }
    pass { SetBlendState(NULL, mul(f4, m), fa[i]); SetDepthStencilState(NULL, ia[ij.y + 1]); }
    pass { SetBlendState(NULL, ma[i][1], ia[i]); SetDepthStencilState(NULL, ia[i] * 2); }
    pass { SetBlendState(NULL, f4a[ij.y] + f4a[i * 2 + ij.x] * fa[ij.x * 3], i4[i]); SetDepthStencilState(NULL, 4000000000 + u); }
    pass { SetBlendState(NULL, m[i], countbits(u)); SetDepthStencilState(NULL, f); }
    pass { SetBlendState(NULL, sa[i].c[i], ~i ^ (i << 2)); SetDepthStencilState(NULL, b ? 1 : 2); }
    pass { SetBlendState(NULL, float4(f2, 0, 1), dot(i4, i4)); SetDepthStencilState(NULL, min(u, 7)); }
    pass { SetBlendState(NULL, normalize(sin(f4)), round(f)); SetDepthStencilState(NULL, i <= 2); }
    pass { SetBlendState(NULL, atan2(f4, f), 1 / f); SetDepthStencilState(NULL, -i); }
}
