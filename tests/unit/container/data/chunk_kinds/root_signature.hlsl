// Every kind of root parameter, range, sampler field and flag, for versions 1.0 (PLAIN) and 1.1.
#define PLAIN                                                                                     \
    "RootFlags(ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT | DENY_HULL_SHADER_ROOT_ACCESS |"               \
    "          DENY_DOMAIN_SHADER_ROOT_ACCESS | ALLOW_STREAM_OUTPUT),"                            \
    "CBV(b0, space = 1, visibility = SHADER_VISIBILITY_VERTEX), SRV(t7),"                         \
    "UAV(u2, space = 3, visibility = SHADER_VISIBILITY_PIXEL),"                                   \
    "RootConstants(num32BitConstants = 5, b4, space = 2, visibility = SHADER_VISIBILITY_GEOMETRY)," \
    "DescriptorTable(SRV(t0, numDescriptors = 4), UAV(u0, numDescriptors = 3, space = 4),"        \
    "    CBV(b1, offset = 9), SRV(t100, numDescriptors = unbounded, space = 5),"                  \
    "    visibility = SHADER_VISIBILITY_HULL),"                                                   \
    "DescriptorTable(Sampler(s0, numDescriptors = 2, space = 6),"                                 \
    "    visibility = SHADER_VISIBILITY_DOMAIN),"                                                 \
    "StaticSampler(s3),"                                                                          \
    "StaticSampler(s4, filter = FILTER_MIN_MAG_POINT_MIP_LINEAR, addressU = TEXTURE_ADDRESS_CLAMP," \
    "    addressV = TEXTURE_ADDRESS_BORDER, addressW = TEXTURE_ADDRESS_MIRROR_ONCE,"              \
    "    mipLODBias = -1.1f, maxAnisotropy = 7, comparisonFunc = COMPARISON_GREATER,"             \
    "    borderColor = STATIC_BORDER_COLOR_TRANSPARENT_BLACK, minLOD = 1.25f, maxLOD = 9.f,"      \
    "    space = 8, visibility = SHADER_VISIBILITY_PIXEL)"
#define FLAGS                                                                                     \
    "RootFlags(DENY_VERTEX_SHADER_ROOT_ACCESS | DENY_GEOMETRY_SHADER_ROOT_ACCESS |"               \
    "          DENY_PIXEL_SHADER_ROOT_ACCESS),"                                                   \
    "CBV(b0, flags = DATA_STATIC), SRV(t0, flags = DATA_VOLATILE),"                               \
    "UAV(u0, visibility = SHADER_VISIBILITY_HULL, flags = DATA_STATIC_WHILE_SET_AT_EXECUTE),"     \
    "DescriptorTable(SRV(t1, flags = DESCRIPTORS_VOLATILE),"                                      \
    "    UAV(u1, flags = DESCRIPTORS_VOLATILE | DATA_VOLATILE), SRV(t3, flags = DATA_STATIC),"    \
    "    SRV(t4, offset = 40, flags = DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS), CBV(b5)),"  \
    "DescriptorTable(Sampler(s1, flags = DESCRIPTORS_VOLATILE), Sampler(s2))"
#define EMPTY ""

[RootSignature("CBV(b0), DescriptorTable(SRV(t0)), StaticSampler(s0, filter = FILTER_MIN_MAG_MIP_POINT)")]
float4 main(float4 p : P) : SV_Target
{
    return p;
}
