//! To LLVM IR.

mod toy;

use std::ffi::{CStr, c_char, c_void};

use cke_mlir::translate::translate_module_to_llvm_ir;

unsafe extern "C" {
    fn LLVMContextCreate() -> *mut c_void;
    fn LLVMContextDispose(context: *mut c_void);
    fn LLVMPrintModuleToString(module: *mut c_void) -> *mut c_char;
    fn LLVMDisposeMessage(text: *mut c_char);
    fn LLVMDisposeModule(module: *mut c_void);
}

/// The LLVM IR, or what was reported.
fn translate(source: &str) -> Result<String, String> {
    let context = toy::context();
    let module = toy::parse(&context, source);
    // SAFETY: the LLVM context outlives its module, and both are disposed of once.
    let (text, diagnostics) = context.with_diagnostics(|| unsafe {
        let llvm = LLVMContextCreate();
        let text = translate_module_to_llvm_ir(module.op(), llvm).map(|module| {
            let raw = LLVMPrintModuleToString(module);
            let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeMessage(raw);
            LLVMDisposeModule(module);
            text
        });
        LLVMContextDispose(llvm);
        text
    });
    text.ok_or_else(|| toy::show(&diagnostics))
}

#[test]
fn the_llvm_dialect_is_translated() {
    let source = "llvm.func @f(%a: f32) -> f32 { %0 = llvm.fadd %a, %a : f32 llvm.return %0 : f32 }";
    let text = translate(source).unwrap();
    assert!(text.contains("define float @f(float %0)") && text.contains("fadd float %0, %0"), "{text}");
}

#[test]
fn other_dialects_are_errors() {
    let found = translate("func.func @f(%a: f32) { %0 = toy.add %a, %a : f32 return }").unwrap_err();
    assert!(found.contains("missing `LLVMTranslationDialectInterface`"), "{found}");
}
