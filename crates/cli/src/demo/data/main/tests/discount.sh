. tests/expect
expect 48.00 discount cake cake
expect 51.21 discount cake cake coffee
