; `sample`: 2048 x 2048 bilinear reads of R8G8B8A8_UNORM with WRAP, rotated and minified, of the mip level that is
; nearest to x / 512. Coordinates have 8 fraction bits, as docs/numbers.md has it. Codes are blended and rounded; there is
; no detour by numbers from 0 to 1. Rows of texels end with their first texel again, and levels with their first row.
; Prefetches of what the next group reads make it no faster.
; arrays: 0 texels, i32; 1 where each of five levels starts, i32 (5), in texels; 2 image, i32 (2048, 2048).
; An item is a row of 128 groups of 16 x 16 pixels; the level is the same in a group.

define void @run(ptr %arrays, i64 %first, i64 %last, i64 %thread) {
start:
  %texels = load ptr, ptr %arrays
  %starts_at = getelementptr ptr, ptr %arrays, i64 1
  %starts = load ptr, ptr %starts_at
  %image_at = getelementptr ptr, ptr %arrays, i64 2
  %image = load ptr, ptr %image_at
  br label %band
band:
  %b = phi i64 [ %first, %start ], [ %b1, %below ]
  %top = shl i64 %b, 4
  br label %group
group:
  %g = phi i64 [ 0, %band ], [ %g1, %beside ]
  %left = shl i64 %g, 4
  %left_i = trunc i64 %left to i32
  %moved = add i32 %left_i, 256
  %level = lshr i32 %moved, 9
  %width = lshr i32 2048, %level
  %bits = sub i32 11, %level
  %level_at = getelementptr i32, ptr %starts, i32 %level
  %begin = load i32, ptr %level_at
  %from = getelementptr i32, ptr %texels, i32 %begin
  %scale_i = shl i32 %width, 8
  %scale_1 = uitofp i32 %scale_i to float
  %scale = call <16 x float> @splat(float %scale_1)
  %inside_1 = sub i32 %width, 1
  %inside = call <16 x i32> @splat_i(i32 %inside_1)
  %shift = call <16 x i32> @splat_i(i32 %bits)
  %left_v = call <16 x i32> @splat_i(i32 %left_i)
  %x_i = add <16 x i32> %left_v, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %x_f = sitofp <16 x i32> %x_i to <16 x float>
  %x_h = fadd <16 x float> %x_f, splat (float 0.5)
  %x = fmul <16 x float> %x_h, splat (float 0x3F40000000000000)
  br label %row
row:
  %r = phi i64 [ 0, %group ], [ %r2, %row ]
  %y0 = add i64 %top, %r
  %y1 = add i64 %y0, 1
  call void @pixels(ptr %from, ptr %image, i64 %left, i64 %y0, <16 x float> %x, <16 x float> %scale, <16 x i32> %inside, <16 x i32> %shift)
  call void @pixels(ptr %from, ptr %image, i64 %left, i64 %y1, <16 x float> %x, <16 x float> %scale, <16 x i32> %inside, <16 x i32> %shift)
  %r2 = add i64 %r, 2
  %more = icmp ult i64 %r2, 16
  br i1 %more, label %row, label %beside
beside:
  %g1 = add i64 %g, 1
  %wide = icmp ult i64 %g1, 128
  br i1 %wide, label %group, label %below
below:
  %b1 = add i64 %b, 1
  %again = icmp ult i64 %b1, %last
  br i1 %again, label %band, label %end
end:
  ret void
}
; sixteen pixels of a row
define internal void @pixels(ptr %texels, ptr %image, i64 %left, i64 %y, <16 x float> %x, <16 x float> %scale, <16 x i32> %inside, <16 x i32> %shift) alwaysinline {
  %y_f = uitofp i64 %y to float
  %y_h = fadd float %y_f, 0.5
  %y_1 = fmul float %y_h, 0x3F40000000000000
  %ys = fmul float %y_1, 0xBFD0907DA0000000
  %yc = fmul float %y_1, 0x3FEEE8DD40000000
  %ys_v = call <16 x float> @splat(float %ys)
  %yc_v = call <16 x float> @splat(float %yc)
  %u_1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> splat (float 0x3FEEE8DD40000000), <16 x float> %ys_v)
  %v_1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> splat (float 0x3FD0907DA0000000), <16 x float> %yc_v)
  %u_2 = fmul <16 x float> %u_1, splat (float 0x3FFB333340000000)
  %v_2 = fmul <16 x float> %v_1, splat (float 0x3FFB333340000000)
  %u = call <16 x i32> @place(<16 x float> %u_2, <16 x float> %scale)
  %v = call <16 x i32> @place(<16 x float> %v_2, <16 x float> %scale)
  %wu = call <16 x float> @weight(<16 x i32> %u)
  %wv = call <16 x float> @weight(<16 x i32> %v)
  %u_s = ashr <16 x i32> %u, splat (i32 8)
  %v_s = ashr <16 x i32> %v, splat (i32 8)
  %column = and <16 x i32> %u_s, %inside
  %line = and <16 x i32> %v_s, %inside
  %lines = shl <16 x i32> %line, %shift
  %skipped = add <16 x i32> %lines, %line
  %upper = add <16 x i32> %skipped, %column
  %pitch = add <16 x i32> %inside, splat (i32 2)
  %lower = add <16 x i32> %upper, %pitch
  %top = call <16 x i64> @pair(ptr %texels, <16 x i32> %upper)
  %bottom = call <16 x i64> @pair(ptr %texels, <16 x i32> %lower)
  %a = call <16 x i32> @half0(<16 x i64> %top)
  %b = call <16 x i32> @half1(<16 x i64> %top)
  %c = call <16 x i32> @half0(<16 x i64> %bottom)
  %d = call <16 x i32> @half1(<16 x i64> %bottom)
  %red = call <16 x float> @blend(<16 x i32> %a, <16 x i32> %b, <16 x i32> %c, <16 x i32> %d, <16 x float> %wu, <16 x float> %wv, i32 255)
  %green = call <16 x float> @blend(<16 x i32> %a, <16 x i32> %b, <16 x i32> %c, <16 x i32> %d, <16 x float> %wu, <16 x float> %wv, i32 65280)
  %blue = call <16 x float> @blend(<16 x i32> %a, <16 x i32> %b, <16 x i32> %c, <16 x i32> %d, <16 x float> %wu, <16 x float> %wv, i32 16711680)
  %a_h = lshr <16 x i32> %a, splat (i32 24)
  %b_h = lshr <16 x i32> %b, splat (i32 24)
  %c_h = lshr <16 x i32> %c, splat (i32 24)
  %d_h = lshr <16 x i32> %d, splat (i32 24)
  %alpha = call <16 x float> @blend(<16 x i32> %a_h, <16 x i32> %b_h, <16 x i32> %c_h, <16 x i32> %d_h, <16 x float> %wu, <16 x float> %wv, i32 -1)
  %r = call <16 x i32> @code(<16 x float> %red, float 1.0)
  %g = call <16 x i32> @code(<16 x float> %green, float 0x3F70000000000000)
  %l = call <16 x i32> @code(<16 x float> %blue, float 0x3EF0000000000000)
  %o = call <16 x i32> @code(<16 x float> %alpha, float 1.0)
  %g_s = shl <16 x i32> %g, splat (i32 8)
  %l_s = shl <16 x i32> %l, splat (i32 16)
  %o_s = shl <16 x i32> %o, splat (i32 24)
  %rg = or <16 x i32> %r, %g_s
  %rgl = or <16 x i32> %rg, %l_s
  %pixel = or <16 x i32> %rgl, %o_s
  %above = shl i64 %y, 11
  %n = add i64 %above, %left
  %to = getelementptr i32, ptr %image, i64 %n
  store <16 x i32> %pixel, ptr %to, align 4
  ret void
}
define internal <16 x float> @splat(float %x) alwaysinline {
  %v = insertelement <16 x float> poison, float %x, i64 0
  %r = shufflevector <16 x float> %v, <16 x float> poison, <16 x i32> zeroinitializer
  ret <16 x float> %r
}
define internal <16 x i32> @splat_i(i32 %x) alwaysinline {
  %v = insertelement <16 x i32> poison, i32 %x, i64 0
  %r = shufflevector <16 x i32> %v, <16 x i32> poison, <16 x i32> zeroinitializer
  ret <16 x i32> %r
}
; a coordinate in texels of a level, with 8 fraction bits, less half a texel
define internal <16 x i32> @place(<16 x float> %x, <16 x float> %scale) alwaysinline {
  %whole = call <16 x float> @llvm.floor.v16f32(<16 x float> %x)
  %part = fsub <16 x float> %x, %whole
  %scaled = fmul <16 x float> %part, %scale
  %rounded = fadd <16 x float> %scaled, splat (float 0.5)
  %fixed = fptosi <16 x float> %rounded to <16 x i32>
  %r = sub <16 x i32> %fixed, splat (i32 128)
  ret <16 x i32> %r
}
define internal <16 x float> @weight(<16 x i32> %x) alwaysinline {
  %part = and <16 x i32> %x, splat (i32 255)
  %f = sitofp <16 x i32> %part to <16 x float>
  %r = fmul <16 x float> %f, splat (float 0x3F70000000000000)
  ret <16 x float> %r
}
; two neighbours
define internal <16 x i64> @pair(ptr %texels, <16 x i32> %n) alwaysinline {
  %at = getelementptr i32, ptr %texels, <16 x i32> %n
  %r = call <16 x i64> @llvm.masked.gather.v16i64.v16p0(<16 x ptr> %at, i32 4, <16 x i1> splat (i1 true), <16 x i64> zeroinitializer)
  ret <16 x i64> %r
}
define internal <16 x i32> @half0(<16 x i64> %pair) alwaysinline {
  %low = shufflevector <16 x i64> %pair, <16 x i64> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %high = shufflevector <16 x i64> %pair, <16 x i64> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %a = bitcast <8 x i64> %low to <16 x i32>
  %b = bitcast <8 x i64> %high to <16 x i32>
  %r = shufflevector <16 x i32> %a, <16 x i32> %b, <16 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30>
  ret <16 x i32> %r
}
define internal <16 x i32> @half1(<16 x i64> %pair) alwaysinline {
  %low = shufflevector <16 x i64> %pair, <16 x i64> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %high = shufflevector <16 x i64> %pair, <16 x i64> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %a = bitcast <8 x i64> %low to <16 x i32>
  %b = bitcast <8 x i64> %high to <16 x i32>
  %r = shufflevector <16 x i32> %a, <16 x i32> %b, <16 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31>
  ret <16 x i32> %r
}
define internal <16 x float> @part(<16 x i32> %texel, i32 %mask) alwaysinline {
  %mask_v = call <16 x i32> @splat_i(i32 %mask)
  %code = and <16 x i32> %texel, %mask_v
  %r = sitofp <16 x i32> %code to <16 x float>
  ret <16 x float> %r
}
define internal <16 x float> @between(<16 x float> %a, <16 x float> %b, <16 x float> %weight) alwaysinline {
  %delta = fsub <16 x float> %b, %a
  %r = call <16 x float> @llvm.fma.v16f32(<16 x float> %weight, <16 x float> %delta, <16 x float> %a)
  ret <16 x float> %r
}
; a channel of four texels, where it is in them; exact
define internal <16 x float> @blend(<16 x i32> %a, <16 x i32> %b, <16 x i32> %c, <16 x i32> %d, <16 x float> %wu, <16 x float> %wv, i32 %mask) alwaysinline {
  %a_f = call <16 x float> @part(<16 x i32> %a, i32 %mask)
  %b_f = call <16 x float> @part(<16 x i32> %b, i32 %mask)
  %c_f = call <16 x float> @part(<16 x i32> %c, i32 %mask)
  %d_f = call <16 x float> @part(<16 x i32> %d, i32 %mask)
  %top = call <16 x float> @between(<16 x float> %a_f, <16 x float> %b_f, <16 x float> %wu)
  %bottom = call <16 x float> @between(<16 x float> %c_f, <16 x float> %d_f, <16 x float> %wu)
  %r = call <16 x float> @between(<16 x float> %top, <16 x float> %bottom, <16 x float> %wv)
  ret <16 x float> %r
}
define internal <16 x i32> @code(<16 x float> %x, float %scale) alwaysinline {
  %scale_v = call <16 x float> @splat(float %scale)
  %sum = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> %scale_v, <16 x float> splat (float 8388608.0))
  %bits = bitcast <16 x float> %sum to <16 x i32>
  %r = and <16 x i32> %bits, splat (i32 255)
  ret <16 x i32> %r
}
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare <16 x float> @llvm.floor.v16f32(<16 x float>)
declare <16 x i64> @llvm.masked.gather.v16i64.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i64>)
