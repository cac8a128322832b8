// State objects with values of all kinds.
Texture2D t; Texture2D ta[3]; float bias; int which; float4 colour; float4 colours[4];
SamplerState s1
{
    Filter = MIN_MAG_MIP_LINEAR; AddressU = Wrap; AddressV = MIRROR_ONCE; AddressW = Border; MipLODBias = -0.5;
    MaxAnisotropy = 70000; ComparisonFunc = LESS; BorderColor = float4(1, -0.0, 0.1, 1e20); MinLOD = 1; MaxLOD = true; Texture = t;
};
SamplerState s2[3] { { Filter = ANISOTROPIC; Texture = ta[1]; }, {}, { Filter = 5000; AddressU = 9; Texture = NULL; } };
SamplerComparisonState s3 { Filter = COMPARISON_MIN_MAG_MIP_LINEAR; ComparisonFunc = GREATER_EQUAL; };
SamplerState s4 { MipLODBias = bias; MaxLOD = bias * 3 + 0.5; BorderColor = colours[which]; MinLOD = colour.y; };
BlendState b1
{
    AlphaToCoverageEnable = TRUE; BlendEnable[0] = true; BlendEnable[7] = 5; SrcBlend = SRC_ALPHA; DestBlend[1] = INV_SRC1_ALPHA;
    BlendOp[2] = REV_SUBTRACT; RenderTargetWriteMask[0] = 0x0F; RenderTargetWriteMask[1] = -1; RenderTargetWriteMask[2] = 1.5;
};
DepthStencilState d1
{
    DepthEnable = FALSE; DepthWriteMask = ZERO; DepthFunc = GREATER; StencilEnable = 1; StencilReadMask = 255; StencilWriteMask = 16;
    FrontFaceStencilFail = INCR_SAT; BackFaceStencilDepthFail = DECR; BackFaceStencilPass = INVERT; BackFaceStencilFunc = NOT_EQUAL;
};
RasterizerState r1 <string a = "x";>
{
    FillMode = WIREFRAME; CullMode = BACK; FrontCounterClockwise = TRUE; DepthBias = -70000; DepthBiasClamp = 0.5;
    SlopeScaledDepthBias = 1e10; ScissorEnable = 0; MultisampleEnable = false; AntialiasedLineEnable = TRUE;
};
RasterizerState r2; BlendState b2[2] { { BlendEnable[0] = TRUE; }, {} };
technique10
{
    pass { SetBlendState(b1, float4(1, 0.5, 0, 1), 0xFFFFFFFF); SetDepthStencilState(d1, -1); SetRasterizerState(r1); }
    pass { SetBlendState(b2[which], colour, which); SetDepthStencilState(NULL, 3.7); SetRasterizerState(NULL); }
    pass { SetBlendState(b2[which + 1], float4(bias, colour.xyz), 5.5); SetVertexShader(NULL); }
}
