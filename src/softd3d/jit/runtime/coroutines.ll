; A group whose waves wait for each other: coroutines, begun and resumed in turn. They must all
; come to the same barrier, or all to their end.
define internal void @softd3d_group(${arguments}) #0 {
entry:
  %handles = alloca [${waves} x ptr]
${clear}  br label %begin
begin:
  %wave = phi i32 [ 0, %entry ], [ %next, %begin ]
  %bat = phi i64 [ 0, %entry ], [ %bat1, %begin ]
  %btogether = phi i1 [ true, %entry ], [ %btogether1, %begin ]
  %handle = call ptr @softd3d_wave(${names})
  %slot = getelementptr ptr, ptr %handles, i32 %wave
  store ptr %handle, ptr %slot
  %bsite = load i64, ptr %site
  %bfirst = icmp eq i32 %wave, 0
  %bat1 = select i1 %bfirst, i64 %bsite, i64 %bat
  %bsame = icmp eq i64 %bsite, %bat1
  %btogether1 = and i1 %btogether, %bsame
  %next = add i32 %wave, 1
  %more = icmp ult i32 %next, ${waves}
  br i1 %more, label %begin, label %check
check:
  %together = phi i1 [ %btogether1, %begin ], [ %rtogether1, %resumed ], [ %together, %checked ]
  %i = phi i32 [ 0, %begin ], [ 0, %resumed ], [ %i1, %checked ]
  %count = phi i32 [ 0, %begin ], [ 0, %resumed ], [ %count1, %checked ]
  %islot = getelementptr ptr, ptr %handles, i32 %i
  %ihandle = load ptr, ptr %islot
  %isdone = call i1 @llvm.coro.done(ptr %ihandle)
  br label %checked
checked:
  %one = zext i1 %isdone to i32
  %count1 = add i32 %count, %one
  %i1 = add i32 %i, 1
  %imore = icmp ult i32 %i1, ${waves}
  br i1 %imore, label %check, label %decide
decide:
  %all = icmp eq i32 %count1, ${waves}
  br i1 %all, label %destroy, label %some
some:
  %none = icmp eq i32 %count1, 0
  %good = and i1 %none, %together
  br i1 %good, label %resume, label %diverged
diverged:
  %dsite = load i64, ptr %site
${divergence}
  br label %destroy
resume:
  %r = phi i32 [ 0, %some ], [ %r1, %resume ]
  %rat = phi i64 [ 0, %some ], [ %rat1, %resume ]
  %rtogether = phi i1 [ true, %some ], [ %rtogether1, %resume ]
  %rslot = getelementptr ptr, ptr %handles, i32 %r
  %rhandle = load ptr, ptr %rslot
  call void @llvm.coro.resume(ptr %rhandle)
  %rsite = load i64, ptr %site
  %rfirst = icmp eq i32 %r, 0
  %rat1 = select i1 %rfirst, i64 %rsite, i64 %rat
  %rsame = icmp eq i64 %rsite, %rat1
  %rtogether1 = and i1 %rtogether, %rsame
  %r1 = add i32 %r, 1
  %rmore = icmp ult i32 %r1, ${waves}
  br i1 %rmore, label %resume, label %resumed
resumed:
  br label %check
destroy:
  %d = phi i32 [ 0, %decide ], [ 0, %diverged ], [ %d1, %destroy ]
  %dslot = getelementptr ptr, ptr %handles, i32 %d
  %dhandle = load ptr, ptr %dslot
  call void @llvm.coro.destroy(ptr %dhandle)
  %d1 = add i32 %d, 1
  %dmore = icmp ult i32 %d1, ${waves}
  br i1 %dmore, label %destroy, label %done
done:
  ret void
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i1 @llvm.coro.done(ptr)
