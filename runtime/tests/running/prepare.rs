//! Prepared weights are the decoded values in their layout, whatever the number of threads, and misfits are refused.

use crate::support::{add_rope_table, add_weight, program, real_model};
use cke_contracts::layout::Layout;
use cke_oracle::dequant::Storage;
use cke_oracle::rope_table::rope_table;
use cke_runtime::fault::Code;
use cke_runtime::gguf::{Gguf, write::Builder};
use cke_runtime::prepare::{Progress, prepare};
use cke_runtime::program::Program;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Bytes without a pattern, as scales they are numbers of all kinds.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 11) as u8
    };
    (0..count).map(|_| next()).collect()
}

const STORAGES: [(&str, Storage); 4] =
    [("f32", Storage::F32), ("f16", Storage::F16), ("q8_0", Storage::Q8_0), ("q4_1", Storage::Q4_1)];

/// Large enough for several pieces, with a last panel that is not full.
const ROWS: u64 = 1501;
const COLUMNS: u64 = 288;

/// Every storage in both layouts, and a table.
fn case() -> (Program, Gguf) {
    let (mut program, mut builder) = (program(), Builder::new());
    for (name, storage) in STORAGES {
        let bytes = storage.bytes((ROWS * COLUMNS) as usize).unwrap();
        for preparation in ["expand_fp32", "expand_fp32_panels_n32"] {
            let weight = format!("{name}.{preparation}");
            builder = builder.tensor(&weight, &[ROWS, COLUMNS], storage, noise(bytes));
            add_weight(&mut program, &weight, name, preparation, &[ROWS, COLUMNS]);
        }
    }
    builder = builder.tensor_f32("gamma", &[5], &[1.0, -0.0, f32::NAN, f32::from_bits(0x7f80_0001), 5.0]);
    add_weight(&mut program, "gamma", "f32", "expand_fp32", &[5]);
    builder = builder.tensor("cube", &[2, 3, 32], Storage::Q8_0, noise(6 * 34));
    add_weight(&mut program, "cube", "q8_0", "expand_fp32", &[2, 3, 32]);
    add_rope_table(&mut program, 1.0e5, 16, 20);
    // The order of the slots is nobody's promise.
    program.weights.reverse();
    (program, Gguf::from_bytes("test.gguf", builder.finish().unwrap()).unwrap())
}

#[test]
fn values_are_those_of_the_contract_in_their_layout() {
    let (program, model) = case();
    let state = prepare(&program, &model, 2, &|_| ()).unwrap();
    for slot in program.weights.iter().filter(|slot| slot.origin.is_none()) {
        let tensor = model.tensor(&slot.name).unwrap();
        let dims: Vec<usize> = slot.dims.iter().map(|&dim| dim as usize).collect();
        let mut decoded = vec![0.0; dims.iter().product()];
        let storage = Storage::parse(&slot.storage).unwrap();
        storage.decode(&model.read_tensor(tensor).unwrap(), &mut decoded).unwrap();
        let layout = Layout::parse(&slot.layout).unwrap();
        let mut expected = vec![0_u32; layout.elements(&dims).unwrap()];
        for (number, value) in decoded.iter().enumerate() {
            let mut index = vec![0; dims.len()];
            let mut rest = number;
            for (place, dim) in index.iter_mut().zip(&dims).rev() {
                (*place, rest) = (rest % dim, rest / dim);
            }
            expected[layout.offset(&dims, &index).unwrap()] = value.to_bits();
        }
        let found: &[u32] = state.read(slot.offset, expected.len()).unwrap();
        assert!(found == expected, "{}", slot.name);
    }
    let slot = program.weights.iter().find(|slot| slot.origin.is_some()).unwrap();
    assert_eq!(state.read::<f32>(slot.offset, 320).unwrap(), rope_table(1.0e5, 16, 20).unwrap());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (program, model) = case();
    let one = prepare(&program, &model, 1, &|_| ()).unwrap();
    for threads in [0, 2, 3, 8] {
        let other = prepare(&program, &model, threads, &|_| ()).unwrap();
        assert!(one.bytes() == other.bytes(), "{threads} threads");
    }
}

#[test]
fn progress_ends_at_the_total() {
    let (program, model) = case();
    let total: u64 = program.weights.iter().map(|slot| slot.bytes).sum();
    let (calls, most) = (AtomicU64::new(0), AtomicU64::new(0));
    let progress = |progress: Progress| {
        assert_eq!(progress.total, total);
        calls.fetch_add(1, Ordering::Relaxed);
        most.fetch_max(progress.done, Ordering::Relaxed);
    };
    prepare(&program, &model, 2, &progress).unwrap();
    assert_eq!(most.into_inner(), total);
    assert!(calls.into_inner() > program.weights.len() as u64);
}

#[test]
fn a_program_without_weights_is_prepared() {
    let model = Gguf::from_bytes("empty.gguf", Builder::new().finish().unwrap()).unwrap();
    let state = prepare(&program(), &model, 2, &|_| unreachable!("there is nothing to do")).unwrap();
    assert!(state.bytes().iter().all(|&byte| byte == 0));
}

#[test]
fn misfits_are_refused_with_code_and_place() {
    let builder = Builder::new().tensor_f32("w", &[2, 32], &[0.0; 64]);
    let model = Gguf::from_bytes("m.gguf", builder.finish().unwrap()).unwrap();
    let start = model.tensor("w").unwrap().start;
    let refused = |change: &dyn Fn(&mut Program)| {
        let mut program = program();
        add_weight(&mut program, "w", "f32", "expand_fp32", &[2, 32]);
        change(&mut program);
        prepare(&program, &model, 1, &|_| ()).map(drop).unwrap_err().to_string()
    };
    let rename = |program: &mut Program| program.weights[0].name = "v".to_owned();
    assert_eq!(refused(&rename), "m.gguf: error: the model has no tensor 'v' [CKE-W101]");
    let storage = |program: &mut Program| program.weights[0].storage = "f16".to_owned();
    let expected =
        format!("m.gguf: byte {start}: error: tensor 'w': storage f32, the program was compiled for f16 [CKE-W102]");
    assert_eq!(refused(&storage), expected);
    let shape = |program: &mut Program| program.weights[0].dims = vec![32, 2];
    let expected = format!(
        "m.gguf: byte {start}: error: tensor 'w': shape [2, 32], the program was compiled for [32, 2] [CKE-W102]"
    );
    assert_eq!(refused(&shape), expected);
    let preparation = |program: &mut Program| program.weights[0].preparation = "expand_fp16".to_owned();
    assert_eq!(
        refused(&preparation),
        "error: weight 'w': preparation 'expand_fp16' without an origin is unknown [CKE-W104]"
    );
    let layout = |program: &mut Program| {
        program.weights[0].preparation = "expand_fp32_panels_n32".to_owned();
    };
    assert_eq!(
        refused(&layout),
        "error: weight 'w': 'expand_fp32_panels_n32' writes layout panels_n32, the slot has row_major [CKE-W104]"
    );
    let malformed = |program: &mut Program| program.weights[0].offset += 4;
    assert!(refused(&malformed).contains("[CKE-R001]"));
}

#[test]
fn tables_which_do_not_fit_are_refused() {
    let model = Gguf::from_bytes("m.gguf", Builder::new().finish().unwrap()).unwrap();
    let mut wrong_shape = program();
    add_rope_table(&mut wrong_shape, 1.0e5, 16, 20);
    wrong_shape.weights[0].dims = vec![8, 20, 2];
    let fault = prepare(&wrong_shape, &model, 1, &|_| ()).map(drop).unwrap_err();
    assert_eq!(fault.code, Code::PreparationMismatch);
    let mut wrong_base = program();
    add_rope_table(&mut wrong_base, f64::NAN, 16, 20);
    let fault = prepare(&wrong_base, &model, 1, &|_| ()).map(drop).unwrap_err();
    assert_eq!(fault.code, Code::PreparationMismatch);
}

/// A file may hold types which nothing reads; only a weight of such a type is refused, by name.
#[test]
fn a_storage_that_is_not_supported_is_named() {
    let bytes = Builder::new().tensor_f32("w", &[1, 256], &[0.0; 256]).finish().unwrap();
    let mut bytes = bytes;
    // The type stands behind name, rank and two dimensions.
    let kind = 24 + 8 + 1 + 4 + 16;
    bytes[kind..kind + 4].copy_from_slice(&12_u32.to_le_bytes());
    let model = Gguf::from_bytes("k.gguf", bytes).unwrap();
    let mut program = program();
    add_weight(&mut program, "w", "q4_k", "expand_fp32", &[1, 256]);
    let fault = prepare(&program, &model, 1, &|_| ()).map(drop).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "k.gguf: byte 96: error: tensor 'w': storage q4_k is not supported, expected one of f32, f16, q8_0, q4_1 \
         [CKE-W103]"
    );
}

/// Prints the time; a bound that holds on any machine would say nothing.
#[test]
fn a_real_model_is_prepared() {
    let Some(model) = real_model() else { return };
    let mut program = program();
    for tensor in model.tensors() {
        let preparation = if tensor.dims.len() == 2 { "expand_fp32_panels_n32" } else { "expand_fp32" };
        add_weight(&mut program, &tensor.name, tensor.kind.name(), preparation, &tensor.dims);
    }
    add_rope_table(&mut program, 1.0e5, 64, 2048);
    let start = Instant::now();
    let state = prepare(&program, &model, 2, &|_| ()).unwrap();
    eprintln!("prepared {} MB in {:?}", state.len() >> 20, start.elapsed());
}
