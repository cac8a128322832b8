//
// FX Version: fx_4_1
// Child effect (requires effect pool): false
//
// 1 local buffer(s)
//
cbuffer $Globals
{
    float   bias;                       // Offset:    0, size:    4
    int     which;                      // Offset:    4, size:    4
    float4  colour;                     // Offset:   16, size:   16
    float4  colours[4];                 // Offset:   32, size:   64
}

//
// 11 local object(s)
//
Texture2D t;
Texture2D ta[3];
SamplerState s1
{
    Filter   = uint(MIN_MAG_MIP_LINEAR /* 21 */);
    AddressU = uint(WRAP /* 1 */);
    AddressV = uint(MIRROR_ONCE /* 5 */);
    AddressW = uint(BORDER /* 4 */);
    MipLODBias = float(-0.5);
    MaxAnisotropy = uint(0x00011170);
    ComparisonFunc = uint(LESS /* 2 */);
    BorderColor = float4(1, -0, 0.100000001, 1.00000002e+020);
    MinLOD   = float(1);
    MaxLOD   = float(true);
    Texture  = t;
};
SamplerState s2[3]
{
    {
        Filter   = uint(ANISOTROPIC /* 85 */);
        Texture  = ta[1];
    },
    {
    },
    {
        Filter   = uint(5000);
        AddressU = uint(9);
        Texture  = NULL;
    }
};
SamplerComparisonState s3
{
    Filter   = uint(COMPARISON_MIN_MAG_MIP_LINEAR /* 149 */);
    ComparisonFunc = uint(GREATER_EQUAL /* 7 */);
};
SamplerState s4
{
    MipLODBias = bias;
    MaxLOD   = eval(mul r0.x, bias.x, (3.000000)
                    add expr.x, r0.x, (0.500000));
    BorderColor = colours[eval(mov expr.x, which.x)];
    MinLOD   = eval(mov expr.x, colour.y);
};
BlendState b1
{
    AlphaToCoverageEnable = bool(TRUE /* 1 */);
    BlendEnable[0] = bool(TRUE /* true */);
    BlendEnable[7] = bool(5);
    SrcBlend[0] = uint(SRC_ALPHA /* 5 */);
    SrcBlend[1] = uint(SRC_ALPHA /* 5 */);
    SrcBlend[2] = uint(SRC_ALPHA /* 5 */);
    SrcBlend[3] = uint(SRC_ALPHA /* 5 */);
    SrcBlend[4] = uint(SRC_ALPHA /* 5 */);
    SrcBlend[5] = uint(SRC_ALPHA /* 5 */);
    SrcBlend[6] = uint(SRC_ALPHA /* 5 */);
    SrcBlend[7] = uint(SRC_ALPHA /* 5 */);
    DestBlend[1] = uint(INV_SRC1_ALPHA /* 19 */);
    BlendOp[2] = uint(REV_SUBTRACT /* 3 */);
    RenderTargetWriteMask[0] = byte(0x0f);
    RenderTargetWriteMask[1] = byte(0xff);
    RenderTargetWriteMask[2] = byte(1.5);
};
DepthStencilState d1
{
    DepthEnable = bool(FALSE /* 0 */);
    DepthWriteMask = uint(ZERO /* 0 */);
    DepthFunc = uint(GREATER /* 5 */);
    StencilEnable = bool(TRUE /* 1 */);
    StencilReadMask = byte(0xff);
    StencilWriteMask = byte(0x10);
    FrontFaceStencilFail = uint(INCR_SAT /* 4 */);
    BackFaceStencilDepthFail = uint(DECR /* 8 */);
    BackFaceStencilPass = uint(INVERT /* 6 */);
    BackFaceStencilFunc = uint(NOT_EQUAL /* 6 */);
};
RasterizerState r1
<
    String a = "x";
>
{
    FillMode = uint(WIREFRAME /* 2 */);
    CullMode = uint(BACK /* 3 */);
    FrontCounterClockwise = bool(TRUE /* 1 */);
    DepthBias = uint(0xfffeee90);
    DepthBiasClamp = float(0.5);
    SlopeScaledDepthBias = float(1e+010);
    ScissorEnable = bool(FALSE /* 0 */);
    MultisampleEnable = bool(FALSE /* false */);
    AntialiasedLineEnable = bool(TRUE /* 1 */);
};
RasterizerState r2
{
};
BlendState b2[2]
{
    {
        BlendEnable[0] = bool(TRUE /* 1 */);
    },
    {
    }
};

//
// 1 technique(s)
//
technique10
{
    pass
    {
        AB_BlendFactor = float4(1, 0.5, 0, 1);
        AB_SampleMask = uint(0xffffffff);
        BlendState = b1;
        DS_StencilRef = uint(-1);
        DepthStencilState = d1;
        RasterizerState = r1;
    }

    pass
    {
        AB_BlendFactor = colour;
        AB_SampleMask = which;
        BlendState = b2[eval(mov expr.x, which.x)];
        DS_StencilRef = uint(3.70000005);
        DepthStencilState = NULL;
        RasterizerState = NULL;
    }

    pass
    {
        AB_BlendFactor = eval(mov expr.x, bias.x
                        mov expr0.yzw, colour.xyz);
        AB_SampleMask = uint(5.5);
        BlendState = b2[eval(iadd expr.x, which.x, (1))];
        VertexShader = NULL;
    }

}

