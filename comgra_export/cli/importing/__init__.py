"""`comgra-export import`: recordings of what other tools have written."""
