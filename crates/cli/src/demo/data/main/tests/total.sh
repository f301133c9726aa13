. tests/expect
expect 2.90 total bread
expect 4.20 total bread milk
expect 0.00 total
expect "till: we do not sell 'ham'" total bread ham
