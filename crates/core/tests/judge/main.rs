//! The judge against what people really type, what agents try, and every branch of every rule.

mod corpus;
mod own;
mod random;
mod table;
mod world;
