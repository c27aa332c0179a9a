"""Values that are not finite, dead, saturated or collapsed."""
