// A point of a cube's face, moved out to the sphere and to its instance's place.
//
// Patch Constant signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_TessFactor            0   x           0 QUADEDGE   float
// SV_TessFactor            1   x           1 QUADEDGE   float
// SV_TessFactor            2   x           2 QUADEDGE   float
// SV_TessFactor            3   x           3 QUADEDGE   float
// SV_InsideTessFactor      0   x           4  QUADINT   float
// SV_InsideTessFactor      1   x           5  QUADINT   float
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
// SV_Position              0   xyzw        0      POS   float   xyzw
// POSITION                 0   xyz         1     NONE   float   xyz
// NORMAL                   0   xyz         2     NONE   float   xyz
// TEXCOORD                 0   xy          3     NONE   float   xy
// COLOR                    0   xyzw        4     NONE   float   xyzw
//
ds_5_0
dcl_input_control_point_count 4
dcl_tessellator_domain domain_quad
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[4], immediateIndexed
dcl_input vDomain.xy
dcl_input vicp[4][0].xyz
dcl_input vicp[4][1].xy
dcl_input vicp[4][2].xyzw
dcl_input vicp[4][3].xyzw
dcl_output_siv o0.xyzw, position
dcl_output o1.xyz
dcl_output o2.xyz
dcl_output o3.xy
dcl_output o4.xyzw
dcl_temps 2
add r0.xyz, -vicp[0][0].xyzx, vicp[1][0].xyzx
mad r0.xyz, vDomain.xxxx, r0.xyzx, vicp[0][0].xyzx
add r1.xyz, -vicp[2][0].xyzx, vicp[3][0].xyzx
mad r1.xyz, vDomain.xxxx, r1.xyzx, vicp[2][0].xyzx
add r1.xyz, -r0.xyzx, r1.xyzx
mad r0.xyz, vDomain.yyyy, r1.xyzx, r0.xyzx
dp3 r0.w, r0.xyzx, r0.xyzx
rsq r0.w, r0.w
mul r0.xyz, r0.wwww, r0.xyzx
mov o2.xyz, r0.xyzx
mad r0.xyz, r0.xyzx, vicp[0][2].wwww, vicp[0][2].xyzx
mov o1.xyz, r0.xyzx
mul r1.xyzw, r0.yyyy, cb0[1].xyzw
mad r1.xyzw, r0.xxxx, cb0[0].xyzw, r1.xyzw
mad r1.xyzw, r0.zzzz, cb0[2].xyzw, r1.xyzw
add o0.xyzw, r1.xyzw, cb0[3].xyzw
add r0.xy, -vicp[0][1].xyxx, vicp[3][1].xyxx
mad o3.xy, vDomain.xyxx, r0.xyxx, vicp[0][1].xyxx
mov o4.xyzw, vicp[0][3].xyzw
ret
