; Primitives of the strips that lanes have emitted to a stream: rows of their vertices, and lanes.
; Those of an incomplete one are overwritten by the next. There is room for one at each vertex.
define void @softd3d_run(ptr noalias %box) #0 {
entry:
${loads}  %result_at = getelementptr i64, ptr %box, i64 ${results}
  br label %next_lane
next_lane:
  %lane = phi i64 [ 0, %entry ], [ %lane1, %end_lane ]
  %n = phi i64 [ 0, %entry ], [ %n_here, %end_lane ]
  %is_lane = icmp ult i64 %lane, %count
  br i1 %is_lane, label %lane_begin, label %done
lane_begin:
  %size_at = getelementptr i32, ptr %counts, i64 %lane
  %found = load i32, ptr %size_at, align 4
  %is_less = icmp ult i32 %found, ${vertices}
  %size = select i1 %is_less, i32 %found, i32 ${vertices}
  %lane32 = trunc i64 %lane to i32
  %first = mul i32 %lane32, ${vertices}
  %end = add i32 %first, %size
  br label %next_vertex
next_vertex:
  %row = phi i32 [ %first, %lane_begin ], [ %row1, %end_vertex ]
  %n_here = phi i64 [ %n, %lane_begin ], [ %n_then, %end_vertex ]
  %place = phi i32 [ 0, %lane_begin ], [ %place_then, %end_vertex ]
  %last = phi i32 [ %first, %lane_begin ], [ %last_then, %end_vertex ]
  %before = phi i32 [ %first, %lane_begin ], [ %before_then, %end_vertex ]
  %is_vertex = icmp ult i32 %row, %end
  br i1 %is_vertex, label %vertex, label %end_lane
vertex:
  %row64 = zext i32 %row to i64
  %offset = mul i64 %row64, ${pitch}
  %header_at = getelementptr i8, ptr %words, i64 %offset
  %header = load i32, ptr %header_at, align 4
  %of_stream = and i32 %header, ${stream_bits}
  %is_mine = icmp eq i32 %of_stream, ${stream}
  br i1 %is_mine, label %mine, label %end_vertex
mine:
  %start_bit = and i32 %header, ${starts_strip}
  %starts = icmp ne i32 %start_bit, 0
  %here = select i1 %starts, i32 0, i32 %place
  %odd = trunc i32 %here to i1
  %second = select i1 %odd, i32 %row, i32 %last
  %third = select i1 %odd, i32 %last, i32 %row
${stores}  %lane_at = getelementptr i32, ptr %lanes, i64 %n_here
  store i32 %lane32, ptr %lane_at, align 4
  %is_whole = icmp uge i32 %here, ${least}
  %one_more = zext i1 %is_whole to i64
  %n_more = add i64 %n_here, %one_more
  %place_more = add i32 %here, 1
  br label %end_vertex
end_vertex:
  %n_then = phi i64 [ %n_here, %vertex ], [ %n_more, %mine ]
  %place_then = phi i32 [ %place, %vertex ], [ %place_more, %mine ]
  %last_then = phi i32 [ %last, %vertex ], [ %row, %mine ]
  %before_then = phi i32 [ %before, %vertex ], [ %last, %mine ]
  %row1 = add i32 %row, 1
  br label %next_vertex
end_lane:
  %lane1 = add i64 %lane, 1
  br label %next_lane
done:
  store i64 %n, ptr %result_at, align 8
  ret void
}
