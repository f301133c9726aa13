# What a basket costs.
cents=$(basket "$@") || exit 1
money "$cents"
