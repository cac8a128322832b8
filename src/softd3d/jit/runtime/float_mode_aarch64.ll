; The entry point: set the float mode around the run.
define void @softd3d_run(ptr %context) #2 {
  %old = call i64 @llvm.aarch64.get.fpcr()
  call void @llvm.aarch64.set.fpcr(i64 ${mode})
  call void @softd3d_all(ptr %context)
  call void @llvm.aarch64.set.fpcr(i64 %old)
  ret void
}
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)
