  %lane = mul i64 %g, ${wave}
${past}  %lane32 = trunc i64 %lane to i32
  %count32 = trunc i64 %count to i32
  call void @softd3d_wave(
    ptr %context, ptr %state, ptr %views, ptr %constants, ptr %shared, ptr %site,
    i32 %lane32, i32 %count32, ptr %inputs, ptr %outputs
  )
