; The fused multiply-add of float64 as integer arithmetic, for processors without the instruction.
; Product and addend share one scale: the product has bits 122 to 124 as its highest, the addend
; nothing above bit 125, so that their sum has room. The addend is moved to the product's scale; one
; too large for that stays at the top, and the product moves down. What is shifted out is kept in
; the lowest bit, far below where the result is rounded.
define internal double @softd3d_fma64(double %a, double %b, double %c) #3 {
  %a_bits = bitcast double %a to i64
  %b_bits = bitcast double %b to i64
  %c_bits = bitcast double %c to i64
  %product = fmul double %a, %b
  %a_off = call i1 @llvm.is.fpclass.f64(double %a, i32 615)
  %b_off = call i1 @llvm.is.fpclass.f64(double %b, i32 615)
  %off = or i1 %a_off, %b_off
  br i1 %off, label %plain, label %factors
plain:
  %sum = fadd double %product, %c
  ret double %sum
factors:
  %c_special = call i1 @llvm.is.fpclass.f64(double %c, i32 519)
  br i1 %c_special, label %addend, label %finite
addend:
  ret double %c
finite:
  %c_zero = call i1 @llvm.is.fpclass.f64(double %c, i32 96)
  br i1 %c_zero, label %alone, label %exact
alone:
  ret double %product
exact:
${a}
${b}
${c}
  %product_exact = mul i128 %a_wide, %b_wide
  %p = shl i128 %product_exact, 18
  %p_e0 = add i64 %a_e, %b_e
  %p_e = sub i64 %p_e0, 18
  %d = sub i64 %c_e, %p_e
  %up = call i64 @llvm.smin.i64(i64 %d, i64 72)
  %up0 = call i64 @llvm.smax.i64(i64 %up, i64 0)
  %up_by = zext i64 %up0 to i128
  %c_up = shl i128 %c_wide, %up_by
  %minus_d = sub i64 0, %d
  %c_down = call i64 @llvm.smax.i64(i64 %minus_d, i64 0)
${y}
  %over = sub i64 %d, 72
  %p_down = call i64 @llvm.smax.i64(i64 %over, i64 0)
${x}
  %e = add i64 %p_e, %p_down
  %ab_sign = xor i64 %a_bits, %b_bits
  %signs = xor i64 %ab_sign, %c_bits
  %opposite = icmp slt i64 %signs, 0
  %x_below = icmp ult i128 %x, %y
  %together = add i128 %x, %y
  %x_less_y = sub i128 %x, %y
  %y_less_x = sub i128 %y, %x
  %apart = select i1 %x_below, i128 %y_less_x, i128 %x_less_y
  %s = select i1 %opposite, i128 %apart, i128 %together
  %is_zero = icmp eq i128 %s, 0
  br i1 %is_zero, label %none, label %some
none:
  ret double 0.0
some:
  %lead = call i128 @llvm.ctlz.i128(i128 %s, i1 false)
  %lead64 = trunc i128 %lead to i64
  %k = sub i64 75, %lead64
  %wanted = add i64 %e, %k
  %lowest = call i64 @llvm.smax.i64(i64 %wanted, i64 -1074)
  %r = sub i64 %lowest, %e
  %left = sub i64 0, %r
  %left0 = call i64 @llvm.smax.i64(i64 %left, i64 0)
  %left_by = zext i64 %left0 to i128
  %grown = shl i128 %s, %left_by
  %r0 = call i64 @llvm.smax.i64(i64 %r, i64 0)
  %r127 = call i64 @llvm.smin.i64(i64 %r0, i64 127)
  %r_by = zext i64 %r127 to i128
  %cut = lshr i128 %grown, %r_by
  %back = shl i128 %cut, %r_by
  %rest = sub i128 %grown, %back
  %unit = shl i128 1, %r_by
  %half = lshr i128 %unit, 1
  %beyond = icmp ugt i128 %rest, %half
  %at_half = icmp eq i128 %rest, %half
  %rounded = icmp ne i64 %r127, 0
  %tie = and i1 %at_half, %rounded
  %m = trunc i128 %cut to i64
  %odd = trunc i64 %m to i1
  %tie_up = and i1 %tie, %odd
  %go_up = or i1 %beyond, %tie_up
  %one = zext i1 %go_up to i64
  %m_up = add i64 %m, %one
  %field = add i64 %lowest, 1074
  %field_at = shl i64 %field, 52
  %size = add i64 %field_at, %m_up
  %capped = call i64 @llvm.umin.i64(i64 %size, i64 9218868437227405312)
  %use_c = and i1 %opposite, %x_below
  %sign_from = select i1 %use_c, i64 %c_bits, i64 %ab_sign
  %sign = and i64 %sign_from, -9223372036854775808
  %bits = or i64 %capped, %sign
  %result = bitcast i64 %bits to double
  ret double %result
}
declare i1 @llvm.is.fpclass.f64(double, i32)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i128 @llvm.ctlz.i128(i128, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
