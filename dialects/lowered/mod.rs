//! The lowered dialect: resolved operations on buffers of one state block.

#[allow(missing_docs)]
pub mod ops {
    //! Generated from `Lowered.td`.
    include!(concat!(env!("OUT_DIR"), "/lowered.rs"));
}
mod verify;
