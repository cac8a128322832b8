; What each thread runs: claim chunks of groups until none are left, or the run is to stop.
define void @softd3d_all(ptr noalias %context) #2 {
entry:
${loads}  %site = alloca i64
  store i64 0, ptr %site
  %next_at = getelementptr i64, ptr %state, i64 ${state_next}
  %status_at = getelementptr i64, ptr %state, i64 ${state_status}
  br label %claim
claim:
  %before = load atomic i64, ptr %next_at monotonic, align 8
  %left = call i64 @llvm.usub.sat.i64(i64 %groups, i64 %before)
  %part = udiv i64 %left, %pieces
  %least = call i64 @llvm.umax.i64(i64 %part, i64 1)
  %chunk = call i64 @llvm.umin.i64(i64 %least, i64 ${largest_chunk})
  %first = atomicrmw add ptr %next_at, i64 %chunk monotonic
  %any = icmp ult i64 %first, %groups
  br i1 %any, label %some, label %done
some:
  %wanted = add i64 %first, %chunk
  %fits = icmp ult i64 %wanted, %groups
  %end = select i1 %fits, i64 %wanted, i64 %groups
  br label %group
group:
  %g = phi i64 [ %first, %some ], [ %g1, %go ]
${body}  %status = load atomic i64, ptr %status_at monotonic, align 8
  %stopped = icmp ne i64 %status, 0
  br i1 %stopped, label %done, label %go
go:
  %g1 = add i64 %g, 1
  %more = icmp ult i64 %g1, %end
  br i1 %more, label %group, label %claim
done:
  ret void
}
declare i64 @llvm.usub.sat.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
