; A wave that waits for no other.
define internal void @softd3d_wave(${arguments}) #4 {
entry:
${body}
${end}bail:
  ret void
}
