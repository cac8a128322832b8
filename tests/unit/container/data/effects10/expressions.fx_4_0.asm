//
// FX Version: fx_4_0
// Child effect (requires effect pool): false
//
// 1 local buffer(s)
//
cbuffer $Globals
{
    float   f;                          // Offset:    0, size:    4
    float2  f2;                         // Offset:    4, size:    8
    float4  f4;                         // Offset:   16, size:   16
    int     i;                          // Offset:   32, size:    4
    int2    ij;                         // Offset:   36, size:    8
    int4    i4;                         // Offset:   48, size:   16
    uint    u;                          // Offset:   64, size:    4
    bool    b;                          // Offset:   68, size:    4
    bool4   b4;                         // Offset:   80, size:   16
    float4x4 m;                         // Offset:   96, size:   64
    float4x4 ma[4];                     // Offset:  160, size:  256
    float   fa[8];                      // Offset:  416, size:  116
    float4  f4a[4];                     // Offset:  544, size:   64
    int     ia[4];                      // Offset:  608, size:   52
    S       sa[3];                      // Offset:  672, size:  192
}

//
// 1 technique(s)
//
technique10
{
    pass
    {
        AB_BlendFactor = eval(mul r0, f.x, f4
                        add expr, (0.100000, 0.100000, 0.100000, 0.100000), r0);
        AB_SampleMask = eval(imul r0.x, i.x, (0x000186a0)
                        or expr.x, r0.x, (1));
        BlendState = NULL;
        DS_StencilRef = eval(udiv expr.x, u.x, (3));
        DepthStencilState = NULL;
    }

    pass
    {
        AB_BlendFactor = eval(mov expr.x, f4.w
                        mov expr0.y, f4.z
                        mov expr0.z, f4.y
                        mov expr0.w, f4.x);
        AB_SampleMask = eval(ineg r0.x, i.x
                        imax r1.x, r0.x, i.x
                        umod r0.x, r1.x, (5)
                        ineg r1.x, r0.x
                        and r0.y, i.x, (-0.000000)
                        movc expr.x, r0.y, r1.x, r0.x);
        BlendState = NULL;
        DS_StencilRef = eval(movc expr.x, b4.w, (1), (0));
        DepthStencilState = NULL;
    }

    pass
    {
        AB_BlendFactor = eval(dot expr, f4, m[0]
                        dot expr0.yzwx, f4, m[1]
                        dot expr0.zwxy, f4, m[2]
                        dot expr0.wxyz, f4, m[3]);
        AB_SampleMask = eval(ftou expr.x, fa[fa[2].x].x);
        BlendState = NULL;
        DS_StencilRef = ia[eval(iadd expr.x, ij.y, (1))];
        DepthStencilState = NULL;
    }

    pass
    {
        AB_BlendFactor = eval(imul r0.x, i.x, (4)
                        mov expr.x, ma[r0.x].y
                        mov expr0.y, ma[1 + r0.x].y
                        mov expr0.z, ma[2 + r0.x].y
                        mov expr0.w, ma[3 + r0.x].y);
        AB_SampleMask = ia[eval(mov expr.x, i.x)];
        BlendState = NULL;
        DS_StencilRef = eval(imul expr.x, (2), ia[ia[1].x].x);
        DepthStencilState = NULL;
    }

    pass
    {
        AB_BlendFactor = eval(imul r0.x, i.x, (2)
                        iadd r1.x, r0.x, ij.x
                        imul r0.x, ij.x, (3)
                        mul r0, fa[r0.x].x, f4a[r1.x]
                        add expr, r0, f4a[fa[3].y]);
        AB_SampleMask = eval(bult r0.x, i.x, (3)
                        bieq r1.w, r0.x, (0)
                        bult r1.x, i.x, (1)
                        ineg r0.x, i.x
                        bult r0.y, i.x, (2)
                        and r1.y, r0.x, r0.y
                        iadd r0.x, i.x, (-3)
                        movc r1.z, r0.y, (0), r0.x
                        and r0, r1, i4
                        or r1.x, r0.y, r0.x
                        or r1.y, r0.w, r0.z
                        or expr.x, r1.y, r1.x);
        BlendState = NULL;
        DS_StencilRef = eval(iadd expr.x, u.x, (-18194333585200169079327948800.000000));
        DepthStencilState = NULL;
    }

    pass
    {
        AB_BlendFactor = eval(dot expr, m[0], l0[m[1].x]
                        dot expr0.yzwx, m[1], l0[m[1].x]
                        dot expr0.zwxy, m[2], l0[m[1].x]
                        dot expr0.wxyz, m[3], l0[m[1].x]);
        AB_SampleMask = eval(ushr r0.x, u.x, (1)
                        and r1.x, r0.x, (14660154687488.000000)
                        and r0.x, u.x, (14660154687488.000000)
                        iadd r2.x, r0.x, r1.x
                        ushr r0.x, r2.x, (2)
                        and r0.y, r2.x, (0.000000)
                        and r1.x, r0.x, (0.000000)
                        iadd r2.x, r0.y, r1.x
                        ushr r0.x, r2.x, (4)
                        and r0.y, r2.x, (0.000000)
                        and r1.x, r0.x, (0.000000)
                        iadd r2.x, r0.y, r1.x
                        ushr r0.x, r2.x, (8)
                        and r0.y, r2.x, (0x000f000f)
                        and r1.x, r0.x, (0x000f000f)
                        iadd r2.x, r0.y, r1.x
                        ushr r0.x, r2.x, (16)
                        and r0.y, r2.x, (31)
                        iadd expr.x, r0.y, r0.x);
        BlendState = NULL;
        DS_StencilRef = eval(ftou expr.x, f.x);
        DepthStencilState = NULL;
    }

    pass
    {
        AB_BlendFactor = eval(imul r0.x, i.x, (5)
                        mov expr, sa[1 + r0.x]);
        AB_SampleMask = eval(not r0.x, i.x
                        ishl r0.y, i.x, (2)
                        xor expr.x, r0.y, r0.x);
        BlendState = NULL;
        DS_StencilRef = eval(movc expr.x, b.x, (1), (2));
        DepthStencilState = NULL;
    }

    pass
    {
        AB_BlendFactor = eval(mov expr.xy, f2.xy
                        mov expr0.zw, (0, 1.000000));
        AB_SampleMask = eval(imul r0.xy, i4.xy, i4.xy
                        iadd r1.x, r0.y, r0.x
                        imul r0.x, i4.z, i4.z
                        iadd r2.x, r0.x, r1.x
                        imul r0.x, i4.w, i4.w
                        iadd expr.x, r0.x, r2.x);
        BlendState = NULL;
        DS_StencilRef = eval(umin expr.x, u.x, (7));
        DepthStencilState = NULL;
    }

    pass
    {
        AB_BlendFactor = eval(sin r0, f4
                        dot r1, r0, r0
                        rsq r2.x, r1.x
                        mul expr, r2.x, r0);
        AB_SampleMask = eval(round r0.x, f.x
                        ftou expr.x, r0.x);
        BlendState = NULL;
        DS_StencilRef = eval(bige r0.x, (2), i.x
                        and expr.x, r0.x, (1));
        DepthStencilState = NULL;
    }

    pass
    {
        AB_BlendFactor = eval(atan2 expr.x, f4.x, f.x
                        atan2 expr0.y, f4.y, f.x
                        atan2 expr0.z, f4.z, f.x
                        atan2 expr0.w, f4.w, f.x);
        AB_SampleMask = eval(rcp r0.x, f.x
                        ftou expr.x, r0.x);
        BlendState = NULL;
        DS_StencilRef = eval(ineg expr.x, i.x);
        DepthStencilState = NULL;
    }

}

