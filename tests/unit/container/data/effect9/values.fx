sampler s0 = sampler_state
{
    AddressU = WRAP;
    AddressV = WRAP;
    AddressW = WRAP;
    BorderColor = 0x80ff4020;
    MagFilter = NONE;
    MinFilter = NONE;
    MipFilter = NONE;
    MipMapLodBias = 0.5;
    MaxMipLevel = 7;
    MaxAnisotropy = 7;
    SRGBTexture = FALSE;
    ElementIndex = 7;
};

sampler s1 = sampler_state
{
    AddressU = MIRROR;
    AddressV = MIRROR;
    AddressW = MIRROR;
    MagFilter = POINT;
    MinFilter = POINT;
    MipFilter = POINT;
    SRGBTexture = TRUE;
};

sampler s2 = sampler_state
{
    AddressU = CLAMP;
    AddressV = CLAMP;
    AddressW = CLAMP;
    MagFilter = LINEAR;
    MinFilter = LINEAR;
    MipFilter = LINEAR;
};

sampler s3 = sampler_state
{
    AddressU = BORDER;
    AddressV = BORDER;
    AddressW = BORDER;
    MagFilter = ANISOTROPIC;
    MinFilter = ANISOTROPIC;
    MipFilter = ANISOTROPIC;
};

sampler s4 = sampler_state
{
    AddressU = MIRRORONCE;
    AddressV = MIRRORONCE;
    AddressW = MIRRORONCE;
    MagFilter = PYRAMIDALQUAD;
    MinFilter = PYRAMIDALQUAD;
    MipFilter = PYRAMIDALQUAD;
};

sampler s5 = sampler_state
{
    MagFilter = GAUSSIANQUAD;
    MinFilter = GAUSSIANQUAD;
    MipFilter = GAUSSIANQUAD;
};

technique T
{
    pass P0
    {
        ZEnable = FALSE;
        FillMode = POINT;
        ShadeMode = FLAT;
        ZWriteEnable = FALSE;
        AlphaTestEnable = FALSE;
        LastPixel = FALSE;
        SrcBlend = ZERO;
        DestBlend = ZERO;
        CullMode = NONE;
        ZFunc = NEVER;
        AlphaRef = 7;
        AlphaFunc = NEVER;
        DitherEnable = FALSE;
        AlphaBlendEnable = FALSE;
        FogEnable = FALSE;
        SpecularEnable = FALSE;
        FogColor = 0x80ff4020;
        FogTableMode = NONE;
        FogStart = 0.5;
        FogEnd = 0.5;
        FogDensity = 0.5;
        RangeFogEnable = FALSE;
        StencilEnable = FALSE;
        StencilFail = KEEP;
        StencilZFail = KEEP;
        StencilPass = KEEP;
        StencilFunc = NEVER;
        StencilRef = 7;
        StencilMask = 0x80ff4020;
        StencilWriteMask = 0x80ff4020;
        TextureFactor = 0x80ff4020;
        Wrap0 = COORD0;
        Wrap1 = COORD0;
        Wrap2 = COORD0;
        Wrap3 = COORD0;
        Wrap4 = COORD0;
        Wrap5 = COORD0;
        Wrap6 = COORD0;
        Wrap7 = COORD0;
        Wrap8 = COORD0;
        Wrap9 = COORD0;
        Wrap10 = COORD0;
        Wrap11 = COORD0;
        Wrap12 = COORD0;
        Wrap13 = COORD0;
        Wrap14 = COORD0;
        Wrap15 = COORD0;
        Clipping = FALSE;
        Lighting = FALSE;
        Ambient = 0x80ff4020;
        FogVertexMode = NONE;
        ColorVertex = FALSE;
        LocalViewer = FALSE;
        NormalizeNormals = FALSE;
        DiffuseMaterialSource = MATERIAL;
        SpecularMaterialSource = MATERIAL;
        AmbientMaterialSource = MATERIAL;
        EmissiveMaterialSource = MATERIAL;
        VertexBlend = DISABLE;
        ClipPlaneEnable = CLIPPLANE0;
        PointSize = 0.5;
        PointSize_Min = 0.5;
        PointSize_Max = 0.5;
        PointSpriteEnable = FALSE;
        PointScaleEnable = FALSE;
        PointScale_A = 0.5;
        PointScale_B = 0.5;
        PointScale_C = 0.5;
        MultiSampleAntialias = FALSE;
        MultiSampleMask = 0x80ff4020;
        PatchEdgeStyle = DISCRETE;
        DebugMonitorToken = 7;
        IndexedVertexBlendEnable = FALSE;
        ColorWriteEnable = RED;
        TweenFactor = 0.5;
        BlendOp = ADD;
        PositionDegree = LINEAR;
        NormalDegree = LINEAR;
        ScissorTestEnable = FALSE;
        SlopeScaleDepthBias = 0.5;
        AntialiasedLineEnable = FALSE;
        MinTessellationLevel = 0.5;
        MaxTessellationLevel = 0.5;
        AdaptiveTess_X = 0.5;
        AdaptiveTess_Y = 0.5;
        AdaptiveTess_Z = 0.5;
        AdaptiveTess_W = 0.5;
        EnableAdaptiveTessellation = FALSE;
        TwoSidedStencilMode = FALSE;
        CCW_StencilFail = KEEP;
        CCW_StencilZFail = KEEP;
        CCW_StencilPass = KEEP;
        CCW_StencilFunc = NEVER;
        ColorWriteEnable1 = RED;
        ColorWriteEnable2 = RED;
        ColorWriteEnable3 = RED;
        BlendFactor = 0x80ff4020;
        SRGBWriteEnable = FALSE;
        DepthBias = 0.5;
        SeparateAlphaBlendEnable = FALSE;
        SrcBlendAlpha = ZERO;
        DestBlendAlpha = ZERO;
        BlendOpAlpha = ADD;
        ColorOp[3] = DISABLE;
        ColorArg0[3] = DIFFUSE;
        ColorArg1[3] = DIFFUSE;
        ColorArg2[3] = DIFFUSE;
        AlphaOp[3] = DISABLE;
        AlphaArg0[3] = DIFFUSE;
        AlphaArg1[3] = DIFFUSE;
        AlphaArg2[3] = DIFFUSE;
        ResultArg[3] = DIFFUSE;
        BumpEnvMat00[3] = 0.5;
        BumpEnvMat01[3] = 0.5;
        BumpEnvMat10[3] = 0.5;
        BumpEnvMat11[3] = 0.5;
        TexCoordIndex[3] = CAMERASPACENORMAL;
        BumpEnvLScale[3] = 0.5;
        BumpEnvLOffset[3] = 0.5;
        TextureTransformFlags[3] = DISABLE;
        Constant[3] = 0x80ff4020;
        PatchSegments = 0.5;
        FVF = 0x80ff4020;
        MaterialPower = 0.5;
        LightType[3] = POINT;
        LightRange[3] = 0.5;
        LightFalloff[3] = 0.5;
        LightAttenuation0[3] = 0.5;
        LightAttenuation1[3] = 0.5;
        LightAttenuation2[3] = 0.5;
        LightTheta[3] = 0.5;
        LightPhi[3] = 0.5;
        LightEnable[3] = FALSE;
        Texture[3] = NULL;
    }
    pass P1
    {
        ZEnable = TRUE;
        FillMode = WIREFRAME;
        ShadeMode = GOURAUD;
        ZWriteEnable = TRUE;
        AlphaTestEnable = TRUE;
        LastPixel = TRUE;
        SrcBlend = ONE;
        DestBlend = ONE;
        CullMode = CW;
        ZFunc = LESS;
        AlphaFunc = LESS;
        DitherEnable = TRUE;
        AlphaBlendEnable = TRUE;
        FogEnable = TRUE;
        SpecularEnable = TRUE;
        FogTableMode = EXP;
        RangeFogEnable = TRUE;
        StencilEnable = TRUE;
        StencilFail = ZERO;
        StencilZFail = ZERO;
        StencilPass = ZERO;
        StencilFunc = LESS;
        Wrap0 = COORD1;
        Wrap1 = COORD1;
        Wrap2 = COORD1;
        Wrap3 = COORD1;
        Wrap4 = COORD1;
        Wrap5 = COORD1;
        Wrap6 = COORD1;
        Wrap7 = COORD1;
        Wrap8 = COORD1;
        Wrap9 = COORD1;
        Wrap10 = COORD1;
        Wrap11 = COORD1;
        Wrap12 = COORD1;
        Wrap13 = COORD1;
        Wrap14 = COORD1;
        Wrap15 = COORD1;
        Clipping = TRUE;
        Lighting = TRUE;
        FogVertexMode = EXP;
        ColorVertex = TRUE;
        LocalViewer = TRUE;
        NormalizeNormals = TRUE;
        DiffuseMaterialSource = COLOR1;
        SpecularMaterialSource = COLOR1;
        AmbientMaterialSource = COLOR1;
        EmissiveMaterialSource = COLOR1;
        VertexBlend = 1WEIGHTS;
        ClipPlaneEnable = CLIPPLANE1;
        PointSpriteEnable = TRUE;
        PointScaleEnable = TRUE;
        MultiSampleAntialias = TRUE;
        PatchEdgeStyle = CONTINUOUS;
        IndexedVertexBlendEnable = TRUE;
        ColorWriteEnable = GREEN;
        BlendOp = SUBTRACT;
        PositionDegree = QUADRATIC;
        NormalDegree = QUADRATIC;
        ScissorTestEnable = TRUE;
        AntialiasedLineEnable = TRUE;
        EnableAdaptiveTessellation = TRUE;
        TwoSidedStencilMode = TRUE;
        CCW_StencilFail = ZERO;
        CCW_StencilZFail = ZERO;
        CCW_StencilPass = ZERO;
        CCW_StencilFunc = LESS;
        ColorWriteEnable1 = GREEN;
        ColorWriteEnable2 = GREEN;
        ColorWriteEnable3 = GREEN;
        SRGBWriteEnable = TRUE;
        SeparateAlphaBlendEnable = TRUE;
        SrcBlendAlpha = ONE;
        DestBlendAlpha = ONE;
        BlendOpAlpha = SUBTRACT;
        ColorOp[3] = SELECTARG1;
        ColorArg0[3] = CURRENT;
        ColorArg1[3] = CURRENT;
        ColorArg2[3] = CURRENT;
        AlphaOp[3] = SELECTARG1;
        AlphaArg0[3] = CURRENT;
        AlphaArg1[3] = CURRENT;
        AlphaArg2[3] = CURRENT;
        ResultArg[3] = CURRENT;
        TexCoordIndex[3] = CAMERASPACEPOSITION;
        TextureTransformFlags[3] = COUNT1;
        LightType[3] = SPOT;
        LightEnable[3] = TRUE;
    }
    pass P2
    {
        ZEnable = USEW;
        FillMode = SOLID;
        ShadeMode = PHONG;
        SrcBlend = SRCCOLOR;
        DestBlend = SRCCOLOR;
        CullMode = CCW;
        ZFunc = EQUAL;
        AlphaFunc = EQUAL;
        FogTableMode = EXP2;
        StencilFail = REPLACE;
        StencilZFail = REPLACE;
        StencilPass = REPLACE;
        StencilFunc = EQUAL;
        Wrap0 = COORD2;
        Wrap1 = COORD2;
        Wrap2 = COORD2;
        Wrap3 = COORD2;
        Wrap4 = COORD2;
        Wrap5 = COORD2;
        Wrap6 = COORD2;
        Wrap7 = COORD2;
        Wrap8 = COORD2;
        Wrap9 = COORD2;
        Wrap10 = COORD2;
        Wrap11 = COORD2;
        Wrap12 = COORD2;
        Wrap13 = COORD2;
        Wrap14 = COORD2;
        Wrap15 = COORD2;
        FogVertexMode = EXP2;
        DiffuseMaterialSource = COLOR2;
        SpecularMaterialSource = COLOR2;
        AmbientMaterialSource = COLOR2;
        EmissiveMaterialSource = COLOR2;
        VertexBlend = 2WEIGHTS;
        ClipPlaneEnable = CLIPPLANE2;
        ColorWriteEnable = BLUE;
        BlendOp = REVSUBTRACT;
        PositionDegree = CUBIC;
        NormalDegree = CUBIC;
        CCW_StencilFail = REPLACE;
        CCW_StencilZFail = REPLACE;
        CCW_StencilPass = REPLACE;
        CCW_StencilFunc = EQUAL;
        ColorWriteEnable1 = BLUE;
        ColorWriteEnable2 = BLUE;
        ColorWriteEnable3 = BLUE;
        SrcBlendAlpha = SRCALPHA;
        DestBlendAlpha = SRCALPHA;
        BlendOpAlpha = REVSUBTRACT;
        ColorOp[3] = SELECTARG2;
        ColorArg0[3] = TEXTURE;
        ColorArg1[3] = TEXTURE;
        ColorArg2[3] = TEXTURE;
        AlphaOp[3] = SELECTARG2;
        AlphaArg0[3] = TEXTURE;
        AlphaArg1[3] = TEXTURE;
        AlphaArg2[3] = TEXTURE;
        ResultArg[3] = TEXTURE;
        TexCoordIndex[3] = SPHEREMAP;
        TextureTransformFlags[3] = COUNT2;
        LightType[3] = DIRECTIONAL;
    }
    pass P3
    {
        SrcBlend = INVSRCCOLOR;
        DestBlend = INVSRCCOLOR;
        ZFunc = LESSEQUAL;
        AlphaFunc = LESSEQUAL;
        FogTableMode = LINEAR;
        StencilFail = INCRSAT;
        StencilZFail = INCRSAT;
        StencilPass = INCRSAT;
        StencilFunc = LESSEQUAL;
        Wrap0 = COORD3;
        Wrap1 = COORD3;
        Wrap2 = COORD3;
        Wrap3 = COORD3;
        Wrap4 = COORD3;
        Wrap5 = COORD3;
        Wrap6 = COORD3;
        Wrap7 = COORD3;
        Wrap8 = COORD3;
        Wrap9 = COORD3;
        Wrap10 = COORD3;
        Wrap11 = COORD3;
        Wrap12 = COORD3;
        Wrap13 = COORD3;
        Wrap14 = COORD3;
        Wrap15 = COORD3;
        FogVertexMode = LINEAR;
        VertexBlend = 3WEIGHTS;
        ClipPlaneEnable = CLIPPLANE3;
        ColorWriteEnable = ALPHA;
        BlendOp = MIN;
        PositionDegree = QUINTIC;
        NormalDegree = QUINTIC;
        CCW_StencilFail = INCRSAT;
        CCW_StencilZFail = INCRSAT;
        CCW_StencilPass = INCRSAT;
        CCW_StencilFunc = LESSEQUAL;
        ColorWriteEnable1 = ALPHA;
        ColorWriteEnable2 = ALPHA;
        ColorWriteEnable3 = ALPHA;
        SrcBlendAlpha = INVSRCALPHA;
        DestBlendAlpha = INVSRCALPHA;
        BlendOpAlpha = MIN;
        ColorOp[3] = MODULATE;
        ColorArg0[3] = TFACTOR;
        ColorArg1[3] = TFACTOR;
        ColorArg2[3] = TFACTOR;
        AlphaOp[3] = MODULATE;
        AlphaArg0[3] = TFACTOR;
        AlphaArg1[3] = TFACTOR;
        AlphaArg2[3] = TFACTOR;
        ResultArg[3] = TFACTOR;
        TextureTransformFlags[3] = COUNT3;
    }
    pass P4
    {
        SrcBlend = SRCALPHA;
        DestBlend = SRCALPHA;
        ZFunc = GREATER;
        AlphaFunc = GREATER;
        StencilFail = DECRSAT;
        StencilZFail = DECRSAT;
        StencilPass = DECRSAT;
        StencilFunc = GREATER;
        Wrap0 = COORD0 | COORD1;
        Wrap1 = COORD0 | COORD1;
        Wrap2 = COORD0 | COORD1;
        Wrap3 = COORD0 | COORD1;
        Wrap4 = COORD0 | COORD1;
        Wrap5 = COORD0 | COORD1;
        Wrap6 = COORD0 | COORD1;
        Wrap7 = COORD0 | COORD1;
        Wrap8 = COORD0 | COORD1;
        Wrap9 = COORD0 | COORD1;
        Wrap10 = COORD0 | COORD1;
        Wrap11 = COORD0 | COORD1;
        Wrap12 = COORD0 | COORD1;
        Wrap13 = COORD0 | COORD1;
        Wrap14 = COORD0 | COORD1;
        Wrap15 = COORD0 | COORD1;
        VertexBlend = TWEENING;
        ClipPlaneEnable = CLIPPLANE4;
        ColorWriteEnable = RED | GREEN;
        BlendOp = MAX;
        CCW_StencilFail = DECRSAT;
        CCW_StencilZFail = DECRSAT;
        CCW_StencilPass = DECRSAT;
        CCW_StencilFunc = GREATER;
        ColorWriteEnable1 = RED | GREEN;
        ColorWriteEnable2 = RED | GREEN;
        ColorWriteEnable3 = RED | GREEN;
        SrcBlendAlpha = DESTALPHA;
        DestBlendAlpha = DESTALPHA;
        BlendOpAlpha = MAX;
        ColorOp[3] = MODULATE2X;
        ColorArg0[3] = SPECULAR;
        ColorArg1[3] = SPECULAR;
        ColorArg2[3] = SPECULAR;
        AlphaOp[3] = MODULATE2X;
        AlphaArg0[3] = SPECULAR;
        AlphaArg1[3] = SPECULAR;
        AlphaArg2[3] = SPECULAR;
        ResultArg[3] = SPECULAR;
        TextureTransformFlags[3] = COUNT4;
    }
    pass P5
    {
        SrcBlend = INVSRCALPHA;
        DestBlend = INVSRCALPHA;
        ZFunc = NOTEQUAL;
        AlphaFunc = NOTEQUAL;
        StencilFail = INVERT;
        StencilZFail = INVERT;
        StencilPass = INVERT;
        StencilFunc = NOTEQUAL;
        VertexBlend = 0WEIGHTS;
        ClipPlaneEnable = CLIPPLANE5;
        CCW_StencilFail = INVERT;
        CCW_StencilZFail = INVERT;
        CCW_StencilPass = INVERT;
        CCW_StencilFunc = NOTEQUAL;
        SrcBlendAlpha = INVDESTALPHA;
        DestBlendAlpha = INVDESTALPHA;
        ColorOp[3] = MODULATE4X;
        ColorArg0[3] = TEMP;
        ColorArg1[3] = TEMP;
        ColorArg2[3] = TEMP;
        AlphaOp[3] = MODULATE4X;
        AlphaArg0[3] = TEMP;
        AlphaArg1[3] = TEMP;
        AlphaArg2[3] = TEMP;
        ResultArg[3] = TEMP;
        TextureTransformFlags[3] = DISABLE | PROJECTED;
    }
    pass P6
    {
        SrcBlend = DESTALPHA;
        DestBlend = DESTALPHA;
        ZFunc = GREATEREQUAL;
        AlphaFunc = GREATEREQUAL;
        StencilFail = INCR;
        StencilZFail = INCR;
        StencilPass = INCR;
        StencilFunc = GREATEREQUAL;
        ClipPlaneEnable = CLIPPLANE0 | CLIPPLANE1;
        CCW_StencilFail = INCR;
        CCW_StencilZFail = INCR;
        CCW_StencilPass = INCR;
        CCW_StencilFunc = GREATEREQUAL;
        SrcBlendAlpha = SRCALPHASAT;
        DestBlendAlpha = SRCALPHASAT;
        ColorOp[3] = ADD;
        ColorArg0[3] = CONSTANT;
        ColorArg1[3] = CONSTANT;
        ColorArg2[3] = CONSTANT;
        AlphaOp[3] = ADD;
        AlphaArg0[3] = CONSTANT;
        AlphaArg1[3] = CONSTANT;
        AlphaArg2[3] = CONSTANT;
        ResultArg[3] = CONSTANT;
        TextureTransformFlags[3] = COUNT2 | PROJECTED;
    }
    pass P7
    {
        SrcBlend = INVDESTALPHA;
        DestBlend = INVDESTALPHA;
        ZFunc = ALWAYS;
        AlphaFunc = ALWAYS;
        StencilFail = DECR;
        StencilZFail = DECR;
        StencilPass = DECR;
        StencilFunc = ALWAYS;
        CCW_StencilFail = DECR;
        CCW_StencilZFail = DECR;
        CCW_StencilPass = DECR;
        CCW_StencilFunc = ALWAYS;
        SrcBlendAlpha = BLENDFACTOR;
        DestBlendAlpha = BLENDFACTOR;
        ColorOp[3] = ADDSIGNED;
        ColorArg0[3] = DIFFUSE | COMPLEMENT;
        ColorArg1[3] = DIFFUSE | COMPLEMENT;
        ColorArg2[3] = DIFFUSE | COMPLEMENT;
        AlphaOp[3] = ADDSIGNED;
        AlphaArg0[3] = DIFFUSE | COMPLEMENT;
        AlphaArg1[3] = DIFFUSE | COMPLEMENT;
        AlphaArg2[3] = DIFFUSE | COMPLEMENT;
        ResultArg[3] = DIFFUSE | COMPLEMENT;
    }
    pass P8
    {
        SrcBlend = DESTCOLOR;
        DestBlend = DESTCOLOR;
        SrcBlendAlpha = INVBLENDFACTOR;
        DestBlendAlpha = INVBLENDFACTOR;
        ColorOp[3] = ADDSIGNED2X;
        ColorArg0[3] = DIFFUSE | ALPHAREPLICATE;
        ColorArg1[3] = DIFFUSE | ALPHAREPLICATE;
        ColorArg2[3] = DIFFUSE | ALPHAREPLICATE;
        AlphaOp[3] = ADDSIGNED2X;
        AlphaArg0[3] = DIFFUSE | ALPHAREPLICATE;
        AlphaArg1[3] = DIFFUSE | ALPHAREPLICATE;
        AlphaArg2[3] = DIFFUSE | ALPHAREPLICATE;
        ResultArg[3] = DIFFUSE | ALPHAREPLICATE;
    }
    pass P9
    {
        SrcBlend = INVDESTCOLOR;
        DestBlend = INVDESTCOLOR;
        ColorOp[3] = SUBTRACT;
        ColorArg0[3] = TEXTURE | COMPLEMENT;
        ColorArg1[3] = TEXTURE | COMPLEMENT;
        ColorArg2[3] = TEXTURE | COMPLEMENT;
        AlphaOp[3] = SUBTRACT;
        AlphaArg0[3] = TEXTURE | COMPLEMENT;
        AlphaArg1[3] = TEXTURE | COMPLEMENT;
        AlphaArg2[3] = TEXTURE | COMPLEMENT;
        ResultArg[3] = TEXTURE | COMPLEMENT;
    }
    pass P10
    {
        SrcBlend = SRCALPHASAT;
        DestBlend = SRCALPHASAT;
        ColorOp[3] = ADDSMOOTH;
        AlphaOp[3] = ADDSMOOTH;
    }
    pass P11
    {
        SrcBlend = BOTHSRCALPHA;
        DestBlend = BOTHSRCALPHA;
        ColorOp[3] = BLENDDIFFUSEALPHA;
        AlphaOp[3] = BLENDDIFFUSEALPHA;
    }
    pass P12
    {
        SrcBlend = BOTHINVSRCALPHA;
        DestBlend = BOTHINVSRCALPHA;
        ColorOp[3] = BLENDTEXTUREALPHA;
        AlphaOp[3] = BLENDTEXTUREALPHA;
    }
    pass P13
    {
        SrcBlend = BLENDFACTOR;
        DestBlend = BLENDFACTOR;
        ColorOp[3] = BLENDFACTORALPHA;
        AlphaOp[3] = BLENDFACTORALPHA;
    }
    pass P14
    {
        SrcBlend = INVBLENDFACTOR;
        DestBlend = INVBLENDFACTOR;
        ColorOp[3] = BLENDTEXTUREALPHAPM;
        AlphaOp[3] = BLENDTEXTUREALPHAPM;
    }
    pass P15
    {
        ColorOp[3] = BLENDCURRENTALPHA;
        AlphaOp[3] = BLENDCURRENTALPHA;
    }
    pass P16
    {
        ColorOp[3] = PREMODULATE;
        AlphaOp[3] = PREMODULATE;
    }
    pass P17
    {
        ColorOp[3] = MODULATEALPHA_ADDCOLOR;
        AlphaOp[3] = MODULATEALPHA_ADDCOLOR;
    }
    pass P18
    {
        ColorOp[3] = MODULATECOLOR_ADDALPHA;
        AlphaOp[3] = MODULATECOLOR_ADDALPHA;
    }
    pass P19
    {
        ColorOp[3] = MODULATEINVALPHA_ADDCOLOR;
        AlphaOp[3] = MODULATEINVALPHA_ADDCOLOR;
    }
    pass P20
    {
        ColorOp[3] = MODULATEINVCOLOR_ADDALPHA;
        AlphaOp[3] = MODULATEINVCOLOR_ADDALPHA;
    }
    pass P21
    {
        ColorOp[3] = BUMPENVMAP;
        AlphaOp[3] = BUMPENVMAP;
    }
    pass P22
    {
        ColorOp[3] = BUMPENVMAPLUMINANCE;
        AlphaOp[3] = BUMPENVMAPLUMINANCE;
    }
    pass P23
    {
        ColorOp[3] = DOTPRODUCT3;
        AlphaOp[3] = DOTPRODUCT3;
    }
    pass P24
    {
        ColorOp[3] = MULTIPLYADD;
        AlphaOp[3] = MULTIPLYADD;
    }
    pass P25
    {
        ColorOp[3] = LERP;
        AlphaOp[3] = LERP;
    }
}
