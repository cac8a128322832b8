; Lists the primitives that are drawn as they are and whose boxes have pixels. Results: their number;
; that of primitives with such boxes, whether or not they cover a sample; that of those to be clipped.
define void @softd3d_run(ptr noalias %box) #0 {
entry:
${loads}  %results = getelementptr i64, ptr %box, i64 ${results}
  br label %next
next:
  %p = phi i64 [ 0, %entry ], [ %p1, %one ]
  %n = phi i64 [ 0, %entry ], [ %n1, %one ]
  %shown = phi i64 [ 0, %entry ], [ %shown1, %one ]
  %rare = phi i64 [ 0, %entry ], [ %rare1, %one ]
  %is_one = icmp ult i64 %p, %count
  br i1 %is_one, label %one, label %done
one:
  %status_at = getelementptr i32, ptr %status, i64 %p
  %own_status = load i32, ptr %status_at, align 4
  %left_at = getelementptr i32, ptr %left, i64 %p
  %own_left = load i32, ptr %left_at, align 4
  %top_at = getelementptr i32, ptr %top, i64 %p
  %own_top = load i32, ptr %top_at, align 4
  %right_at = getelementptr i32, ptr %right, i64 %p
  %own_right = load i32, ptr %right_at, align 4
  %bottom_at = getelementptr i32, ptr %bottom, i64 %p
  %own_bottom = load i32, ptr %bottom_at, align 4
  %is_wide = icmp sgt i32 %own_right, %own_left
  %is_high = icmp sgt i32 %own_bottom, %own_top
  %has_pixels = and i1 %is_wide, %is_high
  %is_drawn = icmp eq i32 %own_status, ${drawn}
  %is_hidden = icmp eq i32 %own_status, ${hidden}
  %is_rare = icmp eq i32 %own_status, ${rare_status}
  %is_either = or i1 %is_drawn, %is_hidden
  %is_shown = and i1 %is_either, %has_pixels
  %is_piece = and i1 %is_drawn, %has_pixels
  %row_at = getelementptr i32, ptr %rows, i64 %n
  %p32 = trunc i64 %p to i32
  store i32 %p32, ptr %row_at, align 4
  %piece_more = zext i1 %is_piece to i64
  %n1 = add i64 %n, %piece_more
  %shown_more = zext i1 %is_shown to i64
  %shown1 = add i64 %shown, %shown_more
  %rare_more = zext i1 %is_rare to i64
  %rare1 = add i64 %rare, %rare_more
  %p1 = add i64 %p, 1
  br label %next
done:
  store i64 %n, ptr %results, align 8
  %shown_to = getelementptr i64, ptr %results, i64 1
  store i64 %shown, ptr %shown_to, align 8
  %rare_to = getelementptr i64, ptr %results, i64 2
  store i64 %rare, ptr %rare_to, align 8
  ret void
}
