//! cke-tblgen
fn main() {}
