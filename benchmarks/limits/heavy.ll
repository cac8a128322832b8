; `heavy`: 1920 x 1080 pixels, 100 rounds of v = 1.3 sin(v) + cos(0.7 v + y) each; no rasteriser, and v is what is stored.
; sin and cos as algebra/elementary.py has them for small angles, the only ones here. Four vectors run in step: one alone
; waits for its own results.
; arrays: 0 image, float (1080, 1920). An item is a row of pixels.

define void @run(ptr %arrays, i64 %first, i64 %last, i64 %thread) {
start:
  %image = load ptr, ptr %arrays
  br label %line
line:
  %y = phi i64 [ %first, %start ], [ %y1, %below ]
  %y_f = uitofp i64 %y to float
  %y_h = fadd float %y_f, 0.5
  %y_n = fdiv float %y_h, 1080.0
  %y_i = insertelement <16 x float> poison, float %y_n, i64 0
  %uv_y = shufflevector <16 x float> %y_i, <16 x float> poison, <16 x i32> zeroinitializer
  %above = mul i64 %y, 1920
  %row = getelementptr float, ptr %image, i64 %above
  br label %four
four:
  %x = phi i64 [ 0, %line ], [ %x1, %store ]
  %a0 = call <16 x float> @left(i64 %x, i64 0)
  %a1 = call <16 x float> @left(i64 %x, i64 16)
  %a2 = call <16 x float> @left(i64 %x, i64 32)
  %a3 = call <16 x float> @left(i64 %x, i64 48)
  br label %round
round:
  %n = phi i32 [ 0, %four ], [ %n1, %round ]
  %v0 = phi <16 x float> [ %a0, %four ], [ %w0, %round ]
  %v1 = phi <16 x float> [ %a1, %four ], [ %w1, %round ]
  %v2 = phi <16 x float> [ %a2, %four ], [ %w2, %round ]
  %v3 = phi <16 x float> [ %a3, %four ], [ %w3, %round ]
  %w0 = call <16 x float> @step(<16 x float> %v0, <16 x float> %uv_y)
  %w1 = call <16 x float> @step(<16 x float> %v1, <16 x float> %uv_y)
  %w2 = call <16 x float> @step(<16 x float> %v2, <16 x float> %uv_y)
  %w3 = call <16 x float> @step(<16 x float> %v3, <16 x float> %uv_y)
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, 100
  br i1 %more, label %round, label %store
store:
  %to = getelementptr float, ptr %row, i64 %x
  %to0 = getelementptr float, ptr %to, i64 0
  store <16 x float> %w0, ptr %to0, align 4
  %to1 = getelementptr float, ptr %to, i64 16
  store <16 x float> %w1, ptr %to1, align 4
  %to2 = getelementptr float, ptr %to, i64 32
  store <16 x float> %w2, ptr %to2, align 4
  %to3 = getelementptr float, ptr %to, i64 48
  store <16 x float> %w3, ptr %to3, align 4
  %x1 = add i64 %x, 64
  %wide = icmp ult i64 %x1, 1920
  br i1 %wide, label %four, label %below
below:
  %y1 = add i64 %y, 1
  %again = icmp ult i64 %y1, %last
  br i1 %again, label %line, label %end
end:
  ret void
}
; the first v of sixteen pixels: (x + 0.5) / 1920
define internal <16 x float> @left(i64 %x, i64 %more) alwaysinline {
  %at = add i64 %x, %more
  %at_i = trunc i64 %at to i32
  %at_v = insertelement <16 x i32> poison, i32 %at_i, i64 0
  %start = shufflevector <16 x i32> %at_v, <16 x i32> poison, <16 x i32> zeroinitializer
  %n = add <16 x i32> %start, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %f = sitofp <16 x i32> %n to <16 x float>
  %h = fadd <16 x float> %f, splat (float 0.5)
  %r = fdiv <16 x float> %h, splat (float 1920.0)
  ret <16 x float> %r
}
define internal <16 x float> @step(<16 x float> %v, <16 x float> %y) alwaysinline {
  %angle = call <16 x float> @llvm.fma.v16f32(<16 x float> %v, <16 x float> splat (float 0x3FE6666660000000), <16 x float> %y)
  %cosine = call <16 x float> @turned(<16 x float> %angle, i32 1)
  %sine = call <16 x float> @turned(<16 x float> %v, i32 0)
  %r = call <16 x float> @llvm.fma.v16f32(<16 x float> %sine, <16 x float> splat (float 0x3FF4CCCCC0000000), <16 x float> %cosine)
  ret <16 x float> %r
}
; the sine of an angle and `more` quarters of a turn
define internal <16 x float> @turned(<16 x float> %x, i32 %more) alwaysinline {
  %rounded = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> splat (float 0x3FE45F3060000000), <16 x float> splat (float 0x4168000000000000))
  %n = fsub <16 x float> %rounded, splat (float 0x4168000000000000)
  %large = call <16 x float> @llvm.fma.v16f32(<16 x float> %n, <16 x float> splat (float 0xBFF921FB40000000), <16 x float> %x)
  %part = call <16 x float> @llvm.fma.v16f32(<16 x float> %n, <16 x float> splat (float 0xBE74442000000000), <16 x float> %large)
  %lost = fsub <16 x float> %part, %large
  %rest_1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %n, <16 x float> splat (float 0x3E74442000000000), <16 x float> %lost)
  %rest = call <16 x float> @llvm.fma.v16f32(<16 x float> %n, <16 x float> splat (float 0x3D6A308D40000000), <16 x float> %rest_1)
  %square = fmul <16 x float> %part, %part
  %cube = fmul <16 x float> %part, %square
  %s1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %square, <16 x float> splat (float 0x3F29952820000000), <16 x float> splat (float 0xBF81107760000000))
  %s2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %square, <16 x float> %s1, <16 x float> splat (float 0x3FC5555460000000))
  %s3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %cube, <16 x float> %s2, <16 x float> %rest)
  %sine = fsub <16 x float> %part, %s3
  %c1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %square, <16 x float> splat (float 0x3EF99E0EE0000000), <16 x float> splat (float 0xBF56C0C1A0000000))
  %c2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %square, <16 x float> %c1, <16 x float> splat (float 0x3FA55554A0000000))
  %c3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %square, <16 x float> %c2, <16 x float> splat (float 0xBFE0000000000000))
  %cosine = call <16 x float> @llvm.fma.v16f32(<16 x float> %square, <16 x float> %c3, <16 x float> splat (float 0x3FF0000000000000))
  %quarters = bitcast <16 x float> %rounded to <16 x i32>
  %more_i = insertelement <16 x i32> poison, i32 %more, i64 0
  %more_v = shufflevector <16 x i32> %more_i, <16 x i32> poison, <16 x i32> zeroinitializer
  %quarter = add <16 x i32> %quarters, %more_v
  %odd = and <16 x i32> %quarter, splat (i32 1)
  %swap = icmp ne <16 x i32> %odd, zeroinitializer
  %chosen = select <16 x i1> %swap, <16 x float> %cosine, <16 x float> %sine
  %up = shl <16 x i32> %quarter, splat (i32 30)
  %sign = and <16 x i32> %up, splat (i32 -2147483648)
  %bits = bitcast <16 x float> %chosen to <16 x i32>
  %signed = xor <16 x i32> %bits, %sign
  %r = bitcast <16 x i32> %signed to <16 x float>
  ret <16 x float> %r
}
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
