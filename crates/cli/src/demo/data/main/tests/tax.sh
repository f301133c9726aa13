. tests/expect
expect 0.58 tax coffee
expect 0.19 tax bread
