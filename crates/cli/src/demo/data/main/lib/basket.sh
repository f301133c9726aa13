# What a basket costs, in cents.
basket() {
    sum=0
    for one in "$@"; do
        cost=$(price "$one") || return 1
        sum=$((sum + cost))
    done
    echo "$sum"
}
