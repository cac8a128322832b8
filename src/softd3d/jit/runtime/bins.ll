; The tiles that pieces touch, each with its pieces in order: counted, then put in their places. So
; many pieces from `start` on as `list` has room for, but one at least. Counts are 0 before and
; behind. Results: the piece to go on with; tiles; entries of the list; waves of a tile's pieces.
define void @softd3d_run(ptr noalias %box) #0 {
entry:
  %i = alloca i64
  %entries = alloca i64
  %waves = alloca i64
  %x = alloca i64
  %y = alloca i64
  %first_row = alloca i64
  %last_row = alloca i64
  %made = alloca i64
  %sum = alloca i32
${loads}  %results = getelementptr i64, ptr %box, i64 ${results}
  store i64 %start, ptr %i
  store i64 0, ptr %entries
  store i64 0, ptr %waves
  store i64 %down, ptr %first_row
  store i64 0, ptr %last_row
  store i64 0, ptr %made
  store i32 0, ptr %sum
  %last_across = sub i64 %across, 1
  %last_down = sub i64 %down, 1
  br label %next_count

; Count the pieces of each tile.
next_count:
  %ci = load i64, ptr %i
  %is_count = icmp ult i64 %ci, %end
  br i1 %is_count, label %count, label %counted
count:
  %row_at = getelementptr i32, ptr %rows, i64 %ci
  %row32 = load i32, ptr %row_at, align 4
  %row = zext i32 %row32 to i64
  %left_at = getelementptr i32, ptr %left, i64 %row
  %left32 = load i32, ptr %left_at, align 4
  %own_left = zext i32 %left32 to i64
  %top_at = getelementptr i32, ptr %top, i64 %row
  %top32 = load i32, ptr %top_at, align 4
  %own_top = zext i32 %top32 to i64
  %right_at = getelementptr i32, ptr %right, i64 %row
  %right32 = load i32, ptr %right_at, align 4
  %own_right = zext i32 %right32 to i64
  %bottom_at = getelementptr i32, ptr %bottom, i64 %row
  %bottom32 = load i32, ptr %bottom_at, align 4
  %own_bottom = zext i32 %bottom32 to i64
  %right_in = sub i64 %own_right, 1
  %bottom_in = sub i64 %own_bottom, 1
  %x0_any = call i64 @tile_of(i64 %own_left, i64 %width)
  %x1_any = call i64 @tile_of(i64 %right_in, i64 %width)
  %y0_any = call i64 @tile_of(i64 %own_top, i64 %height)
  %y1_any = call i64 @tile_of(i64 %bottom_in, i64 %height)
  %x1 = call i64 @llvm.umin.i64(i64 %x1_any, i64 %last_across)
  %y1 = call i64 @llvm.umin.i64(i64 %y1_any, i64 %last_down)
  %x0 = call i64 @llvm.umin.i64(i64 %x0_any, i64 %x1)
  %y0 = call i64 @llvm.umin.i64(i64 %y0_any, i64 %y1)
  %wide_less = sub i64 %x1, %x0
  %wide = add i64 %wide_less, 1
  %high_less = sub i64 %y1, %y0
  %high = add i64 %high_less, 1
  %touched = mul i64 %wide, %high
  %entries_old = load i64, ptr %entries
  %entries_new = add i64 %entries_old, %touched
  %fits = icmp ule i64 %entries_new, %most
  %is_first = icmp eq i64 %ci, %start
  %goes = or i1 %fits, %is_first
  br i1 %goes, label %span, label %counted
span:
  store i64 %entries_new, ptr %entries
  %x1_high = shl i64 %x1, 16
  %y0_high = shl i64 %y0, 32
  %y1_high = shl i64 %y1, 48
  %xs = or i64 %x0, %x1_high
  %ys = or i64 %y0_high, %y1_high
  %both = or i64 %xs, %ys
  %own_place = sub i64 %ci, %start
  %span_at = getelementptr i64, ptr %spans, i64 %own_place
  store i64 %both, ptr %span_at, align 8
  %first_old = load i64, ptr %first_row
  %first_new = call i64 @llvm.umin.i64(i64 %first_old, i64 %y0)
  store i64 %first_new, ptr %first_row
  %last_old = load i64, ptr %last_row
  %last_new = call i64 @llvm.umax.i64(i64 %last_old, i64 %y1)
  store i64 %last_new, ptr %last_row
  %box_width = sub i64 %own_right, %own_left
  %box_height = sub i64 %own_bottom, %own_top
  %part_width = call i64 @llvm.umin.i64(i64 %box_width, i64 %width)
  %part_height = call i64 @llvm.umin.i64(i64 %box_height, i64 %height)
  %waves_across = lshr i64 %part_width, %wave_shift
  %waves_wide = add i64 %waves_across, 2
  %rows_of_quads = lshr i64 %part_height, 1
  %waves_high = add i64 %rows_of_quads, 2
  %waves_here = mul i64 %waves_wide, %waves_high
  %waves_of_piece = mul i64 %waves_here, %touched
  %waves_old = load i64, ptr %waves
  %waves_new = add i64 %waves_old, %waves_of_piece
  store i64 %waves_new, ptr %waves
  store i64 %y0, ptr %y
  br label %next_count_row
next_count_row:
  %cy = load i64, ptr %y
  %is_count_row = icmp ule i64 %cy, %y1
  br i1 %is_count_row, label %count_row, label %piece_counted
count_row:
  %count_row_start = mul i64 %cy, %across
  %count_row_at = getelementptr i32, ptr %counts, i64 %count_row_start
  store i64 %x0, ptr %x
  br label %count_tile
count_tile:
  %cx = load i64, ptr %x
  %count_at = getelementptr i32, ptr %count_row_at, i64 %cx
  %count_old = load i32, ptr %count_at, align 4
  %count_new = add i32 %count_old, 1
  store i32 %count_new, ptr %count_at, align 4
  %cx1 = add i64 %cx, 1
  store i64 %cx1, ptr %x
  %is_count_tile = icmp ule i64 %cx1, %x1
  br i1 %is_count_tile, label %count_tile, label %count_row_done
count_row_done:
  %cy1 = add i64 %cy, 1
  store i64 %cy1, ptr %y
  br label %next_count_row
piece_counted:
  %ci1 = add i64 %ci, 1
  store i64 %ci1, ptr %i
  br label %next_count

; A row for each tile that has pieces; counts become the places of its next piece.
counted:
  %stop = load i64, ptr %i
  %row0 = load i64, ptr %first_row
  %row_last = load i64, ptr %last_row
  store i64 %row0, ptr %y
  br label %next_tile_row
next_tile_row:
  %ty = load i64, ptr %y
  %is_tile_row = icmp ule i64 %ty, %row_last
  br i1 %is_tile_row, label %tile_row, label %placing
tile_row:
  %tile_row_start = mul i64 %ty, %across
  %tile_row_at = getelementptr i32, ptr %counts, i64 %tile_row_start
  %tile_top = mul i64 %ty, %height
  %tile_bottom = add i64 %tile_top, %height
  store i64 0, ptr %x
  br label %next_tile
next_tile:
  %tx = load i64, ptr %x
  %is_tile = icmp ult i64 %tx, %across
  br i1 %is_tile, label %tile, label %tile_row_done
tile:
  %tx1 = add i64 %tx, 1
  store i64 %tx1, ptr %x
  %tile_count_at = getelementptr i32, ptr %tile_row_at, i64 %tx
  %tile_count = load i32, ptr %tile_count_at, align 4
  %is_empty = icmp eq i32 %tile_count, 0
  br i1 %is_empty, label %next_tile, label %make_tile
make_tile:
  %from = load i32, ptr %sum
  %to = add i32 %from, %tile_count
  store i32 %to, ptr %sum
  store i32 %from, ptr %tile_count_at, align 4
  %number = load i64, ptr %made
  %number1 = add i64 %number, 1
  store i64 %number1, ptr %made
  %tile_place = mul i64 %number, ${tile_words}
  %tile_at = getelementptr i32, ptr %tiles, i64 %tile_place
  %tile_left = mul i64 %tx, %width
  %tile_right = add i64 %tile_left, %width
  %left_word = trunc i64 %tile_left to i32
  %top_word = trunc i64 %tile_top to i32
  %right_word = trunc i64 %tile_right to i32
  %bottom_word = trunc i64 %tile_bottom to i32
  %left_to = getelementptr i32, ptr %tile_at, i64 ${tile_left}
  store i32 %left_word, ptr %left_to, align 4
  %top_to = getelementptr i32, ptr %tile_at, i64 ${tile_top}
  store i32 %top_word, ptr %top_to, align 4
  %right_to = getelementptr i32, ptr %tile_at, i64 ${tile_right}
  store i32 %right_word, ptr %right_to, align 4
  %bottom_to = getelementptr i32, ptr %tile_at, i64 ${tile_bottom}
  store i32 %bottom_word, ptr %bottom_to, align 4
  %start_to = getelementptr i32, ptr %tile_at, i64 ${tile_start}
  store i32 %from, ptr %start_to, align 4
  %end_to = getelementptr i32, ptr %tile_at, i64 ${tile_end}
  store i32 %to, ptr %end_to, align 4
  br label %next_tile
tile_row_done:
  %ty1 = add i64 %ty, 1
  store i64 %ty1, ptr %y
  br label %next_tile_row

; Put the pieces in their places.
placing:
  store i64 %start, ptr %i
  br label %next_place
next_place:
  %pi = load i64, ptr %i
  %is_place = icmp ult i64 %pi, %stop
  br i1 %is_place, label %place, label %clearing
place:
  %piece_at = getelementptr i32, ptr %rows, i64 %pi
  %piece = load i32, ptr %piece_at, align 4
  %piece_place = sub i64 %pi, %start
  %known_at = getelementptr i64, ptr %spans, i64 %piece_place
  %known = load i64, ptr %known_at, align 8
  %px0 = and i64 %known, 65535
  %px1_high = lshr i64 %known, 16
  %px1 = and i64 %px1_high, 65535
  %py0_high = lshr i64 %known, 32
  %py0 = and i64 %py0_high, 65535
  %py1 = lshr i64 %known, 48
  store i64 %py0, ptr %y
  br label %next_place_row
next_place_row:
  %py = load i64, ptr %y
  %is_place_row = icmp ule i64 %py, %py1
  br i1 %is_place_row, label %place_row, label %piece_placed
place_row:
  %place_row_start = mul i64 %py, %across
  %place_row_at = getelementptr i32, ptr %counts, i64 %place_row_start
  store i64 %px0, ptr %x
  br label %place_tile
place_tile:
  %px = load i64, ptr %x
  %next_at = getelementptr i32, ptr %place_row_at, i64 %px
  %next_old = load i32, ptr %next_at, align 4
  %next_new = add i32 %next_old, 1
  store i32 %next_new, ptr %next_at, align 4
  %next_wide = zext i32 %next_old to i64
  %entry_at = getelementptr i32, ptr %list, i64 %next_wide
  store i32 %piece, ptr %entry_at, align 4
  %pxn = add i64 %px, 1
  store i64 %pxn, ptr %x
  %is_place_tile = icmp ule i64 %pxn, %px1
  br i1 %is_place_tile, label %place_tile, label %place_row_done
place_row_done:
  %pyn = add i64 %py, 1
  store i64 %pyn, ptr %y
  br label %next_place_row
piece_placed:
  %pin = add i64 %pi, 1
  store i64 %pin, ptr %i
  br label %next_place

clearing:
  %clear_end_row = add i64 %row_last, 1
  %clear_from = mul i64 %row0, %across
  %clear_to = mul i64 %clear_end_row, %across
  store i64 %clear_from, ptr %i
  br label %next_clear
next_clear:
  %ki = load i64, ptr %i
  %is_clear = icmp ult i64 %ki, %clear_to
  br i1 %is_clear, label %clear, label %done
clear:
  %clear_at = getelementptr i32, ptr %counts, i64 %ki
  store i32 0, ptr %clear_at, align 4
  %ki1 = add i64 %ki, 1
  store i64 %ki1, ptr %i
  br label %next_clear

done:
  store i64 %stop, ptr %results, align 8
  %tiles_made = load i64, ptr %made
  %tiles_to = getelementptr i64, ptr %results, i64 1
  store i64 %tiles_made, ptr %tiles_to, align 8
  %entries_made = load i64, ptr %entries
  %entries_to = getelementptr i64, ptr %results, i64 2
  store i64 %entries_made, ptr %entries_to, align 8
  %waves_made = load i64, ptr %waves
  %waves_to = getelementptr i64, ptr %results, i64 3
  store i64 %waves_made, ptr %waves_to, align 8
  ret void
}
define internal i64 @tile_of(i64 %place, i64 %size) #1 {
entry:
  %less = sub i64 %size, 1
  %shared = and i64 %size, %less
  %is_power = icmp eq i64 %shared, 0
  br i1 %is_power, label %shift, label %divide
shift:
  %bits = call i64 @llvm.cttz.i64(i64 %size, i1 false)
  %shifted = lshr i64 %place, %bits
  ret i64 %shifted
divide:
  %quotient = udiv i64 %place, %size
  ret i64 %quotient
}
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.cttz.i64(i64, i1)
