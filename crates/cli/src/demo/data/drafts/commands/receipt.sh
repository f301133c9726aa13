# What was bought, a line each, and the total.
for one in "$@"; do
    printf '%-8s %6s\n' "$one" "$(money "$(price "$one")")"
done
printf '%-8s %6s\n' total "$(money "$(basket "$@")")"
