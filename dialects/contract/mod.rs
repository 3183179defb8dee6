//! The contract dialect, and what every level shares: contract attributes, their JSON form, and the check of a decision.

pub mod attributes;
pub mod decision;
pub mod json;
#[allow(missing_docs)]
pub mod ops {
    //! Generated from `Contract.td`.
    include!(concat!(env!("OUT_DIR"), "/contract.rs"));
}
mod verify;
