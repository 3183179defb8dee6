//! The GGUF reader against valid, hostile and cut files.

mod corpus;
mod hostile;
mod raw;
mod reading;
mod refusal;
mod valid;
