; Moves words of rows, of primitives from one number up to another; the code for the vertices of one
; is filled in.
define void @softd3d_run(ptr noalias %box) #0 {
entry:
${loads}  br label %next
next:
  %p = phi i64 [ %first, %entry ], [ %p1, %one ]
  %is_one = icmp ult i64 %p, %end
  br i1 %is_one, label %one, label %done
one:
${vertices}  %p1 = add i64 %p, 1
  br label %next
done:
  ret void
}
