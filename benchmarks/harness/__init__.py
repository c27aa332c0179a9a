"""Timing, tables, workloads and processes: what the benchmarks share."""
