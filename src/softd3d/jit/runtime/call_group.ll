${past}  %row = udiv i64 %g, %groups_x
  %x64 = urem i64 %g, %groups_x
  %z64 = udiv i64 %row, %groups_y
  %y64 = urem i64 %row, %groups_y
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  %z = trunc i64 %z64 to i32
  call void @softd3d_group(
    ptr %context, ptr %state, ptr %views, ptr %constants, ptr %shared, ptr %site,
    i32 %x, i32 %y, i32 %z
  )
