# What an article costs.
cents=$(price "$1") || exit 1
money "$cents"
