// The tables that come from Rust, field by field as in src/ffi/shim.rs. They live as long as the process.
//
// Conventions of all callbacks and functions: int8_t is a truth value; functions that parse return PRESENT, ABSENT or
// ERROR, which they have reported.
#ifndef CKE_TABLES_H
#define CKE_TABLES_H

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include <mutex>

using namespace mlir;

static_assert(sizeof(Attribute) == sizeof(MlirAttribute), "arrays of one are passed as arrays of the other");

namespace {
struct AssemblyParser;
class OptionValues;
class RustPass;

/// The identity of a dialect, an operation or a pass.
TypeID freshTypeID() {
  static std::mutex mutex;
  static auto *allocator = new TypeIDAllocator;
  std::lock_guard<std::mutex> lock(mutex);
  return allocator->allocate();
}
} // namespace

extern "C" {
struct CkeOp {
  MlirStringRef name;
  uint32_t traits;
  intptr_t effectCount;
  const uint32_t *effects;
  intptr_t attributeCount; // the inherent attributes, each with a slot in the properties
  const MlirStringRef *attributes;
  int8_t hasUnprintedAttributes; // some of them are printed by attr-dict, not by the format
  void *user;
  int8_t (*verify)(MlirOperation, const MlirAttribute *slots, void *user);
  int8_t (*verifySymbols)(MlirOperation, SymbolTableCollection *, void *user); // or null
  int8_t (*parse)(AssemblyParser *, void *user);                               // or null: generic form only
  void (*print)(OpAsmPrinter *, MlirOperation, const MlirAttribute *slots, void *user);
};
struct CkeDialect {
  MlirStringRef name;
  intptr_t opCount;
  const CkeOp *ops;
  void *user;
  int8_t (*verifyAttribute)(MlirOperation, MlirStringRef name, MlirAttribute, void *user); // or null
};
struct CkeOption {
  MlirStringRef name, help, initial;
  uint32_t kind; // OptionValues::Kind
};
struct CkePass {
  MlirStringRef argument, summary, anchor;
  intptr_t optionCount;
  const CkeOption *options;
  void *user;
  void (*dependentDialects)(MlirDialectRegistry, void *user);
  int8_t (*validate)(const OptionValues *, std::string *error, void *user);
  int8_t (*run)(MlirOperation, RustPass *, const OptionValues *, void *user);
};
struct CkePipeline {
  MlirStringRef name, summary;
  intptr_t optionCount;
  const CkeOption *options;
  void *user;
  int8_t (*expand)(const OptionValues *, std::string *textOrError, void *user);
};
} // extern "C"

#endif // CKE_TABLES_H
