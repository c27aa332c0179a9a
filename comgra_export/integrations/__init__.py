"""At home in the trainers of others: a module for each, imported only by those who use it, and written with what `comgra_export` offers."""
