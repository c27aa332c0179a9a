"""What a recording holds, as plain data. `docs/recording-format.md` is the specification; these classes mirror it."""
