; The vertex stage of `mesh` and `small`: position times a matrix, all else copied; 12 words.
; arrays: 0 vertices, float (n, 8): position 3, normal 3, texture coordinates 2; 1 matrix, 16 floats,
; by columns; 2 results, float (threads, RING, 12, 16): sixteen vertices word by word, in the order
; that transposing leaves: lane 4q + k is vertex 4k + q. Each thread has a ring of blocks, which stays
; in the cache, as it does in an engine that takes vertices chunk by chunk.
; An item is a block of 16 vertices.

define internal <16 x float> @low(<16 x float> %a, <16 x float> %b) alwaysinline {
  %r = shufflevector <16 x float> %a, <16 x float> %b, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  ret <16 x float> %r
}
define internal <16 x float> @high(<16 x float> %a, <16 x float> %b) alwaysinline {
  %r = shufflevector <16 x float> %a, <16 x float> %b, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  ret <16 x float> %r
}
define internal <16 x float> @low_pairs(<16 x float> %a, <16 x float> %b) alwaysinline {
  %r = shufflevector <16 x float> %a, <16 x float> %b, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  ret <16 x float> %r
}
define internal <16 x float> @high_pairs(<16 x float> %a, <16 x float> %b) alwaysinline {
  %r = shufflevector <16 x float> %a, <16 x float> %b, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  ret <16 x float> %r
}
; of two vectors of quarters 0 1 2 3: 0 2 of each, or 1 3 of each
define internal <16 x float> @even_quarters(<16 x float> %a, <16 x float> %b) alwaysinline {
  %r = shufflevector <16 x float> %a, <16 x float> %b, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  ret <16 x float> %r
}
define internal <16 x float> @odd_quarters(<16 x float> %a, <16 x float> %b) alwaysinline {
  %r = shufflevector <16 x float> %a, <16 x float> %b, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  ret <16 x float> %r
}
define internal <16 x float> @load(ptr %block, i64 %vector) alwaysinline {
  %at = getelementptr <16 x float>, ptr %block, i64 %vector
  %r = load <16 x float>, ptr %at, align 4
  ret <16 x float> %r
}
define internal void @store(ptr %block, i64 %word, <16 x float> %v) alwaysinline {
  %at = getelementptr <16 x float>, ptr %block, i64 %word
  store <16 x float> %v, ptr %at, align 64
  ret void
}
define internal <16 x float> @splat(ptr %matrix, i64 %n) alwaysinline {
  %at = getelementptr float, ptr %matrix, i64 %n
  %x = load float, ptr %at, align 4
  %v = insertelement <16 x float> poison, float %x, i64 0
  %r = shufflevector <16 x float> %v, <16 x float> poison, <16 x i32> zeroinitializer
  ret <16 x float> %r
}
; a component of the position: x * m0 + y * m1 + z * m2 + m3, fused
define internal <16 x float> @row(ptr %m, i64 %n, <16 x float> %x, <16 x float> %y, <16 x float> %z) alwaysinline {
  %n1 = add i64 %n, 4
  %n2 = add i64 %n, 8
  %n3 = add i64 %n, 12
  %m0 = call <16 x float> @splat(ptr %m, i64 %n)
  %m1 = call <16 x float> @splat(ptr %m, i64 %n1)
  %m2 = call <16 x float> @splat(ptr %m, i64 %n2)
  %m3 = call <16 x float> @splat(ptr %m, i64 %n3)
  %a = call <16 x float> @llvm.fma.v16f32(<16 x float> %z, <16 x float> %m2, <16 x float> %m3)
  %b = call <16 x float> @llvm.fma.v16f32(<16 x float> %y, <16 x float> %m1, <16 x float> %a)
  %c = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> %m0, <16 x float> %b)
  ret <16 x float> %c
}

define void @run(ptr noalias %arrays, i64 %first, i64 %last, i64 %thread) {
entry:
  %vertices = load ptr, ptr %arrays
  %at1 = getelementptr ptr, ptr %arrays, i64 1
  %given = load ptr, ptr %at1
  %at2 = getelementptr ptr, ptr %arrays, i64 2
  %results = load ptr, ptr %at2
  %ring_words = mul i64 %thread, 49152 ; of 256 blocks
  %ring = getelementptr float, ptr %results, i64 %ring_words
  %m = alloca [16 x float], align 64
  call void @llvm.memcpy.p0.p0.i64(ptr %m, ptr %given, i64 64, i1 false)
  br label %head
head:
  %n = phi i64 [ %first, %entry ], [ %next, %body ]
  %more = icmp ult i64 %n, %last
  br i1 %more, label %body, label %end
body:
  %words = mul i64 %n, 128
  %block = getelementptr float, ptr %vertices, i64 %words
  ; vector k has vertices 2k and 2k + 1, of 8 words each, as quarters 0 1 2 3
  %v0 = call <16 x float> @load(ptr %block, i64 0)
  %v1 = call <16 x float> @load(ptr %block, i64 1)
  %v2 = call <16 x float> @load(ptr %block, i64 2)
  %v3 = call <16 x float> @load(ptr %block, i64 3)
  %v4 = call <16 x float> @load(ptr %block, i64 4)
  %v5 = call <16 x float> @load(ptr %block, i64 5)
  %v6 = call <16 x float> @load(ptr %block, i64 6)
  %v7 = call <16 x float> @load(ptr %block, i64 7)
  ; quarters of four vertices each: words 0 to 3, and words 4 to 7
  %l0 = call <16 x float> @even_quarters(<16 x float> %v0, <16 x float> %v1)
  %l1 = call <16 x float> @even_quarters(<16 x float> %v2, <16 x float> %v3)
  %l2 = call <16 x float> @even_quarters(<16 x float> %v4, <16 x float> %v5)
  %l3 = call <16 x float> @even_quarters(<16 x float> %v6, <16 x float> %v7)
  %h0 = call <16 x float> @odd_quarters(<16 x float> %v0, <16 x float> %v1)
  %h1 = call <16 x float> @odd_quarters(<16 x float> %v2, <16 x float> %v3)
  %h2 = call <16 x float> @odd_quarters(<16 x float> %v4, <16 x float> %v5)
  %h3 = call <16 x float> @odd_quarters(<16 x float> %v6, <16 x float> %v7)
  ; 4 x 4 words within each quarter are transposed: lane 4q + k is vertex q of l0 to l3's number k
  %la = call <16 x float> @low(<16 x float> %l0, <16 x float> %l1)
  %lb = call <16 x float> @low(<16 x float> %l2, <16 x float> %l3)
  %lc = call <16 x float> @high(<16 x float> %l0, <16 x float> %l1)
  %ld = call <16 x float> @high(<16 x float> %l2, <16 x float> %l3)
  %x = call <16 x float> @low_pairs(<16 x float> %la, <16 x float> %lb)
  %y = call <16 x float> @high_pairs(<16 x float> %la, <16 x float> %lb)
  %z = call <16 x float> @low_pairs(<16 x float> %lc, <16 x float> %ld)
  %nx = call <16 x float> @high_pairs(<16 x float> %lc, <16 x float> %ld)
  %ha = call <16 x float> @low(<16 x float> %h0, <16 x float> %h1)
  %hb = call <16 x float> @low(<16 x float> %h2, <16 x float> %h3)
  %hc = call <16 x float> @high(<16 x float> %h0, <16 x float> %h1)
  %hd = call <16 x float> @high(<16 x float> %h2, <16 x float> %h3)
  %ny = call <16 x float> @low_pairs(<16 x float> %ha, <16 x float> %hb)
  %nz = call <16 x float> @high_pairs(<16 x float> %ha, <16 x float> %hb)
  %u = call <16 x float> @low_pairs(<16 x float> %hc, <16 x float> %hd)
  %v = call <16 x float> @high_pairs(<16 x float> %hc, <16 x float> %hd)
  %px = call <16 x float> @row(ptr %m, i64 0, <16 x float> %x, <16 x float> %y, <16 x float> %z)
  %py = call <16 x float> @row(ptr %m, i64 1, <16 x float> %x, <16 x float> %y, <16 x float> %z)
  %pz = call <16 x float> @row(ptr %m, i64 2, <16 x float> %x, <16 x float> %y, <16 x float> %z)
  %pw = call <16 x float> @row(ptr %m, i64 3, <16 x float> %x, <16 x float> %y, <16 x float> %z)
  %place = and i64 %n, 255
  %place_words = mul i64 %place, 192
  %result = getelementptr float, ptr %ring, i64 %place_words
  call void @store(ptr %result, i64 0, <16 x float> %px)
  call void @store(ptr %result, i64 1, <16 x float> %py)
  call void @store(ptr %result, i64 2, <16 x float> %pz)
  call void @store(ptr %result, i64 3, <16 x float> %pw)
  call void @store(ptr %result, i64 4, <16 x float> %nx)
  call void @store(ptr %result, i64 5, <16 x float> %ny)
  call void @store(ptr %result, i64 6, <16 x float> %nz)
  call void @store(ptr %result, i64 7, <16 x float> %u)
  call void @store(ptr %result, i64 8, <16 x float> %v)
  call void @store(ptr %result, i64 9, <16 x float> %x)
  call void @store(ptr %result, i64 10, <16 x float> %y)
  call void @store(ptr %result, i64 11, <16 x float> %z)
  %next = add i64 %n, 1
  br label %head
end:
  ret void
}

declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
