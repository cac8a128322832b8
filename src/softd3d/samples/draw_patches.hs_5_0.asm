// A face of a cube that becomes a sphere: the nearer and larger the sphere, the more triangles.
// All patches of a sphere have the same factor, so that their edges meet.
//
// Patch Constant signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_TessFactor            0   x           0 QUADEDGE   float   x
// SV_TessFactor            1   x           1 QUADEDGE   float   x
// SV_TessFactor            2   x           2 QUADEDGE   float   x
// SV_TessFactor            3   x           3 QUADEDGE   float   x
// SV_InsideTessFactor      0   x           4  QUADINT   float   x
// SV_InsideTessFactor      1   x           5  QUADINT   float   x
//
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// POSITION                 0   xyz         0     NONE   float   xyz
// TEXCOORD                 0   xy          1     NONE   float   xy
// PLACE                    0   xyzw        2     NONE   float   xyzw
// COLOR                    0   xyzw        3     NONE   float   xyzw
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// POSITION                 0   xyz         0     NONE   float   xyz
// TEXCOORD                 0   xy          1     NONE   float   xy
// PLACE                    0   xyzw        2     NONE   float   xyzw
// COLOR                    0   xyzw        3     NONE   float   xyzw
//
hs_5_0
hs_decls
dcl_input_control_point_count 4
dcl_output_control_point_count 4
dcl_tessellator_domain domain_quad
dcl_tessellator_partitioning partitioning_fractional_even
dcl_tessellator_output_primitive output_triangle_cw
dcl_hs_max_tessfactor l(64.000000)
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[5], immediateIndexed
hs_fork_phase
dcl_input vicp[4][2].xyzw
dcl_output_siv o0.x, finalQuadUeq0EdgeTessFactor
dcl_output_siv o1.x, finalQuadVeq0EdgeTessFactor
dcl_output_siv o2.x, finalQuadUeq1EdgeTessFactor
dcl_output_siv o3.x, finalQuadVeq1EdgeTessFactor
dcl_output_siv o4.x, finalQuadUInsideTessFactor
dcl_output_siv o5.x, finalQuadVInsideTessFactor
dcl_temps 1
add r0.xyz, vicp[0][2].xyzx, -cb0[4].xyzx
dp3 r0.x, r0.xyzx, r0.xyzx
rsq r0.x, r0.x
mul r0.x, r0.x, vicp[0][2].w
mul r0.x, r0.x, l(64.000000)
max r0.x, r0.x, l(4.000000)
min r0.x, r0.x, l(64.000000)
mov o0.x, r0.x
mov o1.x, r0.x
mov o2.x, r0.x
mov o3.x, r0.x
mov o4.x, r0.x
mov o5.x, r0.x
ret
