//! cke
fn main() {}
