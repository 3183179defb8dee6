//! cke-lsp-server
fn main() {}
