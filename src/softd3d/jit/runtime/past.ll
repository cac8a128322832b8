  %aborted_at = getelementptr i64, ptr %state, i64 ${state_aborted}
  %aborted = load atomic i64, ptr %aborted_at monotonic, align 8
  %past = icmp ugt i64 ${group}, %aborted
  br i1 %past, label %done, label %within
within:
