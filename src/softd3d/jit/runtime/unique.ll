; Vertices of primitives, each once, in the order of their first use. An entry of the table that
; names no vertex of the list with its own number says nothing, so the table may hold anything.
; Each access is checked, whatever the memory of the vertices holds: it may be a caller's.
define void @softd3d_run(ptr noalias %box) #0 {
entry:
${loads}  %result_at = getelementptr i64, ptr %box, i64 ${results}
  br label %next_primitive
next_primitive:
  %p = phi i64 [ 0, %entry ], [ %p1, %end_primitive ]
  %n = phi i64 [ 0, %entry ], [ %n_here, %end_primitive ]
  %is_primitive = icmp ult i64 %p, %primitives
  br i1 %is_primitive, label %primitive, label %done
primitive:
  %first = mul i64 %p, %primitive_step
  %first_at = getelementptr i8, ptr %vertices, i64 %first
  %where_at = getelementptr i32, ptr %where, i64 %p
  br label %next_corner
next_corner:
  %c = phi i64 [ 0, %primitive ], [ %c1, %place ]
  %n_here = phi i64 [ %n, %primitive ], [ %n_then, %place ]
  %is_corner = icmp ult i64 %c, %corners
  br i1 %is_corner, label %corner, label %end_primitive
corner:
  %beyond = mul i64 %c, %corner_step
  %vertex_at = getelementptr i8, ptr %first_at, i64 %beyond
  %vertex = load i32, ptr %vertex_at, align 1
  %wide = zext i32 %vertex to i64
  %entry_number = sub i64 %wide, %least
  %is_inside = icmp ult i64 %entry_number, %entries
  br i1 %is_inside, label %look, label %outside
look:
  %entry_at = getelementptr i32, ptr %table, i64 %entry_number
  %found32 = load i32, ptr %entry_at, align 4
  %found = zext i32 %found32 to i64
  %is_place = icmp ult i64 %found, %n_here
  br i1 %is_place, label %compare, label %new
compare:
  %listed_at = getelementptr i32, ptr %list, i64 %found
  %listed = load i32, ptr %listed_at, align 4
  %is_known = icmp eq i32 %listed, %vertex
  br i1 %is_known, label %place, label %new
new:
  %end_at = getelementptr i32, ptr %list, i64 %n_here
  store i32 %vertex, ptr %end_at, align 4
  %n32 = trunc i64 %n_here to i32
  store i32 %n32, ptr %entry_at, align 4
  %n_more = add i64 %n_here, 1
  br label %place
place:
  %number = phi i32 [ %found32, %compare ], [ %n32, %new ]
  %n_then = phi i64 [ %n_here, %compare ], [ %n_more, %new ]
  %row = mul i64 %c, %primitives
  %own_at = getelementptr i32, ptr %where_at, i64 %row
  store i32 %number, ptr %own_at, align 4
  %c1 = add i64 %c, 1
  br label %next_corner
end_primitive:
  %p1 = add i64 %p, 1
  br label %next_primitive
outside:
  store i64 -1, ptr %result_at, align 8
  ret void
done:
  store i64 %n, ptr %result_at, align 8
  ret void
}
