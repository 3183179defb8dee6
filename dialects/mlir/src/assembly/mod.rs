//! Custom assembly, interpreted.
