"""What exporting costs."""
