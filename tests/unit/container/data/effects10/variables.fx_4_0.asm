//
// FX Version: fx_4_0
// Child effect (requires effect pool): false
//
// 3 local buffer(s)
//
cbuffer $Globals
{
    int     i1 = 10000;                 // Offset:    0, size:    4
    int     i2 = 0x00002711;            // Offset:    4, size:    4
    int     i3 = 0xffffd8ef;            // Offset:    8, size:    4
    int     i4 = -2147483648;           // Offset:   12, size:    4
    int     ia[3] = { 9999, -1, 0x00010000 };// Offset:   16, size:   36
    uint    u1 = 10000;                 // Offset:   52, size:    4
    uint    u2 = 0xffffffff;            // Offset:   56, size:    4
    bool    b1 = true;                  // Offset:   60, size:    4
    bool3   b2 = { true, false, true }; // Offset:   64, size:   12
    float   f1 = -0;                    // Offset:   76, size:    4
    float   f2 = 9.99999968e+037;       // Offset:   80, size:    4
    float   f3 = 0.333333343;           // Offset:   84, size:    4
    float   f4 = 1.40129846e-045;       // Offset:   88, size:    4
    float   f5 = 1.#INF;                // Offset:   92, size:    4
    float   f6 = 1.#QNAN;               // Offset:   96, size:    4
    float   f7 = 123456792;             // Offset:  100, size:    4
    float1  f8 = 3;                     // Offset:  104, size:    4
    float1x1 f9 = 4;                    // Offset:  108, size:    4
    float4  same = { 1 };               // Offset:  112, size:   16
    float4  zero = { 0 };               // Offset:  128, size:   16
    float2  pairs[2] = { 1, 2, 1, 2 };  // Offset:  144, size:   24
    float3  ones[2] = { 1 };            // Offset:  176, size:   28
    float2x3 m1 = { 1, 2, 3, 4, 5, 6 }; // Offset:  208, size:   40
    float2x3 m2[2] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };// Offset:  256, size:   60
    float3x2 m3 = { 1, 2, 3, 4, 5, 6 }; // Offset:  320, size:   28
    bool2x2 m4 = { true, false, false, true };// Offset:  352, size:   24
    float4x4 m5 = { 1 };                // Offset:  384, size:   64
    S       s1 = { 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x00000005 };// Offset:  448, size:   20
    T       t1 = { 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x00000005, 0x40c00000, 0x40e00000, 0x41000000, 0x41100000, 0x00000001 };// Offset:  480, size:   60
    S       s2[2];                      // Offset:  544, size:   52
    int     none : SEMANTIC;            // Offset:  596, size:    4
    float4  noted : TINT
    <
        String name = "note";
        String two[2] = { "a", "b" };
        float4x4 m = { 1 };
        S   s = { 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x00000005 };
        int i = 7;
    > = { 1, 2, 3, 4 };                 // Offset:  608, size:   16
    float   a_name_that_fills_col;      // Offset:  624, size:    4
    float   a_name_that_fills_columns_234;// Offset:  628, size:    4
}

cbuffer Packed : register(b2)
<
    String title = "";
>
{
    float4  x : packoffset(c2.x) = { 1, 2, 3, 4 };// Offset:   32, size:   16
    float2  y : YSEM : packoffset(c1.z)
    <
        int q = 1;
    >;                                  // Offset:   24, size:    8
}

tbuffer Texels : register(t5)
{
    float4  t0[2];                      // Offset:    0, size:   32
}

//
// 12 local object(s)
//
String  text = "tab	and "quotes"
";
String  texts[2] = { "one", "two" };
Texture2D colour
<
    int slot = 1;
>;
texture old;
Texture2D several[4] : SEVERAL;
TextureCube cube;
Texture1DArray lines;
Texture2DMS samples;
Buffer  elements;
RenderTargetView target;
RenderTargetView targets[2];
DepthStencilView depth;

//
// 2 technique(s)
//
technique10
{
    pass
    {
    }

}

technique10 Named
<
    String why = "test";
>
{
    pass First
    <
        float f = 2;
    >
    {
        RenderTargetView[1] = NULL;
        RenderTargetView[2] = target;
        DepthStencilView[0] = depth;
        RenderTargetView[0] = targets[1];
    }

}

