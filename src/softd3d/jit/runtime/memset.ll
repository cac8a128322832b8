; A whole line at a time: what is cleared is large, and a multiple of lines.
define hidden ptr @memset(ptr %at, i32 %value, i64 %size) #5 {
entry:
  %byte = trunc i32 %value to i8
  %one = insertelement <64 x i8> poison, i8 %byte, i32 0
  %line = shufflevector <64 x i8> %one, <64 x i8> poison, <64 x i32> zeroinitializer
  %lines = and i64 %size, -64
  br label %next_line
next_line:
  %n = phi i64 [ 0, %entry ], [ %n1, %fill_line ]
  %is_line = icmp ult i64 %n, %lines
  br i1 %is_line, label %fill_line, label %next_byte
fill_line:
  %line_at = getelementptr i8, ptr %at, i64 %n
  store <64 x i8> %line, ptr %line_at, align 1
  %n1 = add i64 %n, 64
  br label %next_line
next_byte:
  %b = phi i64 [ %lines, %next_line ], [ %b1, %fill_byte ]
  %is_byte = icmp ult i64 %b, %size
  br i1 %is_byte, label %fill_byte, label %done
fill_byte:
  %byte_at = getelementptr i8, ptr %at, i64 %b
  store i8 %byte, ptr %byte_at
  %b1 = add i64 %b, 1
  br label %next_byte
done:
  ret ptr %at
}
attributes #5 = { nounwind noinline "no-builtins" "prefer-vector-width"="512" }
