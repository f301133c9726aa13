. tests/expect
expect "bread      2.90
milk       1.30
total      4.20" receipt bread milk
