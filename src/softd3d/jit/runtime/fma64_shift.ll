; A shift to the right that ors what is shifted out into the lowest bit.
  %${result}_long = icmp ugt i64 ${count}, 127
  %${result}_n = select i1 %${result}_long, i64 127, i64 ${count}
  %${result}_by = zext i64 %${result}_n to i128
  %${result}_cut = lshr i128 ${value}, %${result}_by
  %${result}_back = shl i128 %${result}_cut, %${result}_by
  %${result}_is_cut = icmp ne i128 %${result}_back, ${value}
  %${result}_rest = zext i1 %${result}_is_cut to i128
  %${result} = or i128 %${result}_cut, %${result}_rest
