; The number of a thread group, counted along x, then y, then z.
define internal i64 @softd3d_group_number(ptr %context, i32 %x, i32 %y, i32 %z) #3 {
  %groups_x_at = getelementptr i64, ptr %context, i64 ${context_groups_x}
  %groups_x = load i64, ptr %groups_x_at
  %groups_y_at = getelementptr i64, ptr %context, i64 ${context_groups_y}
  %groups_y = load i64, ptr %groups_y_at
  %x64 = zext i32 %x to i64
  %y64 = zext i32 %y to i64
  %z64 = zext i32 %z to i64
  %slices = mul i64 %z64, %groups_y
  %rows = add i64 %slices, %y64
  %before = mul i64 %rows, %groups_x
  %number = add i64 %before, %x64
  ret i64 %number
}
