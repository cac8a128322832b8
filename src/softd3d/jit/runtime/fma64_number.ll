; A float64 taken apart: 53 bits with the highest set, and the exponent of the lowest.
; Zero, infinity and NaN never get here.
  %${x}_size = and i64 %${x}_bits, 9223372036854775807
  %${x}_biased = lshr i64 %${x}_size, 52
  %${x}_is_denormal = icmp eq i64 %${x}_biased, 0
  %${x}_fraction = and i64 %${x}_size, 4503599627370495
  %${x}_normal = or i64 %${x}_fraction, 4503599627370496
  %${x}_zeros = call i64 @llvm.ctlz.i64(i64 %${x}_fraction, i1 false)
  %${x}_shift = sub i64 %${x}_zeros, 11
  %${x}_shifted = shl i64 %${x}_fraction, %${x}_shift
  %${x}_low = sub i64 -1074, %${x}_shift
  %${x}_high = sub i64 %${x}_biased, 1075
  %${x}_m = select i1 %${x}_is_denormal, i64 %${x}_shifted, i64 %${x}_normal
  %${x}_e = select i1 %${x}_is_denormal, i64 %${x}_low, i64 %${x}_high
  %${x}_wide = zext i64 %${x}_m to i128
