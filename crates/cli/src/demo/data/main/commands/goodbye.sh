# The shop's own last words.
cat goodbye.txt
