"""What is set on a device, made into draws: parts by key, programs, constants, targets."""
