# The 7 % of tax that are in a basket's price, to the nearest cent.
cents=$(basket "$@") || exit 1
money "$(((cents * 14 + 107) / 214))"
