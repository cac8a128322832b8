; Small triangles: the kit's `small` from screen positions, without shading. Every triangle is set up,
; sixteen at a time; those with a pixel's centre in their bounds go over blocks of 4 x 4 pixels:
; coverage, interpolated depth, depth test LESS, and a store of depth and of the triangle's number.
; Positions are snapped to 1/256 pixel; coverage and depth are those of Direct3D and docs/numbers.md
; (depth in double, rounded once). Nothing is culled by facing, as in `small`.
; arrays: 0 positions, float (vertices, 4): x, y in pixels, z; 1 indices, i32 (triangles, 3), their
; number a multiple of 16; 2, 3 depth of two threads, float; 4, 5 numbers of triangles, i32. Pixels
; lie by blocks of 4 x 4: (270, 480, 16). Triangles are inside of the target, and at most 16 pixels long.
; `run`: an item is sixteen triangles. `merge`: an item is a block; the nearer pixel of two threads wins.

; What is kept of sixteen triangles, a vector each: 0 to 2 a of the edges, 3 to 5 b, 6 to 8 what
; floor(E / 256) is at the first block's first centre; 9, 10 first column and row of blocks, 11, 12
; last ones. From 13 on, two vectors each: E less 256 times that floor, of edges 1 and 2; 1 / area;
; z of vertex 0, what vertices 1 and 2 have more.
define internal void @keep(ptr %record, i64 %n, <16 x i32> %v) alwaysinline {
  %at = getelementptr <16 x i32>, ptr %record, i64 %n
  store <16 x i32> %v, ptr %at, align 64
  ret void
}
define internal void @keep_float(ptr %record, i64 %n, <16 x i32> %v) alwaysinline {
  %number = sitofp <16 x i32> %v to <16 x float>
  %bits = bitcast <16 x float> %number to <16 x i32>
  call void @keep(ptr %record, i64 %n, <16 x i32> %bits)
  ret void
}
define internal void @keep_double(ptr %record, i64 %n, <16 x double> %v) alwaysinline {
  %at = getelementptr <16 x i32>, ptr %record, i64 %n
  store <16 x double> %v, ptr %at, align 64
  ret void
}
define internal <16 x float> @kept(ptr %record, i64 %n, i64 %lane) alwaysinline {
  %vector = getelementptr <16 x i32>, ptr %record, i64 %n
  %at = getelementptr float, ptr %vector, i64 %lane
  %x = load float, ptr %at
  %v = insertelement <16 x float> poison, float %x, i64 0
  %r = shufflevector <16 x float> %v, <16 x float> poison, <16 x i32> zeroinitializer
  ret <16 x float> %r
}
define internal i64 @kept_integer(ptr %record, i64 %n, i64 %lane) alwaysinline {
  %vector = getelementptr <16 x i32>, ptr %record, i64 %n
  %at = getelementptr i32, ptr %vector, i64 %lane
  %x = load i32, ptr %at
  %r = sext i32 %x to i64
  ret i64 %r
}
define internal <16 x double> @kept_double(ptr %record, i64 %n, i64 %lane) alwaysinline {
  %vector = getelementptr <16 x i32>, ptr %record, i64 %n
  %at = getelementptr double, ptr %vector, i64 %lane
  %x = load double, ptr %at
  %v = insertelement <16 x double> poison, double %x, i64 0
  %r = shufflevector <16 x double> %v, <16 x double> poison, <16 x i32> zeroinitializer
  ret <16 x double> %r
}

define internal <16 x float> @gathered(ptr %positions, <16 x i32> %vertex, i64 %component) alwaysinline {
  %words = shl <16 x i32> %vertex, splat (i32 2)
  %base = getelementptr float, ptr %positions, i64 %component
  %at = getelementptr float, ptr %base, <16 x i32> %words
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %at, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %r
}
define internal <16 x i32> @snapped(ptr %positions, <16 x i32> %vertex, i64 %component) alwaysinline {
  %v = call <16 x float> @gathered(ptr %positions, <16 x i32> %vertex, i64 %component)
  %scaled = fmul <16 x float> %v, splat (float 256.0)
  %whole = call <16 x float> @llvm.rint.v16f32(<16 x float> %scaled)
  %r = fptosi <16 x float> %whole to <16 x i32>
  ret <16 x i32> %r
}
; an edge of sixteen triangles, and E at x, y less its covering rule's unit; `rest` is a place for
; what is left of E, or null
define internal void @edge(ptr %record, i64 %n, ptr %rest, <16 x i1> %flips, <16 x i32> %sx, <16 x i32> %sy, <16 x i32> %ex, <16 x i32> %ey, <16 x i32> %x, <16 x i32> %y) alwaysinline {
  %dx = sub <16 x i32> %ex, %sx
  %dy = sub <16 x i32> %ey, %sy
  %mdx = sub <16 x i32> %sx, %ex
  %mdy = sub <16 x i32> %sy, %ey
  %a = select <16 x i1> %flips, <16 x i32> %dy, <16 x i32> %mdy
  %b = select <16 x i1> %flips, <16 x i32> %mdx, <16 x i32> %dx
  %rx = sub <16 x i32> %x, %sx
  %ry = sub <16 x i32> %y, %sy
  %ax = mul <16 x i32> %a, %rx
  %by = mul <16 x i32> %b, %ry
  %e = add <16 x i32> %ax, %by
  %is_left = icmp sgt <16 x i32> %a, zeroinitializer
  %is_level = icmp eq <16 x i32> %a, zeroinitializer
  %is_right = icmp sgt <16 x i32> %b, zeroinitializer
  %is_top = and <16 x i1> %is_level, %is_right
  %covers = or <16 x i1> %is_left, %is_top
  %less = sext <16 x i1> %covers to <16 x i32>
  %one = xor <16 x i32> %less, splat (i32 -1)
  %covering = add <16 x i32> %e, %one
  %floor = ashr <16 x i32> %covering, splat (i32 8)
  %nb = add i64 %n, 3
  %nf = add i64 %n, 6
  call void @keep_float(ptr %record, i64 %n, <16 x i32> %a)
  call void @keep_float(ptr %record, i64 %nb, <16 x i32> %b)
  call void @keep_float(ptr %record, i64 %nf, <16 x i32> %floor)
  %has_rest = icmp ne ptr %rest, null
  br i1 %has_rest, label %more, label %end
more:
  %whole = shl <16 x i32> %floor, splat (i32 8)
  %left = sub <16 x i32> %e, %whole
  %number = sitofp <16 x i32> %left to <16 x double>
  store <16 x double> %number, ptr %rest, align 64
  ret void
end:
  ret void
}
define internal <16 x i32> @least(<16 x i32> %a, <16 x i32> %b, <16 x i32> %c) alwaysinline {
  %m = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %a, <16 x i32> %b)
  %r = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %m, <16 x i32> %c)
  ret <16 x i32> %r
}
define internal <16 x i32> @most(<16 x i32> %a, <16 x i32> %b, <16 x i32> %c) alwaysinline {
  %m = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %a, <16 x i32> %b)
  %r = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %m, <16 x i32> %c)
  ret <16 x i32> %r
}
define internal <16 x i32> @first_pixel(<16 x i32> %least) alwaysinline {
  %up = add <16 x i32> %least, splat (i32 127)
  %r = ashr <16 x i32> %up, splat (i32 8)
  ret <16 x i32> %r
}
define internal <16 x i32> @last_pixel(<16 x i32> %most) alwaysinline {
  %down = sub <16 x i32> %most, splat (i32 128)
  %r = ashr <16 x i32> %down, splat (i32 8)
  ret <16 x i32> %r
}

; set sixteen triangles up; which of them have a centre in their bounds, and an area
define internal i16 @set_up(ptr noalias %record, ptr noalias %positions, ptr noalias %indices) alwaysinline {
  %three = load <48 x i32>, ptr %indices, align 4
  %p = shufflevector <48 x i32> %three, <48 x i32> poison, <16 x i32> <i32 0, i32 3, i32 6, i32 9, i32 12, i32 15, i32 18, i32 21, i32 24, i32 27, i32 30, i32 33, i32 36, i32 39, i32 42, i32 45>
  %q = shufflevector <48 x i32> %three, <48 x i32> poison, <16 x i32> <i32 1, i32 4, i32 7, i32 10, i32 13, i32 16, i32 19, i32 22, i32 25, i32 28, i32 31, i32 34, i32 37, i32 40, i32 43, i32 46>
  %r = shufflevector <48 x i32> %three, <48 x i32> poison, <16 x i32> <i32 2, i32 5, i32 8, i32 11, i32 14, i32 17, i32 20, i32 23, i32 26, i32 29, i32 32, i32 35, i32 38, i32 41, i32 44, i32 47>
  %px = call <16 x i32> @snapped(ptr %positions, <16 x i32> %p, i64 0)
  %py = call <16 x i32> @snapped(ptr %positions, <16 x i32> %p, i64 1)
  %qx = call <16 x i32> @snapped(ptr %positions, <16 x i32> %q, i64 0)
  %qy = call <16 x i32> @snapped(ptr %positions, <16 x i32> %q, i64 1)
  %rx = call <16 x i32> @snapped(ptr %positions, <16 x i32> %r, i64 0)
  %ry = call <16 x i32> @snapped(ptr %positions, <16 x i32> %r, i64 1)
  %left = call <16 x i32> @least(<16 x i32> %px, <16 x i32> %qx, <16 x i32> %rx)
  %right = call <16 x i32> @most(<16 x i32> %px, <16 x i32> %qx, <16 x i32> %rx)
  %top = call <16 x i32> @least(<16 x i32> %py, <16 x i32> %qy, <16 x i32> %ry)
  %bottom = call <16 x i32> @most(<16 x i32> %py, <16 x i32> %qy, <16 x i32> %ry)
  %x0 = call <16 x i32> @first_pixel(<16 x i32> %left)
  %y0 = call <16 x i32> @first_pixel(<16 x i32> %top)
  %x1 = call <16 x i32> @last_pixel(<16 x i32> %right)
  %y1 = call <16 x i32> @last_pixel(<16 x i32> %bottom)
  %ux = sub <16 x i32> %qx, %px
  %uy = sub <16 x i32> %qy, %py
  %vx = sub <16 x i32> %rx, %px
  %vy = sub <16 x i32> %ry, %py
  %m1 = mul <16 x i32> %ux, %vy
  %m2 = mul <16 x i32> %vx, %uy
  %area = sub <16 x i32> %m1, %m2
  %has_columns = icmp sle <16 x i32> %x0, %x1
  %has_rows = icmp sle <16 x i32> %y0, %y1
  %has_area = icmp ne <16 x i32> %area, zeroinitializer
  %has_centres = and <16 x i1> %has_columns, %has_rows
  %is_left = and <16 x i1> %has_centres, %has_area
  %mask = bitcast <16 x i1> %is_left to i16
  %is_none = icmp eq i16 %mask, 0
  br i1 %is_none, label %none, label %some
none:
  ret i16 0
some:
  %bx0 = ashr <16 x i32> %x0, splat (i32 2)
  %by0 = ashr <16 x i32> %y0, splat (i32 2)
  %bx1 = ashr <16 x i32> %x1, splat (i32 2)
  %by1 = ashr <16 x i32> %y1, splat (i32 2)
  call void @keep(ptr %record, i64 9, <16 x i32> %bx0)
  call void @keep(ptr %record, i64 10, <16 x i32> %by0)
  call void @keep(ptr %record, i64 11, <16 x i32> %bx1)
  call void @keep(ptr %record, i64 12, <16 x i32> %by1)
  %cx = shl <16 x i32> %bx0, splat (i32 10)
  %cy = shl <16 x i32> %by0, splat (i32 10)
  %x = or <16 x i32> %cx, splat (i32 128)
  %y = or <16 x i32> %cy, splat (i32 128)
  %flips = icmp slt <16 x i32> %area, zeroinitializer
  %rest1 = getelementptr <16 x i32>, ptr %record, i64 13
  %rest2 = getelementptr <16 x i32>, ptr %record, i64 15
  call void @edge(ptr %record, i64 0, ptr null, <16 x i1> %flips, <16 x i32> %qx, <16 x i32> %qy, <16 x i32> %rx, <16 x i32> %ry, <16 x i32> %x, <16 x i32> %y)
  call void @edge(ptr %record, i64 1, ptr %rest1, <16 x i1> %flips, <16 x i32> %rx, <16 x i32> %ry, <16 x i32> %px, <16 x i32> %py, <16 x i32> %x, <16 x i32> %y)
  call void @edge(ptr %record, i64 2, ptr %rest2, <16 x i1> %flips, <16 x i32> %px, <16 x i32> %py, <16 x i32> %qx, <16 x i32> %qy, <16 x i32> %x, <16 x i32> %y)
  %size = call <16 x i32> @llvm.abs.v16i32(<16 x i32> %area, i1 true)
  %real = sitofp <16 x i32> %size to <16 x double>
  %inverse = fdiv <16 x double> splat (double 1.0), %real
  call void @keep_double(ptr %record, i64 17, <16 x double> %inverse)
  %pz = call <16 x float> @gathered(ptr %positions, <16 x i32> %p, i64 2)
  %qz = call <16 x float> @gathered(ptr %positions, <16 x i32> %q, i64 2)
  %rz = call <16 x float> @gathered(ptr %positions, <16 x i32> %r, i64 2)
  %z0 = fpext <16 x float> %pz to <16 x double>
  %z1 = fpext <16 x float> %qz to <16 x double>
  %z2 = fpext <16 x float> %rz to <16 x double>
  %d1 = fsub <16 x double> %z1, %z0
  %d2 = fsub <16 x double> %z2, %z0
  call void @keep_double(ptr %record, i64 19, <16 x double> %z0)
  call void @keep_double(ptr %record, i64 21, <16 x double> %d1)
  call void @keep_double(ptr %record, i64 23, <16 x double> %d2)
  ret i16 %mask
}

; floor(E / 256) of an edge at sixteen pixels
define internal <16 x float> @edge_at(ptr %record, i64 %n, i64 %lane, <16 x float> %column, <16 x float> %row) alwaysinline {
  %nb = add i64 %n, 3
  %nf = add i64 %n, 6
  %a = call <16 x float> @kept(ptr %record, i64 %n, i64 %lane)
  %b = call <16 x float> @kept(ptr %record, i64 %nb, i64 %lane)
  %f = call <16 x float> @kept(ptr %record, i64 %nf, i64 %lane)
  %s = call <16 x float> @llvm.fma.v16f32(<16 x float> %b, <16 x float> %row, <16 x float> %f)
  %r = call <16 x float> @llvm.fma.v16f32(<16 x float> %a, <16 x float> %column, <16 x float> %s)
  ret <16 x float> %r
}
define internal <16 x double> @weight(ptr %record, i64 %n, i64 %lane, <16 x float> %edge) alwaysinline {
  %rest = call <16 x double> @kept_double(ptr %record, i64 %n, i64 %lane)
  %inverse = call <16 x double> @kept_double(ptr %record, i64 17, i64 %lane)
  %floor = fpext <16 x float> %edge to <16 x double>
  %e = call <16 x double> @llvm.fma.v16f64(<16 x double> %floor, <16 x double> splat (double 256.0), <16 x double> %rest)
  %r = fmul <16 x double> %e, %inverse
  ret <16 x double> %r
}
; one triangle over its blocks
define internal void @triangle(ptr noalias %record, i64 %lane, i32 %number, ptr noalias %depth, ptr noalias %numbers) alwaysinline {
entry:
  %bx0 = call i64 @kept_integer(ptr %record, i64 9, i64 %lane)
  %by0 = call i64 @kept_integer(ptr %record, i64 10, i64 %lane)
  %bx1 = call i64 @kept_integer(ptr %record, i64 11, i64 %lane)
  %by1 = call i64 @kept_integer(ptr %record, i64 12, i64 %lane)
  %v = insertelement <16 x i32> poison, i32 %number, i64 0
  %all = shufflevector <16 x i32> %v, <16 x i32> poison, <16 x i32> zeroinitializer
  br label %rows
rows:
  %by = phi i64 [ %by0, %entry ], [ %next_by, %row_end ]
  %row = phi <16 x float> [ <float 0.0, float 0.0, float 0.0, float 0.0, float 1.0, float 1.0, float 1.0, float 1.0, float 2.0, float 2.0, float 2.0, float 2.0, float 3.0, float 3.0, float 3.0, float 3.0>, %entry ], [ %next_row, %row_end ]
  %before = mul i64 %by, 480
  br label %blocks
blocks:
  %bx = phi i64 [ %bx0, %rows ], [ %next_bx, %block_end ]
  %column = phi <16 x float> [ <float 0.0, float 1.0, float 2.0, float 3.0, float 0.0, float 1.0, float 2.0, float 3.0, float 0.0, float 1.0, float 2.0, float 3.0, float 0.0, float 1.0, float 2.0, float 3.0>, %rows ], [ %next_column, %block_end ]
  %e0 = call <16 x float> @edge_at(ptr %record, i64 0, i64 %lane, <16 x float> %column, <16 x float> %row)
  %e1 = call <16 x float> @edge_at(ptr %record, i64 1, i64 %lane, <16 x float> %column, <16 x float> %row)
  %e2 = call <16 x float> @edge_at(ptr %record, i64 2, i64 %lane, <16 x float> %column, <16 x float> %row)
  %s0 = bitcast <16 x float> %e0 to <16 x i32>
  %s1 = bitcast <16 x float> %e1 to <16 x i32>
  %s2 = bitcast <16 x float> %e2 to <16 x i32>
  %s01 = or <16 x i32> %s0, %s1
  %sign = or <16 x i32> %s01, %s2
  %covered = icmp sge <16 x i32> %sign, zeroinitializer
  %bits = bitcast <16 x i1> %covered to i16
  %is_none = icmp eq i16 %bits, 0
  br i1 %is_none, label %block_end, label %test
test:
  %w1 = call <16 x double> @weight(ptr %record, i64 13, i64 %lane, <16 x float> %e1)
  %w2 = call <16 x double> @weight(ptr %record, i64 15, i64 %lane, <16 x float> %e2)
  %z0 = call <16 x double> @kept_double(ptr %record, i64 19, i64 %lane)
  %d1 = call <16 x double> @kept_double(ptr %record, i64 21, i64 %lane)
  %d2 = call <16 x double> @kept_double(ptr %record, i64 23, i64 %lane)
  %p1 = fmul <16 x double> %w1, %d1
  %p2 = fmul <16 x double> %w2, %d2
  %sum = fadd <16 x double> %p1, %p2
  %exact = fadd <16 x double> %z0, %sum
  %z = fptrunc <16 x double> %exact to <16 x float>
  %block = add i64 %before, %bx
  %depth_at = getelementptr <16 x float>, ptr %depth, i64 %block
  %number_at = getelementptr <16 x i32>, ptr %numbers, i64 %block
  %there = load <16 x float>, ptr %depth_at, align 64
  %nearer = fcmp olt <16 x float> %z, %there
  %passes = and <16 x i1> %nearer, %covered
  call void @llvm.masked.store.v16f32.p0(<16 x float> %z, ptr align 64 %depth_at, <16 x i1> %passes)
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %all, ptr align 64 %number_at, <16 x i1> %passes)
  br label %block_end
block_end:
  %next_bx = add i64 %bx, 1
  %next_column = fadd <16 x float> %column, splat (float 4.0)
  %more = icmp sle i64 %next_bx, %bx1
  br i1 %more, label %blocks, label %row_end
row_end:
  %next_by = add i64 %by, 1
  %next_row = fadd <16 x float> %row, splat (float 4.0)
  %more_rows = icmp sle i64 %next_by, %by1
  br i1 %more_rows, label %rows, label %end
end:
  ret void
}

define void @run(ptr noalias %arrays, i64 %first, i64 %last, i64 %thread) {
entry:
  %record = alloca [25 x <16 x i32>], align 64
  %positions = load ptr, ptr %arrays
  %at1 = getelementptr ptr, ptr %arrays, i64 1
  %indices = load ptr, ptr %at1
  %at2 = getelementptr ptr, ptr %arrays, i64 2
  %own_depth = getelementptr ptr, ptr %at2, i64 %thread
  %depth = load ptr, ptr %own_depth
  %at4 = getelementptr ptr, ptr %arrays, i64 4
  %own_numbers = getelementptr ptr, ptr %at4, i64 %thread
  %numbers = load ptr, ptr %own_numbers
  br label %head
head:
  %n = phi i64 [ %first, %entry ], [ %next, %done ]
  %more = icmp ult i64 %n, %last
  br i1 %more, label %body, label %end
body:
  %words = mul i64 %n, 48
  %three = getelementptr i32, ptr %indices, i64 %words
  %mask = call i16 @set_up(ptr %record, ptr %positions, ptr %three)
  %wide = zext i16 %mask to i32
  %number0 = shl i64 %n, 4
  %is_none = icmp eq i32 %wide, 0
  br i1 %is_none, label %done, label %triangles
triangles:
  %left = phi i32 [ %wide, %body ], [ %others, %triangles_next ]
  %lane32 = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %lane = zext i32 %lane32 to i64
  %number = add i64 %number0, %lane
  %number32 = trunc i64 %number to i32
  call void @triangle(ptr %record, i64 %lane, i32 %number32, ptr %depth, ptr %numbers)
  br label %triangles_next
triangles_next:
  %minus = sub i32 %left, 1
  %others = and i32 %left, %minus
  %is_last = icmp eq i32 %others, 0
  br i1 %is_last, label %done, label %triangles
done:
  %next = add i64 %n, 1
  br label %head
end:
  ret void
}

define void @merge(ptr noalias %arrays, i64 %first, i64 %last, i64 %thread) {
entry:
  %at2 = getelementptr ptr, ptr %arrays, i64 2
  %depth0 = load ptr, ptr %at2
  %at3 = getelementptr ptr, ptr %arrays, i64 3
  %depth1 = load ptr, ptr %at3
  %at4 = getelementptr ptr, ptr %arrays, i64 4
  %numbers0 = load ptr, ptr %at4
  %at5 = getelementptr ptr, ptr %arrays, i64 5
  %numbers1 = load ptr, ptr %at5
  br label %head
head:
  %n = phi i64 [ %first, %entry ], [ %next, %body ]
  %more = icmp ult i64 %n, %last
  br i1 %more, label %body, label %end
body:
  %d0_at = getelementptr <16 x float>, ptr %depth0, i64 %n
  %d1_at = getelementptr <16 x float>, ptr %depth1, i64 %n
  %n0_at = getelementptr <16 x i32>, ptr %numbers0, i64 %n
  %n1_at = getelementptr <16 x i32>, ptr %numbers1, i64 %n
  %d0 = load <16 x float>, ptr %d0_at, align 64
  %d1 = load <16 x float>, ptr %d1_at, align 64
  %n1 = load <16 x i32>, ptr %n1_at, align 64
  %nearer = fcmp olt <16 x float> %d1, %d0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %d1, ptr align 64 %d0_at, <16 x i1> %nearer)
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %n1, ptr align 64 %n0_at, <16 x i1> %nearer)
  %next = add i64 %n, 1
  br label %head
end:
  ret void
}

declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare <16 x double> @llvm.fma.v16f64(<16 x double>, <16 x double>, <16 x double>)
declare <16 x float> @llvm.rint.v16f32(<16 x float>)
declare <16 x i32> @llvm.smin.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.smax.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.abs.v16i32(<16 x i32>, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, <16 x i1>, <16 x float>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, <16 x i1>)
declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr, <16 x i1>)
