; `hist`: values below 256 into 256 bins. A group has 4096 values: local bins, then one locked addition a bin.
; arrays: 0 values, i32 (2^24); 1 bins, i32 (256).
; An item is a group. Values are loaded one by one: what vectors would save in loads, taking them apart costs.

@locals = internal global [2 x [512 x i32]] zeroinitializer, align 64

define void @run(ptr %arrays, i64 %first, i64 %last, i64 %thread) {
start:
  %values = load ptr, ptr %arrays
  %bins_at = getelementptr ptr, ptr %arrays, i64 1
  %bins = load ptr, ptr %bins_at
  %local = getelementptr [512 x i32], ptr @locals, i64 %thread
  br label %group
group:
  %g = phi i64 [ %first, %start ], [ %g1, %done ]
  call void @llvm.memset.p0.i64(ptr align 64 %local, i8 0, i64 1024, i1 false)
  %skipped = shl i64 %g, 12
  %own = getelementptr i32, ptr %values, i64 %skipped
  br label %some
some:
  %n = phi i64 [ 0, %group ], [ %n1, %some ]
  %at = getelementptr i32, ptr %own, i64 %n
  %ahead = getelementptr i8, ptr %at, i64 4096
  call void @llvm.prefetch.p0(ptr %ahead, i32 0, i32 3, i32 1)
  call void @count(ptr %at, i64 0, ptr %local)
  call void @count(ptr %at, i64 1, ptr %local)
  call void @count(ptr %at, i64 2, ptr %local)
  call void @count(ptr %at, i64 3, ptr %local)
  call void @count(ptr %at, i64 4, ptr %local)
  call void @count(ptr %at, i64 5, ptr %local)
  call void @count(ptr %at, i64 6, ptr %local)
  call void @count(ptr %at, i64 7, ptr %local)
  call void @count(ptr %at, i64 8, ptr %local)
  call void @count(ptr %at, i64 9, ptr %local)
  call void @count(ptr %at, i64 10, ptr %local)
  call void @count(ptr %at, i64 11, ptr %local)
  call void @count(ptr %at, i64 12, ptr %local)
  call void @count(ptr %at, i64 13, ptr %local)
  call void @count(ptr %at, i64 14, ptr %local)
  call void @count(ptr %at, i64 15, ptr %local)
  %n1 = add i64 %n, 16
  %more = icmp ult i64 %n1, 4096
  br i1 %more, label %some, label %add
add:
  %b = phi i64 [ 0, %some ], [ %b1, %add ]
  %from = getelementptr i32, ptr %local, i64 %b
  %found = load i32, ptr %from
  %to = getelementptr i32, ptr %bins, i64 %b
  %old = atomicrmw add ptr %to, i32 %found monotonic
  %b1 = add i64 %b, 1
  %left = icmp ult i64 %b1, 256
  br i1 %left, label %add, label %done
done:
  %g1 = add i64 %g, 1
  %again = icmp ult i64 %g1, %last
  br i1 %again, label %group, label %end
end:
  ret void
}
define internal void @count(ptr %from, i64 %n, ptr %bins) alwaysinline {
  %at = getelementptr i32, ptr %from, i64 %n
  %value = load i32, ptr %at
  %wide = zext i32 %value to i64
  %bin = getelementptr i32, ptr %bins, i64 %wide
  %old = load i32, ptr %bin
  %new = add i32 %old, 1
  store i32 %new, ptr %bin
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
