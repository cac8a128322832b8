; How code says that a run is to stop, and takes more of the budget of loop iterations.
define internal void @softd3d_stop(ptr %state, i64 %why, i64 %site) #3 {
  %at = getelementptr i64, ptr %state, i64 ${state_status}
  %pair = cmpxchg ptr %at, i64 0, i64 %why monotonic monotonic
  %first = extractvalue { i64, i1 } %pair, 1
  br i1 %first, label %note, label %done
note:
  %detail = getelementptr i64, ptr %state, i64 ${state_detail}
  store i64 %site, ptr %detail
  br label %done
done:
  ret void
}
define internal i32 @softd3d_refill(ptr %state, i64 %chunk, i64 %site) #3 {
  %status_at = getelementptr i64, ptr %state, i64 ${state_status}
  %status = load atomic i64, ptr %status_at monotonic, align 8
  %stopped = icmp ne i64 %status, 0
  br i1 %stopped, label %quit, label %take
take:
  %budget_at = getelementptr i64, ptr %state, i64 ${state_budget}
  %before = atomicrmw sub ptr %budget_at, i64 %chunk monotonic
  %enough = icmp sgt i64 %before, %chunk
  br i1 %enough, label %more, label %spent
spent:
  call void @softd3d_stop(ptr %state, i64 ${status_budget}, i64 %site)
  br label %quit
quit:
  ret i32 0
more:
  %again = trunc i64 %chunk to i32
  ret i32 %again
}
