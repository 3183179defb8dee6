// The C++ of the project, one translation unit: what MLIR's C API lacks.
//
// Dialects whose operations are described by tables, passes with options, pipelines by name, the mains of the tools,
// and a few operations on IR. It decides nothing: the tables, parsers, printers, verifiers and passes come from Rust
// (src/ffi/shim.rs declares the other side).

#include "assembly.h"
#include "pass.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

// ---- Dialects --------------------------------------------------------------------------------------------------

namespace {
/// Our operations carry everything with them: they may be inlined anywhere.
struct AlwaysInline : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

/// A table with the identities of the dialect and of its operations, which are the same in every context.
struct DialectInfo {
  const CkeDialect &table;
  TypeID id;
  SmallVector<TypeID> ops;
};

class RustDialect : public Dialect {
public:
  RustDialect(const DialectInfo &info, MLIRContext *context)
      : Dialect(unwrap(info.table.name), context, info.id), table(info.table) {
    for (auto [op, id] : llvm::zip(ArrayRef(table.ops, table.opCount), info.ops)) {
      SmallVector<StringRef> names;
      for (MlirStringRef name : ArrayRef(op.attributes, op.attributeCount))
        names.push_back(unwrap(name));
      RegisteredOperationName::insert(std::make_unique<RustOp>(this, op, id), names);
    }
    addInterface(std::make_unique<AlwaysInline>(this));
  }
  LogicalResult verifyOperationAttribute(Operation *op, NamedAttribute attribute) final {
    return success(!table.verifyAttribute ||
                   table.verifyAttribute(wrap(op), wrap(attribute.getName().getValue()), wrap(attribute.getValue()),
                                         table.user));
  }

private:
  const CkeDialect &table;
};
} // namespace

extern "C" {
const DialectInfo *ckeCreateDialect(const CkeDialect *table) {
  auto *info = new DialectInfo{*table, freshTypeID(), {}};
  for (intptr_t i = 0; i < table->opCount; i++)
    info->ops.push_back(freshTypeID());
  return info;
}
void ckeRegisterDialect(MlirDialectRegistry registry, const DialectInfo *info) {
  StringRef name = unwrap(info->table.name);
  unwrap(registry)->insert(info->id, name, [=](MLIRContext *context) {
    return context->getOrLoadDialect(name, info->id, [=] { return std::make_unique<RustDialect>(*info, context); });
  });
}
MlirOperation ckeLookupSymbol(SymbolTableCollection *tables, MlirOperation from, MlirAttribute symbol) {
  return wrap(tables->lookupNearestSymbolFrom(unwrap(from), cast<SymbolRefAttr>(unwrap(symbol))));
}

// ---- Operations on IR ------------------------------------------------------------------------------------------

/// `text` must be followed by a NUL that isn't counted: the lexer looks one byte ahead.
MlirModule ckeParseModule(MlirContext context, MlirStringRef text, MlirStringRef file) {
  return wrap(parseSourceString<ModuleOp>(unwrap(text), ParserConfig(unwrap(context)), unwrap(file)).release());
}
/// Appends the operations of `text` to a block; as above.
int8_t ckeParseIntoBlock(MlirBlock block, MlirContext context, MlirStringRef text, MlirStringRef file) {
  ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
  return succeeded(parseSourceString(unwrap(text), unwrap(block), config, unwrap(file)));
}
void ckeEmit(MlirLocation location, uint32_t severity, MlirStringRef message, intptr_t noteCount,
             const MlirLocation *locations, const MlirStringRef *notes) {
  Location at = unwrap(location);
  InFlightDiagnostic diagnostic = severity == 0 ? emitError(at) : severity == 1 ? emitWarning(at) : emitRemark(at);
  diagnostic << unwrap(message);
  for (intptr_t i = 0; i < noteCount; i++)
    diagnostic.attachNote(unwrap(locations[i])) << unwrap(notes[i]);
}
/// Makes an operation and all within it use nothing.
void ckeDropOperands(MlirOperation op) {
  unwrap(op)->walk([](Operation *nested) { nested->setOperands(ValueRange()); });
}
MlirOperation ckeLookupSymbolIn(MlirOperation table, MlirStringRef name) {
  return wrap(SymbolTable::lookupSymbolIn(unwrap(table), unwrap(name)));
}
int8_t ckeIsLoaded(MlirContext context, MlirStringRef dialect) {
  return unwrap(context)->getLoadedDialect(unwrap(dialect)) != nullptr;
}
int8_t ckeIsSymbolTable(MlirOperation op) { return unwrap(op)->hasTrait<OpTrait::SymbolTable>(); }
MlirOperation ckeGetPrevious(MlirOperation op) { return wrap(unwrap(op)->getPrevNode()); }
/// Inherent and discardable attributes.
MlirAttribute ckeGetAttributes(MlirOperation op) { return wrap(Attribute(unwrap(op)->getAttrDictionary())); }

// ---- Tools -----------------------------------------------------------------------------------------------------

/// `nesting` returns the offset of the first bracket that opens too deep a level, or -1.
int ckeOptMain(int argc, char **argv, MlirStringRef tool, MlirDialectRegistry wrapped,
               intptr_t (*nesting)(MlirStringRef), MlirStringRef nestingError, void (*printStatistics)()) {
  static llvm::cl::opt<bool> statistics("cke-pass-statistics",
                                        llvm::cl::desc("Print the statistics of the passes of this tool"));
  DialectRegistry &registry = *unwrap(wrapped);
  llvm::InitLLVM init(argc, argv);
  auto [inputName, outputName] = registerAndParseCLIOptions(argc, argv, unwrap(tool), registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, inputName, outputName, registry));

  std::string error;
  auto fail = [&] {
    llvm::errs() << error << "\n";
    return EXIT_FAILURE;
  };
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &error);
  if (!input)
    return fail();
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(outputName, &error);
  if (!output)
    return fail();
  if (intptr_t at = nesting(wrap(input->getBuffer())); at >= 0) {
    llvm::SourceMgr sources;
    SMLoc location = SMLoc::getFromPointer(input->getBufferStart() + at);
    sources.AddNewSourceBuffer(std::move(input), SMLoc());
    sources.PrintMessage(location, llvm::SourceMgr::DK_Error, unwrap(nestingError));
    return EXIT_FAILURE;
  }
  LogicalResult result = MlirOptMain(output->os(), std::move(input), registry, config);
  if (statistics)
    printStatistics();
  if (succeeded(result))
    output->keep();
  return asMainReturnCode(result);
}
int ckeLspMain(int argc, char **argv, MlirDialectRegistry registry) {
  return asMainReturnCode(MlirLspServerMain(argc, argv, *unwrap(registry)));
}
} // extern "C"
