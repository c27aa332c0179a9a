"""What a finding is, and what a rule is."""
