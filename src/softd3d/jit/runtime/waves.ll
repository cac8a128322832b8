; A group whose waves run one after another.
define internal void @softd3d_group(${arguments}) #0 {
entry:
${clear}  br label %loop
loop:
  %wave = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @softd3d_wave(${names})
  %next = add i32 %wave, 1
  %more = icmp ult i32 %next, ${waves}
  br i1 %more, label %loop, label %done
done:
  ret void
}
