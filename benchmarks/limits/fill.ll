; The tile loop of `fill`: 50 layers of a triangle that covers the target, RGBA8, blended; (u, v, 0.5, 0.1)
; over what is there, SRC_ALPHA and INV_SRC_ALPHA (alpha: ONE). Numbers as Direct3D and docs/numbers.md
; have them: attributes in double with one rounding, each step of the blend rounded, codes exact.
; arrays: 0 target, i32 (1080, 1920); 1 layers, double (50, 16): edge 1 (a, b, c), edge 2, 1 / area,
; u (at vertex 0, differences of vertices 1 and 2), v likewise; 13 used.
; An item is a tile of 64 x 64 pixels, of 30 in a row; its pixels stay in local memory.

define internal double @field(ptr %layer, i64 %n) alwaysinline {
  %at = getelementptr double, ptr %layer, i64 %n
  %r = load double, ptr %at
  ret double %r
}
define internal <16 x double> @splat(double %x) alwaysinline {
  %v = insertelement <16 x double> poison, double %x, i64 0
  %r = shufflevector <16 x double> %v, <16 x double> poison, <16 x i32> zeroinitializer
  ret <16 x double> %r
}
; an attribute from two weights, rounded once and clamped to 0 to 1
define internal <16 x float> @attribute(ptr %layer, i64 %n, <16 x double> %w1, <16 x double> %w2) alwaysinline {
  %n1 = add i64 %n, 1
  %n2 = add i64 %n, 2
  %base = call double @field(ptr %layer, i64 %n)
  %delta1 = call double @field(ptr %layer, i64 %n1)
  %delta2 = call double @field(ptr %layer, i64 %n2)
  %b = call <16 x double> @splat(double %base)
  %d1 = call <16 x double> @splat(double %delta1)
  %d2 = call <16 x double> @splat(double %delta2)
  %p1 = fmul <16 x double> %w1, %d1
  %p2 = fmul <16 x double> %w2, %d2
  %sum = fadd <16 x double> %p1, %p2
  %value = fadd <16 x double> %b, %sum
  %rounded = fptrunc <16 x double> %value to <16 x float>
  %r = call <16 x float> @saturate(<16 x float> %rounded)
  ret <16 x float> %r
}
define internal <16 x float> @saturate(<16 x float> %x) alwaysinline {
  %positive = fcmp ogt <16 x float> %x, zeroinitializer
  %low = select <16 x i1> %positive, <16 x float> %x, <16 x float> zeroinitializer
  %inside = fcmp olt <16 x float> %low, splat (float 1.0)
  %r = select <16 x i1> %inside, <16 x float> %low, <16 x float> splat (float 1.0)
  ret <16 x float> %r
}
; code / 255, correctly rounded: the reciprocal in two parts
define internal <16 x float> @unpack(<16 x i32> %pixels, i32 %shift) alwaysinline {
  %s = insertelement <16 x i32> poison, i32 %shift, i64 0
  %by = shufflevector <16 x i32> %s, <16 x i32> poison, <16 x i32> zeroinitializer
  %moved = lshr <16 x i32> %pixels, %by
  %code = and <16 x i32> %moved, splat (i32 255)
  %n = sitofp <16 x i32> %code to <16 x float>
  %low = fmul <16 x float> %n, splat (float 0xBDEFDFDFE0000000)
  %r = call <16 x float> @llvm.fma.v16f32(<16 x float> %n, <16 x float> splat (float 0x3F70101020000000), <16 x float> %low)
  ret <16 x float> %r
}
; a channel blended: source times its factor, plus what is there times 1 - 0.1; as a code in its place.
; The sum is 0 to 1 but for the rounding, which no code shows: nothing need be clamped.
define internal <16 x i32> @blend(<16 x float> %source, <16 x i32> %pixels, i32 %shift) alwaysinline {
  %there = call <16 x float> @unpack(<16 x i32> %pixels, i32 %shift)
  %kept = fmul <16 x float> %there, splat (float 0x3FECCCCCC0000000)
  %sum = fadd <16 x float> %source, %kept
  %whole = call <16 x float> @llvm.fma.v16f32(<16 x float> %sum, <16 x float> splat (float 255.0), <16 x float> splat (float 8388608.0))
  %bits = bitcast <16 x float> %whole to <16 x i32>
  %code = and <16 x i32> %bits, splat (i32 255)
  %s = insertelement <16 x i32> poison, i32 %shift, i64 0
  %by = shufflevector <16 x i32> %s, <16 x i32> poison, <16 x i32> zeroinitializer
  %r = shl <16 x i32> %code, %by
  ret <16 x i32> %r
}
; one layer over sixteen pixels; row1, row2: b * y + c of the edges; x: of the centres, 1/256 pixel
define internal void @group(ptr %pixels, ptr %layer, <16 x double> %x, <16 x double> %row1, <16 x double> %row2) alwaysinline {
  %a1 = call double @field(ptr %layer, i64 0)
  %a2 = call double @field(ptr %layer, i64 3)
  %inverse = call double @field(ptr %layer, i64 6)
  %as1 = call <16 x double> @splat(double %a1)
  %as2 = call <16 x double> @splat(double %a2)
  %inverses = call <16 x double> @splat(double %inverse)
  %e1 = call <16 x double> @llvm.fma.v16f64(<16 x double> %as1, <16 x double> %x, <16 x double> %row1)
  %e2 = call <16 x double> @llvm.fma.v16f64(<16 x double> %as2, <16 x double> %x, <16 x double> %row2)
  %w1 = fmul <16 x double> %e1, %inverses
  %w2 = fmul <16 x double> %e2, %inverses
  %u = call <16 x float> @attribute(ptr %layer, i64 7, <16 x double> %w1, <16 x double> %w2)
  %v = call <16 x float> @attribute(ptr %layer, i64 10, <16 x double> %w1, <16 x double> %w2)
  %red = fmul <16 x float> %u, splat (float 0x3FB99999A0000000)
  %green = fmul <16 x float> %v, splat (float 0x3FB99999A0000000)
  %there = load <16 x i32>, ptr %pixels, align 64
  %r = call <16 x i32> @blend(<16 x float> %red, <16 x i32> %there, i32 0)
  %g = call <16 x i32> @blend(<16 x float> %green, <16 x i32> %there, i32 8)
  %b = call <16 x i32> @blend(<16 x float> splat (float 0x3FA99999A0000000), <16 x i32> %there, i32 16)
  %a = call <16 x i32> @blend(<16 x float> splat (float 0x3FB99999A0000000), <16 x i32> %there, i32 24)
  %rg = or <16 x i32> %r, %g
  %ba = or <16 x i32> %b, %a
  %rgba = or <16 x i32> %rg, %ba
  store <16 x i32> %rgba, ptr %pixels, align 64
  ret void
}

define internal void @layer(ptr noalias %tile, ptr noalias %layer, i64 %left, i64 %top, i64 %height) {
entry:
  %left32 = trunc i64 %left to i32
  %lefts = insertelement <16 x i32> poison, i32 %left32, i64 0
  %all = shufflevector <16 x i32> %lefts, <16 x i32> poison, <16 x i32> zeroinitializer
  %x0 = add <16 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %x256 = shl <16 x i32> %x0, splat (i32 8)
  %centre = add <16 x i32> %x256, splat (i32 128)
  %columns = sitofp <16 x i32> %centre to <16 x double>
  %b1 = call double @field(ptr %layer, i64 1)
  %c1 = call double @field(ptr %layer, i64 2)
  %b2 = call double @field(ptr %layer, i64 4)
  %c2 = call double @field(ptr %layer, i64 5)
  br label %rows
rows:
  %row = phi i64 [ 0, %entry ], [ %next_row, %row_end ]
  %line = add i64 %top, %row
  %line256 = shl i64 %line, 8
  %y = or i64 %line256, 128
  %yd = sitofp i64 %y to double
  %r1 = call double @llvm.fma.f64(double %b1, double %yd, double %c1)
  %r2 = call double @llvm.fma.f64(double %b2, double %yd, double %c2)
  %row1 = call <16 x double> @splat(double %r1)
  %row2 = call <16 x double> @splat(double %r2)
  %start = shl i64 %row, 6
  %pixels = getelementptr i32, ptr %tile, i64 %start
  br label %groups
groups:
  %n = phi i64 [ 0, %rows ], [ %next, %groups ]
  %x = phi <16 x double> [ %columns, %rows ], [ %next_x, %groups ]
  %at = getelementptr i32, ptr %pixels, i64 %n
  call void @group(ptr %at, ptr %layer, <16 x double> %x, <16 x double> %row1, <16 x double> %row2)
  %next_x = fadd <16 x double> %x, splat (double 4096.0)
  %next = add i64 %n, 16
  %more = icmp ult i64 %next, 64
  br i1 %more, label %groups, label %row_end
row_end:
  %next_row = add i64 %row, 1
  %more_rows = icmp ult i64 %next_row, %height
  br i1 %more_rows, label %rows, label %end
end:
  ret void
}

; rows of 64 pixels between the target and a tile
define internal void @copy(ptr noalias %to, i64 %to_pitch, ptr noalias %from, i64 %from_pitch, i64 %height) {
entry:
  br label %rows
rows:
  %row = phi i64 [ 0, %entry ], [ %next, %rows ]
  %to_offset = mul i64 %row, %to_pitch
  %from_offset = mul i64 %row, %from_pitch
  %t = getelementptr i8, ptr %to, i64 %to_offset
  %f = getelementptr i8, ptr %from, i64 %from_offset
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %t, ptr align 4 %f, i64 256, i1 false)
  %next = add i64 %row, 1
  %more = icmp ult i64 %next, %height
  br i1 %more, label %rows, label %end
end:
  ret void
}

define void @run(ptr noalias %arrays, i64 %first, i64 %last, i64 %thread) {
entry:
  %target = load ptr, ptr %arrays
  %at1 = getelementptr ptr, ptr %arrays, i64 1
  %layers = load ptr, ptr %at1
  %tile = alloca [4096 x i32], align 64
  br label %tiles
tiles:
  %n = phi i64 [ %first, %entry ], [ %next, %tile_end ]
  %more = icmp ult i64 %n, %last
  br i1 %more, label %body, label %end
body:
  %column = urem i64 %n, 30
  %line = udiv i64 %n, 30
  %left = mul i64 %column, 64
  %top = mul i64 %line, 64
  %below = sub i64 1080, %top
  %height = call i64 @llvm.umin.i64(i64 %below, i64 64)
  %above = mul i64 %top, 1920
  %offset = add i64 %above, %left
  %place = getelementptr i32, ptr %target, i64 %offset
  call void @copy(ptr %tile, i64 256, ptr %place, i64 7680, i64 %height)
  br label %layers_loop
layers_loop:
  %k = phi i64 [ 0, %body ], [ %next_k, %layers_loop ]
  %layer = getelementptr [16 x double], ptr %layers, i64 %k
  call void @layer(ptr %tile, ptr %layer, i64 %left, i64 %top, i64 %height)
  %next_k = add i64 %k, 1
  %more_layers = icmp ult i64 %next_k, 50
  br i1 %more_layers, label %layers_loop, label %tile_end
tile_end:
  call void @copy(ptr %place, i64 7680, ptr %tile, i64 256, i64 %height)
  %next = add i64 %n, 1
  br label %tiles
end:
  ret void
}

declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare <16 x double> @llvm.fma.v16f64(<16 x double>, <16 x double>, <16 x double>)
declare double @llvm.fma.f64(double, double, double)
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
