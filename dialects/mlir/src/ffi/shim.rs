//! The other half of `cpp/shim.cpp`: its tables and functions, field by field.

use std::ffi::{c_char, c_int, c_void};

use mlir_sys::{
    MlirAttribute, MlirBlock, MlirContext, MlirDialectRegistry, MlirLocation, MlirModule, MlirOperation, MlirRegion,
    MlirStringRef, MlirType,
};

/// How many inherent attributes an operation may have: `MAX_SLOTS` of the shim.
pub const MAX_SLOTS: usize = 16;

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $($(#[$doc])* #[repr(C)] pub struct $name { _private: [u8; 0] })*
    };
}
opaque! {
    /// One operation being parsed.
    AssemblyParser
    /// `mlir::OpAsmPrinter`
    AssemblyPrinter
    /// `mlir::SymbolTableCollection`
    SymbolTableCollection
    /// The values of the options of a pass or pipeline.
    OptionValues
    /// A pass that runs.
    RustPass
    /// `std::string`
    CppString
    /// A dialect that was made known.
    DialectInfo
}

/// Pointers to what lives as long as the process.
pub type User = *const c_void;

#[repr(C)]
pub struct CkeOp {
    pub name: MlirStringRef,
    pub traits: u32,
    pub effect_count: isize,
    pub effects: *const u32,
    pub attribute_count: isize,
    pub attributes: *const MlirStringRef,
    pub has_unprinted_attributes: i8,
    pub user: User,
    pub verify: unsafe extern "C" fn(MlirOperation, *const MlirAttribute, User) -> i8,
    pub verify_symbols: Option<unsafe extern "C" fn(MlirOperation, *mut SymbolTableCollection, User) -> i8>,
    pub parse: Option<unsafe extern "C" fn(*mut AssemblyParser, User) -> i8>,
    pub print: unsafe extern "C" fn(*mut AssemblyPrinter, MlirOperation, *const MlirAttribute, User),
}

#[repr(C)]
pub struct CkeDialect {
    pub name: MlirStringRef,
    pub op_count: isize,
    pub ops: *const CkeOp,
    pub user: User,
    pub verify_attribute: Option<unsafe extern "C" fn(MlirOperation, MlirStringRef, MlirAttribute, User) -> i8>,
}

#[repr(C)]
pub struct CkeOption {
    pub name: MlirStringRef,
    pub help: MlirStringRef,
    pub initial: MlirStringRef,
    pub kind: u32,
}

#[repr(C)]
pub struct CkePass {
    pub argument: MlirStringRef,
    pub summary: MlirStringRef,
    pub anchor: MlirStringRef,
    pub option_count: isize,
    pub options: *const CkeOption,
    pub user: User,
    pub dependent_dialects: unsafe extern "C" fn(MlirDialectRegistry, User),
    pub validate: unsafe extern "C" fn(*const OptionValues, *mut CppString, User) -> i8,
    pub run: unsafe extern "C" fn(MlirOperation, *mut RustPass, *const OptionValues, User) -> i8,
}

#[repr(C)]
pub struct CkePipeline {
    pub name: MlirStringRef,
    pub summary: MlirStringRef,
    pub option_count: isize,
    pub options: *const CkeOption,
    pub user: User,
    pub expand: unsafe extern "C" fn(*const OptionValues, *mut CppString, User) -> i8,
}

#[rustfmt::skip] // one function a line
unsafe extern "C" {
    // Custom assembly: parsing. 1 is present, 0 absent, -1 an error that was reported.
    pub fn ckeParseKeyword(p: *mut AssemblyParser, keyword: MlirStringRef, optional: i8) -> i8;
    pub fn ckeParsePunctuation(p: *mut AssemblyParser, code: u32, optional: i8) -> i8;
    pub fn ckeParseOperand(p: *mut AssemblyParser, optional: i8) -> i8;
    pub fn ckeParseOperands(p: *mut AssemblyParser) -> isize;
    pub fn ckeParseAttribute(p: *mut AssemblyParser, kind: u32, slot: isize, optional: i8) -> i8;
    pub fn ckeParseAttrDict(p: *mut AssemblyParser, keyword: i8) -> i8;
    pub fn ckeParseType(p: *mut AssemblyParser, optional: i8) -> i8;
    pub fn ckeParseFunctionType(p: *mut AssemblyParser, inputs: *mut isize, results: *mut isize) -> i8;
    pub fn ckeParseRegion(p: *mut AssemblyParser, optional: i8) -> i8;
    pub fn ckeAddEmptyRegion(p: *mut AssemblyParser);
    pub fn ckeSetSlot(p: *mut AssemblyParser, slot: isize, value: MlirAttribute);
    pub fn ckePushType(p: *mut AssemblyParser, ty: MlirType);
    pub fn ckeGetParsedType(p: *mut AssemblyParser, i: isize) -> MlirType;
    pub fn ckeParserContext(p: *mut AssemblyParser) -> MlirContext;
    pub fn ckeResolveOperands(p: *mut AssemblyParser, first: isize, count: isize, first_type: isize, types: isize) -> i8;
    pub fn ckeAddResults(p: *mut AssemblyParser, first_type: isize, count: isize);
    pub fn ckeParseError(p: *mut AssemblyParser, message: MlirStringRef);
    // Custom assembly: printing; `space` is whether one comes before.
    pub fn ckePrintText(p: *mut AssemblyPrinter, text: MlirStringRef);
    pub fn ckePrintOperands(p: *mut AssemblyPrinter, space: i8, op: MlirOperation, first: isize, count: isize);
    pub fn ckePrintOperandTypes(p: *mut AssemblyPrinter, space: i8, op: MlirOperation, first: isize, count: isize);
    pub fn ckePrintResultTypes(p: *mut AssemblyPrinter, space: i8, op: MlirOperation, first: isize, count: isize);
    pub fn ckePrintFunctionalType(p: *mut AssemblyPrinter, space: i8, op: MlirOperation, first_in: isize, ins: isize, first_out: isize, outs: isize);
    pub fn ckePrintAttribute(p: *mut AssemblyPrinter, space: i8, attribute: MlirAttribute, with_type: i8);
    pub fn ckePrintSymbolName(p: *mut AssemblyPrinter, space: i8, name: MlirAttribute);
    pub fn ckePrintAttrDict(p: *mut AssemblyPrinter, op: MlirOperation, keyword: i8, count: isize, printed: *const MlirStringRef);
    pub fn ckePrintRegion(p: *mut AssemblyPrinter, space: i8, region: MlirRegion);
    pub fn ckePrintGeneric(p: *mut AssemblyPrinter, op: MlirOperation);
    // Dialects.
    pub fn ckeCreateDialect(table: *const CkeDialect) -> *const DialectInfo;
    pub fn ckeRegisterDialect(registry: MlirDialectRegistry, info: *const DialectInfo);
    pub fn ckeLookupSymbol(tables: *mut SymbolTableCollection, from: MlirOperation, symbol: MlirAttribute) -> MlirOperation;
    // Passes and pipelines.
    pub fn ckeOptionText(o: *const OptionValues, i: isize) -> MlirStringRef;
    pub fn ckeOptionInteger(o: *const OptionValues, i: isize) -> i64;
    pub fn ckeOptionFlag(o: *const OptionValues, i: isize) -> i8;
    pub fn ckeOptionLength(o: *const OptionValues, i: isize) -> isize;
    pub fn ckeOptionListText(o: *const OptionValues, i: isize, k: isize) -> MlirStringRef;
    pub fn ckeOptionListInteger(o: *const OptionValues, i: isize, k: isize) -> i64;
    pub fn ckeAppend(to: *mut CppString, text: MlirStringRef);
    pub fn ckeRegisterPass(table: *const CkePass);
    pub fn ckeRegisterPipeline(table: *const CkePipeline);
    pub fn ckeRunNested(pass: *mut RustPass, op: MlirOperation, text: MlirStringRef) -> i8;
    // Operations on IR.
    pub fn ckeParseModule(context: MlirContext, text: MlirStringRef, file: MlirStringRef) -> MlirModule;
    pub fn ckeParseIntoBlock(block: MlirBlock, context: MlirContext, text: MlirStringRef, file: MlirStringRef) -> i8;
    pub fn ckeEmit(at: MlirLocation, severity: u32, message: MlirStringRef, count: isize, places: *const MlirLocation, notes: *const MlirStringRef);
    pub fn ckeDropOperands(op: MlirOperation);
    pub fn ckeLookupSymbolIn(table: MlirOperation, name: MlirStringRef) -> MlirOperation;
    pub fn ckeIsLoaded(context: MlirContext, dialect: MlirStringRef) -> i8;
    pub fn ckeIsSymbolTable(op: MlirOperation) -> i8;
    pub fn ckeGetPrevious(op: MlirOperation) -> MlirOperation;
    pub fn ckeGetAttributes(op: MlirOperation) -> MlirAttribute;
    // Tools.
    pub fn ckeOptMain(argc: c_int, argv: *mut *mut c_char, tool: MlirStringRef, registry: MlirDialectRegistry,
        nesting: unsafe extern "C" fn(MlirStringRef) -> isize, nesting_error: MlirStringRef, print_statistics: unsafe extern "C" fn()) -> c_int;
    pub fn ckeLspMain(argc: c_int, argv: *mut *mut c_char, registry: MlirDialectRegistry) -> c_int;
}
