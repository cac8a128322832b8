; Sets a bit for each number of a list; counts those that were not set.
define void @softd3d_run(ptr noalias %box) #0 {
entry:
${loads}  %result_at = getelementptr i64, ptr %box, i64 ${results}
  br label %next
next:
  %n = phi i64 [ 0, %entry ], [ %n1, %set ]
  %new = phi i64 [ 0, %entry ], [ %new1, %set ]
  %is_one = icmp ult i64 %n, %count
  br i1 %is_one, label %one, label %done
one:
  %number_at = getelementptr i32, ptr %numbers, i64 %n
  %number = load i32, ptr %number_at, align 4
  %word = lshr i32 %number, 5
  %wide = zext i32 %word to i64
  %is_inside = icmp ult i64 %wide, %words
  br i1 %is_inside, label %set, label %outside
set:
  %word_at = getelementptr i32, ptr %bits, i64 %wide
  %old = load i32, ptr %word_at, align 4
  %shift = and i32 %number, 31
  %bit = shl i32 1, %shift
  %both = or i32 %old, %bit
  store i32 %both, ptr %word_at, align 4
  %is_new = icmp ne i32 %both, %old
  %one_more = zext i1 %is_new to i64
  %new1 = add i64 %new, %one_more
  %n1 = add i64 %n, 1
  br label %next
outside:
  store i64 -1, ptr %result_at, align 8
  ret void
done:
  store i64 %new, ptr %result_at, align 8
  ret void
}
