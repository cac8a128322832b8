; Moves words of rows, primitive by primitive; the code for its vertices is filled in.
define void @softd3d_run(ptr noalias %box) #0 {
entry:
${loads}  br label %next
next:
  %p = phi i64 [ 0, %entry ], [ %p1, %one ]
  %is_one = icmp ult i64 %p, %count
  br i1 %is_one, label %one, label %done
one:
${vertices}  %p1 = add i64 %p, 1
  br label %next
done:
  ret void
}
