# What a basket costs with ten percent off from 500.00 on.
cents=$(basket "$@") || exit 1
[ "$cents" -lt 50000 ] || cents=$((cents * 9 / 10))
money "$cents"
