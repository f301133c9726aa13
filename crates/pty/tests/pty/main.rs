//! The terminal in the middle, through its public interface.

mod bare;
mod deaths;
mod encode;
mod jobs;
mod kit;
mod transparency;
mod typing;
