# What a basket costs with ten percent off from 50.00 on.
cents=$(basket "$@") || exit 1
[ "$cents" -lt 5000 ] || cents=$((cents * 9 / 10))
money "$cents"
