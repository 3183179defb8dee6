//! Any bytes are a valid model file or are refused; whatever a valid one lists can be read and lies inside.
#![no_main]

use cke_runtime::gguf::Gguf;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = Gguf::from_bytes("fuzz", bytes.to_vec()) else { return };
    let mut total = 0;
    for tensor in model.tensors() {
        let data = model.read_tensor(tensor).expect("a listed tensor can be read");
        assert_eq!(data.len() as u64, tensor.bytes);
        assert_eq!(model.tensor(&tensor.name), Some(tensor));
        total += data.len();
    }
    assert!(total <= bytes.len(), "tensors are disjoint");
    for (key, _) in model.metadata().iter() {
        let _ = model.metadata().find::<u32>(key);
    }
});
