//! cke-opt
fn main() {}
