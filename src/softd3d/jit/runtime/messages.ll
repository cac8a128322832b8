; Records of messages in a thread's buffer, and groups that stop because one has aborted.
define internal ptr @softd3d_message(ptr %context, i64 %place, i32 %site) #3 {
entry:
  %box_at = getelementptr i64, ptr %context, i64 ${context_messages}
  %box = load ptr, ptr %box_at
  %records_at = getelementptr i64, ptr %box, i64 ${messages_records}
  %records = load ptr, ptr %records_at
  %limit_at = getelementptr i64, ptr %box, i64 ${messages_limit}
  %limit = load i64, ptr %limit_at
  %count_at = getelementptr i64, ptr %box, i64 ${messages_count}
  %count = load i64, ptr %count_at
  %seen_at = getelementptr i64, ptr %box, i64 ${messages_seen}
  %seen = load i64, ptr %seen_at
  %last_at = getelementptr i64, ptr %box, i64 ${messages_last}
  %last = load i64, ptr %last_at
  %seen1 = add i64 %seen, 1
  store i64 %seen1, ptr %seen_at
  %room = icmp ult i64 %count, %limit
  br i1 %room, label %more, label %full
more:
  %count1 = add i64 %count, 1
  store i64 %count1, ptr %count_at
  br label %write
full:
  %none = icmp eq i64 %limit, 0
  br i1 %none, label %dropped, label %compare
compare:
  %last_offset = mul i64 %last, ${stride}
  %last_record = getelementptr i8, ptr %records, i64 %last_offset
  %last_place = load i64, ptr %last_record
  %earlier = icmp ult i64 %place, %last_place
  br i1 %earlier, label %write, label %dropped
write:
  %index = phi i64 [ %count, %more ], [ %last, %compare ]
  %held = phi i64 [ %count1, %more ], [ %limit, %compare ]
  %offset = mul i64 %index, ${stride}
  %record = getelementptr i8, ptr %records, i64 %offset
  store i64 %place, ptr %record
  %sequence_at = getelementptr i64, ptr %record, i64 1
  store i64 %seen, ptr %sequence_at
  %where_at = getelementptr i64, ptr %record, i64 2
  store i32 %site, ptr %where_at
  %is_full = icmp eq i64 %held, %limit
  br i1 %is_full, label %scan, label %done
scan:
  %n = phi i64 [ 0, %write ], [ %n1, %scan ]
  %best = phi i64 [ 0, %write ], [ %best1, %scan ]
  %best_place = phi i64 [ -1, %write ], [ %best_place1, %scan ]
  %best_sequence = phi i64 [ -1, %write ], [ %best_sequence1, %scan ]
  %n_offset = mul i64 %n, ${stride}
  %n_record = getelementptr i8, ptr %records, i64 %n_offset
  %n_place = load i64, ptr %n_record
  %n_sequence_at = getelementptr i64, ptr %n_record, i64 1
  %n_sequence = load i64, ptr %n_sequence_at
  %higher = icmp sgt i64 %n_place, %best_place
  %same = icmp eq i64 %n_place, %best_place
  %later = icmp sgt i64 %n_sequence, %best_sequence
  %both = and i1 %same, %later
  %better = or i1 %higher, %both
  %best1 = select i1 %better, i64 %n, i64 %best
  %best_place1 = select i1 %better, i64 %n_place, i64 %best_place
  %best_sequence1 = select i1 %better, i64 %n_sequence, i64 %best_sequence
  %n1 = add i64 %n, 1
  %again = icmp ult i64 %n1, %limit
  br i1 %again, label %scan, label %found
found:
  store i64 %best1, ptr %last_at
  br label %done
done:
  ret ptr %record
dropped:
  ret ptr null
}
define internal void @softd3d_abort(ptr %context, ptr %state, i64 %group) #3 {
  %box_at = getelementptr i64, ptr %context, i64 ${context_messages}
  %box = load ptr, ptr %box_at
  %aborted_at = getelementptr i64, ptr %box, i64 ${messages_aborted}
  store i64 %group, ptr %aborted_at
  %all_at = getelementptr i64, ptr %state, i64 ${state_aborted}
  %old = atomicrmw umin ptr %all_at, i64 %group monotonic
  ret void
}
define internal i1 @softd3d_past(ptr %state, i64 %group) #3 {
  %all_at = getelementptr i64, ptr %state, i64 ${state_aborted}
  %first = load atomic i64, ptr %all_at monotonic, align 8
  %past = icmp ugt i64 %group, %first
  ret i1 %past
}
define internal i32 @softd3d_refill_before(ptr %state, i64 %group, i64 %chunk, i64 %site) #3 {
entry:
  %past = call i1 @softd3d_past(ptr %state, i64 %group)
  br i1 %past, label %quit, label %ask
ask:
  %more = call i32 @softd3d_refill(ptr %state, i64 %chunk, i64 %site)
  ret i32 %more
quit:
  ret i32 0
}
define internal void @softd3d_diverged(ptr %context, ptr %state, i64 %group, i64 %site) #3 {
  %box_at = getelementptr i64, ptr %context, i64 ${context_messages}
  %box = load ptr, ptr %box_at
  %aborted_at = getelementptr i64, ptr %box, i64 ${messages_aborted}
  %aborted = load i64, ptr %aborted_at
  %own = icmp eq i64 %aborted, %group
  %past = call i1 @softd3d_past(ptr %state, i64 %group)
  %ended = or i1 %own, %past
  br i1 %ended, label %done, label %stop
stop:
  call void @softd3d_stop(ptr %state, i64 ${status_divergent_barrier}, i64 %site)
  br label %done
done:
  ret void
}
