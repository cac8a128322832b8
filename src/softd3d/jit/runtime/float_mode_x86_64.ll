; The entry point: set the float mode around the run.
define void @softd3d_run(ptr %context) #2 {
  %old = alloca i32
  %new = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %old)
  store i32 ${mode}, ptr %new
  call void @llvm.x86.sse.ldmxcsr(ptr %new)
  call void @softd3d_all(ptr %context)
  call void @llvm.x86.sse.ldmxcsr(ptr %old)
  ret void
}
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
