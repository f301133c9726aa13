# The 7 % of tax that are in a basket's price.
cents=$(basket "$@") || exit 1
money "$((cents * 7 / 107))"
