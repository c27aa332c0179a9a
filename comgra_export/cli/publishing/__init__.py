"""`comgra-export gallery` and `comgra-export publish`: bundles on a site."""
