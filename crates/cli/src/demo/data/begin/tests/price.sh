. tests/expect
expect 2.90 price bread
expect 24.00 price cake
expect "till: we do not sell 'ham'" price ham
