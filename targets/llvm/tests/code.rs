//! What the generated code consists of: fused operations exactly where a contract fuses, and nothing from outside.

mod common;

use cke_contracts::registry::Contract;
use cke_target_llvm::isa::Isa;
use cke_target_llvm::kernels::{Phase, synthesize};
use cke_target_llvm::object::{self, Object, Text};
use common::{Kernel, compile, native_contract, round_products, with_llvm_dialect};
use std::path::Path;
use std::process::Command;

/// A kernel of every family.
fn kernels(phase: Phase) -> Vec<Kernel> {
    let kernel = |op, function, shape: &[(&str, i64)]| {
        Kernel::new(op, function, phase, shape).with("eps", 1e-5).with("scale", 0.125)
    };
    let heads = [("heads", 9), ("kv_heads", 3), ("head_dim", 64), ("capacity", 2048)];
    let rope = [("heads", 9), ("head_dim", 64), ("rotary_dim", 64), ("positions", 2048)];
    vec![
        kernel("embedding", "cke_embedding_fp32", &[("dim", 576), ("vocab", 49152)]),
        kernel("rmsnorm", "cke_rmsnorm_fp32", &[("dim", 576)]),
        kernel("linear", "cke_linear_fp32", &[("k", 576), ("n", 200)]),
        kernel("logits", "cke_logits_fp32", &[("k", 576), ("n", 49152)]),
        kernel("rope", "cke_rope_pairwise_fp32", &rope),
        kernel("rope", "cke_rope_split_half_fp32", &rope),
        kernel("kv_append", "cke_kv_append_fp32", &heads),
        kernel("attention", "cke_attention_fp32", &heads),
        kernel("swiglu", "cke_swiglu_fp32", &[("dim", 1536)]),
        kernel("residual_add", "cke_residual_add_fp32", &[("dim", 576)]),
        kernel("argmax", "cke_argmax_fp32", &[("n", 49152)]),
    ]
}

fn isas() -> [Isa; 3] {
    ["x86-64-v3", "x86-64-v4", "aarch64"].map(|name| Isa::parse(name).expect("a known name"))
}

fn text_of(kernel: &Kernel, contract: &Contract, isa: &Isa) -> String {
    synthesize(&kernel.request(contract, isa)).unwrap_or_else(|error| panic!("{error}"))
}

fn optimised_ir(text: &str, isa: &Isa) -> String {
    with_llvm_dialect(text, |module| {
        object::text(module.op(), isa, Text::OptimisedIr).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// The instructions of an object, one a line: mnemonic and operands.
fn disassemble(object: &Object) -> Vec<String> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = directory.join(format!("{}-{:?}.o", object.isa().name, std::thread::current().id()));
    std::fs::write(&file, object.bytes()).expect("a writable temporary directory");
    let output = Command::new(concat!(env!("LLVM_SYS_221_PREFIX"), "/bin/llvm-objdump"))
        .args(["--disassemble", "--no-show-raw-insn", "--no-leading-addr"])
        .arg(&file)
        .output()
        .expect("llvm-objdump runs");
    std::fs::remove_file(&file).expect("the file is ours");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let instructions = text.lines().filter(|line| line.starts_with([' ', '\t']));
    instructions.map(|line| line.trim().to_owned()).collect()
}

fn is_fused(instruction: &str) -> bool {
    let mnemonic = instruction.split_whitespace().next().unwrap_or_default();
    let x86 = ["vfmadd", "vfmsub", "vfnmadd", "vfnmsub"];
    let aarch64 = ["fmadd", "fmsub", "fnmadd", "fnmsub", "fmla", "fmls"];
    x86.iter().chain(&aarch64).any(|prefix| mnemonic.starts_with(prefix))
}

/// How many instructions the calls of `llvm.fma` in IR take.
fn fused_operations(ir: &str, isa: &Isa) -> usize {
    let calls = ir.lines().filter_map(|line| line.split_once("@llvm.fma.").filter(|_| line.contains(" call ")));
    calls
        .map(|(_, suffix)| match suffix.strip_prefix('v').and_then(|rest| rest.split_once('f')) {
            Some((lanes, _)) => lanes.parse::<u32>().expect("a number of lanes").div_ceil(isa.lanes) as usize,
            None => 1,
        })
        .sum()
}

#[test]
fn ir_has_no_fast_math_and_no_implicit_fusion() {
    let forbidden = ["fast", "contract", "reassoc", "nnan", "ninf", "nsz", "arcp", "afn"];
    for phase in [Phase::Decode, Phase::Prefill] {
        for kernel in kernels(phase) {
            let contract = native_contract(kernel.op, kernel.function);
            for isa in isas() {
                let ir = optimised_ir(&text_of(&kernel, &contract, &isa), &isa);
                assert!(!ir.contains("fmuladd"), "{}", kernel.function);
                let words = ir.lines().filter(|line| line.starts_with("  ")).flat_map(str::split_whitespace);
                let flags: Vec<&str> = words.filter(|word| forbidden.contains(word)).collect();
                assert!(flags.is_empty(), "{}: {flags:?}", kernel.function);
            }
        }
    }
}

#[test]
fn every_fused_instruction_comes_from_a_fused_operation() {
    for phase in [Phase::Decode, Phase::Prefill] {
        for kernel in kernels(phase) {
            let contract = native_contract(kernel.op, kernel.function);
            for isa in isas() {
                let text = text_of(&kernel, &contract, &isa);
                let asked = fused_operations(&optimised_ir(&text, &isa), &isa);
                let found = disassemble(&compile(&text, &isa)).iter().filter(|line| is_fused(line)).count();
                println!("{:28} {phase:?} {:10} {found} fused instructions", kernel.function, isa.name);
                assert_eq!(found, asked, "{} {phase:?} {}", kernel.function, isa.name);
                let fuses = ["linear", "logits", "rmsnorm", "rope", "attention", "swiglu"].contains(&kernel.op);
                assert_eq!(found > 0, fuses, "{}", kernel.function);
            }
        }
    }
}

#[test]
fn a_contract_without_fusion_gives_code_without_fusion() {
    let kernel = Kernel::new("linear", "cke_linear_fp32", Phase::Prefill, &[("k", 576), ("n", 192)]);
    let mut contract = native_contract(kernel.op, kernel.function);
    round_products(&mut contract);
    for isa in isas() {
        let instructions = disassemble(&compile(&text_of(&kernel, &contract, &isa), &isa));
        assert!(instructions.len() > 100);
        assert_eq!(instructions.iter().filter(|line| is_fused(line)).count(), 0, "{}", isa.name);
    }
}

#[test]
fn the_same_text_gives_the_same_bytes() {
    let isa = Isa::parse("x86-64-v4").expect("a known name");
    for phase in [Phase::Decode, Phase::Prefill] {
        let mut text = String::new();
        for (number, kernel) in kernels(phase).iter().enumerate() {
            let contract = native_contract(kernel.op, kernel.function);
            let symbol = format!("kernel{number}");
            let request =
                cke_target_llvm::kernels::KernelRequest { symbol: &symbol, ..kernel.request(&contract, &isa) };
            text.push_str(&synthesize(&request).unwrap_or_else(|error| panic!("{error}")));
        }
        assert_eq!(compile(&text, &isa), compile(&text, &isa));
    }
}
