//! Programs, prepared weights, sessions and tokenizers, on synthetic models and, when one is there, on a real one.

mod oracle;
mod prepare;
mod program;
mod real_model;
mod session;
mod support;
mod tokenizer;
