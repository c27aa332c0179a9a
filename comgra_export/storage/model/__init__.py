"""What a recording holds, as plain classes that mirror `docs/recording-format.md`."""
