"""A recorded run as columns: how every statistic of every tensor went over the steps, read once."""
