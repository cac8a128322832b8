; A wave as a coroutine, whose frame lies where the context says.
define internal ptr @softd3d_wave(${arguments}) #1 {
entry:
  %id = call token @llvm.coro.id(i32 64, ptr null, ptr null, ptr null)
  %frame_size = call i64 @llvm.coro.size.i64()
  %frame_size_at = getelementptr i64, ptr %context, i64 ${context_frame_size}
  store i64 %frame_size, ptr %frame_size_at
  %frames_at = getelementptr i64, ptr %context, i64 ${context_frames}
  %frames = load ptr, ptr %frames_at
  %frame_at = getelementptr ptr, ptr %frames, i32 %wave
  %frame = load ptr, ptr %frame_at
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  br label %start
start:
${body}
${end}bail:
  %last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %last, label %suspend [i8 0, label %never i8 1, label %cleanup]
never:
  unreachable
cleanup:
  %memory = call ptr @llvm.coro.free(token %id, ptr %handle)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
