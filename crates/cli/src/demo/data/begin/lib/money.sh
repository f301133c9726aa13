# Cents as people write them: 1250 is 12.50.
money() {
    printf '%d.%02d\n' "$(($1 / 100))" "$(($1 % 100))"
}

# What an article costs, in cents.
price() {
    while IFS=, read -r article cents; do
        if [ "$article" = "$1" ]; then
            echo "$cents"
            return
        fi
    done <stock.csv
    echo "till: we do not sell '$1'" >&2
    return 1
}
