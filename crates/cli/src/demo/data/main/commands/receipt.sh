# What was bought, a line each, and the total. Nothing is printed of a basket that has something we do not sell.
cents=$(basket "$@") || exit 1
for one in "$@"; do
    printf '%-8s %6s\n' "$one" "$(money "$(price "$one")")"
done
printf '%-8s %6s\n' total "$(money "$cents")"
