//! Git as it is really run: workspaces, keep-refs, merging, the user's checkout, and agents that mean ill.

mod basics;
mod rig;
