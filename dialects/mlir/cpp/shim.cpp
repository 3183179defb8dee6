// The one C++ file of the project: what MLIR's C API lacks.
//
// Dialects whose operations are described by tables, passes with options, pipelines by name, the mains of the tools, and
// a few operations on IR. It decides nothing: the tables, parsers, printers, verifiers and passes are callbacks into
// Rust (`src/ffi` declares both sides). Everything that comes in as a table lives as long as the process.
//
// Conventions: int8_t is a truth value; parsing functions return PRESENT, ABSENT or ERROR (already reported).

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <mutex>
#include <variant>

using namespace mlir;

static_assert(sizeof(Attribute) == sizeof(MlirAttribute), "arrays of one are passed as arrays of the other");

// ---- Tables from Rust ------------------------------------------------------------------------------------------

namespace {
struct AssemblyParser;
class OptionValues;
class RustPass;
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
}

namespace {
enum Trait : uint32_t { // as in def.rs
  TERMINATOR = 1 << 0,
  NO_TERMINATOR = 1 << 1,
  ISOLATED_FROM_ABOVE = 1 << 2,
  SYMBOL_TABLE = 1 << 3,
  PURE = 1 << 4,
  SINGLE_BLOCK = 1 << 5,
  SYMBOL = 1 << 6,
  COMMUTATIVE = 1 << 7,
  RECURSIVE_MEMORY_EFFECTS = 1 << 8,
  RETURN_LIKE = 1 << 9,
};

constexpr unsigned MAX_SLOTS = 16;

/// The inherent attributes of an operation, one slot each in the order of its table. An operation stores only as many
/// slots as it has; the whole struct exists while an operation is parsed or read.
struct Slots {
  Attribute slot[MAX_SLOTS];
  unsigned count = 0;
  Slots() = default;
  Slots &operator=(const Slots &other) { // the target may be an operation's storage of `other.count` slots
    std::copy_n(other.slot, other.count, slot);
    return *this;
  }
};

TypeID freshTypeID() {
  static std::mutex mutex;
  static auto *allocator = new TypeIDAllocator;
  std::lock_guard<std::mutex> lock(mutex);
  return allocator->allocate();
}

// ---- Operations ------------------------------------------------------------------------------------------------

const CkeOp &tableOf(Operation *op);
Attribute *slotsOf(Operation *op) { return op->getPropertiesStorage().as<Attribute *>(); }
const MlirAttribute *wrapSlots(Operation *op) { return reinterpret_cast<const MlirAttribute *>(slotsOf(op)); }

struct EffectsModel : MemoryEffectOpInterface::FallbackModel<EffectsModel> {
  static MemoryEffects::Effect *effect(uint32_t kind) {
    switch (kind) {
    case 0: return MemoryEffects::Read::get();
    case 1: return MemoryEffects::Write::get();
    case 2: return MemoryEffects::Allocate::get();
    default: return MemoryEffects::Free::get();
    }
  }
  void getEffects(Operation *op, SmallVectorImpl<MemoryEffects::EffectInstance> &out) const {
    const CkeOp &table = tableOf(op);
    for (uint32_t kind : ArrayRef<uint32_t>(table.effects, table.effectCount))
      out.emplace_back(effect(kind));
  }
};

struct SpeculatableModel : ConditionallySpeculatable::FallbackModel<SpeculatableModel> {
  Speculation::Speculatability getSpeculatability(Operation *) const { return Speculation::Speculatable; }
};

struct SymbolModel : SymbolOpInterface::FallbackModel<SymbolModel> {
  using Visibility = SymbolTable::Visibility;
  StringAttr getNameAttr(Operation *op) const { return SymbolTable::getSymbolName(op); }
  void setName(Operation *op, StringAttr name) const { SymbolTable::setSymbolName(op, name); }
  Visibility getVisibility(Operation *op) const { return SymbolTable::getSymbolVisibility(op); }
  bool isNested(Operation *op) const { return getVisibility(op) == Visibility::Nested; }
  bool isPrivate(Operation *op) const { return getVisibility(op) == Visibility::Private; }
  bool isPublic(Operation *op) const { return getVisibility(op) == Visibility::Public; }
  void setVisibility(Operation *op, Visibility v) const { SymbolTable::setSymbolVisibility(op, v); }
  void setNested(Operation *op) const { setVisibility(op, Visibility::Nested); }
  void setPrivate(Operation *op) const { setVisibility(op, Visibility::Private); }
  void setPublic(Operation *op) const { setVisibility(op, Visibility::Public); }
  std::optional<SymbolTable::UseRange> getSymbolUses(Operation *op, Operation *from) const {
    return SymbolTable::getSymbolUses(op, from);
  }
  bool symbolKnownUseEmpty(Operation *op, Operation *from) const {
    return SymbolTable::symbolKnownUseEmpty(op, from);
  }
  LogicalResult replaceAllSymbolUses(Operation *op, StringAttr name, Operation *from) const {
    return SymbolTable::replaceAllSymbolUses(op, name, from);
  }
  bool isOptionalSymbol(Operation *) const { return false; }
  bool canDiscardOnUseEmpty(Operation *op) const { return isPrivate(op); }
  bool isDeclaration(Operation *op) const { return op->getNumRegions() && op->getRegion(0).empty(); }
};

struct SymbolUserModel : SymbolUserOpInterface::FallbackModel<SymbolUserModel> {
  LogicalResult verifySymbolUses(Operation *op, SymbolTableCollection &tables) const {
    const CkeOp &table = tableOf(op);
    return success(table.verifySymbols(wrap(op), &tables, table.user));
  }
};

/// Without it, writing an operation with properties as bytecode crashes.
struct BytecodeModel : BytecodeOpInterface::FallbackModel<BytecodeModel> {
  static LogicalResult readProperties(DialectBytecodeReader &reader, OperationState &state) {
    return reader.readOptionalAttribute(state.propertiesAttr);
  }
  void writeProperties(Operation *op, DialectBytecodeWriter &writer) const {
    writer.writeOptionalAttribute(op->getPropertiesAsAttribute());
  }
};

/// What an operation of ours has to say to MLIR: the table with an identity.
class RustOp : public OperationName::Impl {
public:
  const CkeOp &table;

  RustOp(Dialect *dialect, const CkeOp &table, TypeID id)
      : Impl(unwrap(table.name), dialect, id, detail::InterfaceMap()), table(table) {
    if (has(PURE))
      interfaceMap.insertModels<EffectsModel, SpeculatableModel>();
    else if (table.effectCount)
      interfaceMap.insertModels<EffectsModel>();
    if (has(SYMBOL))
      interfaceMap.insertModels<SymbolModel>();
    if (table.verifySymbols)
      interfaceMap.insertModels<SymbolUserModel>();
    if (table.attributeCount)
      interfaceMap.insertModels<BytecodeModel>();
  }

  bool hasTrait(TypeID id) final {
    return (has(TERMINATOR) && id == TypeID::get<OpTrait::IsTerminator>()) ||
           (has(NO_TERMINATOR) && id == TypeID::get<OpTrait::NoTerminator>()) ||
           (has(ISOLATED_FROM_ABOVE) && id == TypeID::get<OpTrait::IsIsolatedFromAbove>()) ||
           (has(SYMBOL_TABLE) && id == TypeID::get<OpTrait::SymbolTable>()) ||
           (has(SINGLE_BLOCK) && id == TypeID::get<OpTrait::SingleBlock>()) ||
           (has(COMMUTATIVE) && id == TypeID::get<OpTrait::IsCommutative>()) ||
           (has(RECURSIVE_MEMORY_EFFECTS) && id == TypeID::get<OpTrait::HasRecursiveMemoryEffects>()) ||
           (has(RETURN_LIKE) && id == TypeID::get<OpTrait::ReturnLike>());
  }

  OperationName::ParseAssemblyFn getParseAssemblyFn() final;
  void printAssembly(Operation *op, OpAsmPrinter &printer, StringRef defaultDialect) final {
    if (!table.parse)
      return printer.printGenericOp(op);
    StringRef name = op->getName().getStringRef(); // within its own dialect an operation needs no prefix
    if (op->getName().getDialectNamespace() == defaultDialect && name.count('.') == 1)
      name = name.drop_front(defaultDialect.size() + 1);
    printer << name;
    table.print(&printer, wrap(op), wrapSlots(op), table.user);
  }

  LogicalResult verifyInvariants(Operation *op) final {
    if (has(TERMINATOR) && failed(OpTrait::impl::verifyIsTerminator(op)))
      return failure();
    if (has(SYMBOL) && failed(detail::verifySymbol(op)))
      return failure();
    if (!table.verify(wrap(op), wrapSlots(op), table.user))
      return failure();
    return verifySingleBlock(op);
  }
  LogicalResult verifyRegionInvariants(Operation *op) final {
    if (has(ISOLATED_FROM_ABOVE) && failed(OpTrait::impl::verifyIsIsolatedFromAbove(op)))
      return failure();
    return has(SYMBOL_TABLE) ? detail::verifySymbolTable(op) : success();
  }

  // Properties: the slots.
  int getOpPropertyByteSize() final { return table.attributeCount * sizeof(Attribute); }
  void initProperties(OperationName, OpaqueProperties storage, OpaqueProperties init) final {
    for (intptr_t i = 0; i < table.attributeCount; i++)
      new (storage.as<Attribute *>() + i) Attribute(init ? init.as<Attribute *>()[i] : Attribute());
  }
  void deleteProperties(OpaqueProperties) final {}
  void populateDefaultProperties(OperationName, OpaqueProperties) final {}
  void copyProperties(OpaqueProperties to, OpaqueProperties from) final {
    std::copy_n(from.as<Attribute *>(), table.attributeCount, to.as<Attribute *>());
  }
  bool compareProperties(OpaqueProperties a, OpaqueProperties b) final { return slots(a) == slots(b); }
  llvm::hash_code hashProperties(OpaqueProperties properties) final {
    ArrayRef<Attribute> all = slots(properties);
    return llvm::hash_combine_range(all.begin(), all.end());
  }
  LogicalResult setPropertiesFromAttr(OperationName, OpaqueProperties properties, Attribute attribute,
                                      function_ref<InFlightDiagnostic()> error) final {
    auto dictionary = dyn_cast_or_null<DictionaryAttr>(attribute);
    if (!dictionary)
      return error() << "not a dictionary";
    for (NamedAttribute entry : dictionary) {
      std::optional<unsigned> i = find(entry.getName());
      if (!i)
        return error() << "no attribute is named '" << entry.getName().getValue() << "'";
      properties.as<Attribute *>()[*i] = entry.getValue();
    }
    return success();
  }
  Attribute getPropertiesAsAttr(Operation *op) final {
    NamedAttrList list;
    populateInherentAttrs(op, list);
    return list.empty() ? Attribute() : list.getDictionary(op->getContext());
  }

  // Inherent attributes: the same slots by name.
  std::optional<Attribute> getInherentAttr(Operation *op, StringRef name) final {
    std::optional<unsigned> i = find(name);
    return i ? std::optional<Attribute>(slotsOf(op)[*i]) : std::nullopt;
  }
  void setInherentAttr(Operation *op, StringAttr name, Attribute value) final {
    if (std::optional<unsigned> i = find(name))
      slotsOf(op)[*i] = value;
  }
  void populateInherentAttrs(Operation *op, NamedAttrList &list) final {
    for (auto [i, name] : llvm::enumerate(names()))
      if (Attribute value = slotsOf(op)[i])
        list.append(name, value);
  }
  LogicalResult verifyInherentAttrs(OperationName, NamedAttrList &, function_ref<InFlightDiagnostic()>) final {
    return success();
  }

  // Left to the canonicalisations and constants of upstream dialects.
  LogicalResult foldHook(Operation *, ArrayRef<Attribute>, SmallVectorImpl<OpFoldResult> &) final { return failure(); }
  void getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) final {}
  void populateDefaultAttrs(const OperationName &, NamedAttrList &) final {}

  bool has(Trait trait) const { return table.traits & trait; }
  /// The names of the slots, made unique in the context when the dialect was loaded.
  ArrayRef<StringAttr> names() const { return attributeNames; }

private:
  LogicalResult verifySingleBlock(Operation *op) const {
    if (has(SINGLE_BLOCK))
      for (auto [i, region] : llvm::enumerate(op->getRegions()))
        if (!region.empty() && !region.hasOneBlock())
          return op->emitOpError("expects region #") << i << " to have 0 or 1 blocks";
    return success();
  }
  ArrayRef<Attribute> slots(OpaqueProperties p) const {
    return ArrayRef<Attribute>(p.as<Attribute *>(), table.attributeCount);
  }
  template <typename Name> std::optional<unsigned> find(Name name) const {
    for (auto [i, other] : llvm::enumerate(names()))
      if (other == name)
        return i;
    return std::nullopt;
  }
};

RustOp &rustOp(OperationName name) {
  return *static_cast<RustOp *>(static_cast<OperationName::Impl *>(name.getAsOpaquePointer()));
}
const CkeOp &tableOf(Operation *op) { return rustOp(op->getName()).table; }

// ---- Custom assembly -------------------------------------------------------------------------------------------

/// One operation being parsed. Operands and types are collected in the order of the text; Rust knows which range
/// belongs to which group and resolves them at the end.
struct AssemblyParser {
  OpAsmParser &parser;
  OperationState &state;
  RustOp &op;
  Slots &slots;
  SmallVector<OpAsmParser::UnresolvedOperand, 8> operands;
  SmallVector<Type, 8> types;
};

OperationName::ParseAssemblyFn RustOp::getParseAssemblyFn() {
  return [this](OpAsmParser &parser, OperationState &state) -> ParseResult {
    if (!table.parse)
      return parser.emitError(parser.getNameLoc(), "has only the generic form");
    Slots none;
    Slots &slots = table.attributeCount ? state.getOrAddProperties<Slots>() : none;
    slots.count = table.attributeCount;
    AssemblyParser self{parser, state, *this, slots, {}, {}};
    return success(table.parse(&self, table.user));
  };
}

enum Presence : int8_t { ERROR = -1, ABSENT = 0, PRESENT = 1 };
Presence presence(ParseResult result) { return succeeded(result) ? PRESENT : ERROR; }
Presence presence(OptionalParseResult result) { return result.has_value() ? presence(*result) : ABSENT; }

/// An attribute of a class which the parser can look ahead for.
template <typename T> Presence parseOptional(AssemblyParser &p, Type type, Attribute &out) {
  T attribute;
  Presence result = presence(p.parser.parseOptionalAttribute(attribute, type));
  out = attribute;
  return result;
}
template <typename T> Presence parseRequired(AssemblyParser &p, Type type, Attribute &out) {
  T attribute;
  Presence result = presence(p.parser.parseAttribute(attribute, type));
  out = attribute;
  return result;
}
template <typename T> Presence parseLookedAhead(AssemblyParser &p, bool optional, Type type, Attribute &out) {
  return optional ? parseOptional<T>(p, type, out) : parseRequired<T>(p, type, out);
}
/// Any other class: look ahead for any attribute, then check.
template <typename T> Presence parseChecked(AssemblyParser &p, bool optional, Type type, Attribute &out) {
  if (!optional)
    return parseRequired<T>(p, type, out);
  SMLoc at = p.parser.getCurrentLocation();
  Presence result = parseOptional<Attribute>(p, type, out);
  if (result != PRESENT || isa<T>(out))
    return result;
  p.parser.emitError(at, "invalid kind of attribute specified");
  return ERROR;
}
OpAsmPrinter &separate(OpAsmPrinter *p, bool space) {
  if (space)
    *p << ' ';
  return *p;
}
} // namespace

extern "C" {
int8_t ckeParseKeyword(AssemblyParser *p, MlirStringRef keyword, int8_t optional) {
  StringRef text = unwrap(keyword);
  if (optional)
    return succeeded(p->parser.parseOptionalKeyword(text)) ? PRESENT : ABSENT;
  return presence(p->parser.parseKeyword(text));
}
int8_t ckeParsePunctuation(AssemblyParser *p, uint32_t code, int8_t optional) {
  AsmParser &parser = p->parser;
  switch (code) { // as in assembly/punctuation.rs
#define TOKEN(CODE, NAME)                                                                                             \
  case CODE:                                                                                                          \
    if (optional)                                                                                                     \
      return succeeded(parser.parseOptional##NAME()) ? PRESENT : ABSENT;                                              \
    return presence(parser.parse##NAME());
    TOKEN(0, Arrow)
    TOKEN(1, LBrace)
    TOKEN(2, RBrace)
    TOKEN(3, LSquare)
    TOKEN(4, RSquare)
    TOKEN(5, Less)
    TOKEN(6, Greater)
    TOKEN(7, LParen)
    TOKEN(8, RParen)
    TOKEN(9, Comma)
    TOKEN(10, Colon)
    TOKEN(11, Equal)
    TOKEN(12, Question)
    TOKEN(13, Star)
    TOKEN(14, Plus)
    TOKEN(15, VerticalBar)
#undef TOKEN
  }
  return ERROR;
}
int8_t ckeParseOperand(AssemblyParser *p, int8_t optional) {
  OpAsmParser::UnresolvedOperand operand;
  Presence result = optional ? presence(p->parser.parseOptionalOperand(operand)) : presence(p->parser.parseOperand(operand));
  if (result == PRESENT)
    p->operands.push_back(operand);
  return result;
}
/// The number of operands, or -1.
intptr_t ckeParseOperands(AssemblyParser *p) {
  size_t before = p->operands.size();
  return failed(p->parser.parseOperandList(p->operands)) ? -1 : intptr_t(p->operands.size() - before);
}
int8_t ckeParseAttribute(AssemblyParser *p, uint32_t kind, intptr_t slot, int8_t optional) {
  Attribute &out = p->slots.slot[slot];
  Builder &b = p->parser.getBuilder();
  switch (kind) { // as in def.rs
  case 0: {
    StringAttr name;
    if (failed(p->parser.parseOptionalSymbolName(name))) {
      if (optional)
        return ABSENT;
      p->parser.emitError(p->parser.getCurrentLocation(), "expected a symbol name, as in '@name'");
      return ERROR;
    }
    out = name;
    return PRESENT;
  }
  case 1: return parseChecked<FlatSymbolRefAttr>(*p, optional, {}, out);
  case 2: return parseLookedAhead<SymbolRefAttr>(*p, optional, {}, out);
  case 3: return parseLookedAhead<StringAttr>(*p, optional, b.getNoneType(), out);
  case 4: return parseChecked<IntegerAttr>(*p, optional, b.getI64Type(), out);
  case 5: return parseChecked<FloatAttr>(*p, optional, b.getF32Type(), out);
  case 6: return parseChecked<FloatAttr>(*p, optional, b.getF64Type(), out);
  case 7: return parseChecked<BoolAttr>(*p, optional, b.getI1Type(), out);
  case 8: out = b.getUnitAttr(); return PRESENT;
  case 9: return parseChecked<DictionaryAttr>(*p, optional, {}, out);
  case 10: return parseLookedAhead<ArrayAttr>(*p, optional, {}, out);
  case 11: return parseChecked<TypeAttr>(*p, optional, {}, out);
  default: return parseLookedAhead<Attribute>(*p, optional, {}, out);
  }
}
/// An attribute of the dictionary that the format has already given is an error; one that it hasn't goes to its slot.
int8_t ckeParseAttrDict(AssemblyParser *p, int8_t keyword) {
  SMLoc at = p->parser.getCurrentLocation();
  NamedAttrList &list = p->state.attributes;
  if (failed(keyword ? p->parser.parseOptionalAttrDictWithKeyword(list) : p->parser.parseOptionalAttrDict(list)))
    return ERROR;
  for (auto [i, name] : llvm::enumerate(p->op.names())) {
    if (list.empty())
      break;
    Attribute value = list.erase(name);
    if (!value)
      continue;
    if (p->slots.slot[i]) {
      p->parser.emitError(at, "attribute '") << name.getValue() << "' is given twice";
      return ERROR;
    }
    p->slots.slot[i] = value;
  }
  return PRESENT;
}
int8_t ckeParseType(AssemblyParser *p, int8_t optional) {
  Type type;
  Presence result = optional ? presence(p->parser.parseOptionalType(type)) : presence(p->parser.parseType(type));
  if (result == PRESENT)
    p->types.push_back(type);
  return result;
}
/// Appends the inputs, then the results.
int8_t ckeParseFunctionType(AssemblyParser *p, intptr_t *inputs, intptr_t *results) {
  FunctionType type;
  if (failed(p->parser.parseType(type)))
    return ERROR;
  llvm::append_range(p->types, type.getInputs());
  llvm::append_range(p->types, type.getResults());
  *inputs = type.getNumInputs();
  *results = type.getNumResults();
  return PRESENT;
}
int8_t ckeParseRegion(AssemblyParser *p, int8_t optional) {
  Region *region = p->state.addRegion();
  Presence result = optional ? presence(p->parser.parseOptionalRegion(*region)) : presence(p->parser.parseRegion(*region));
  if (result == PRESENT && !optional && p->op.has(SINGLE_BLOCK) && region->empty())
    region->emplaceBlock();
  return result;
}
void ckeAddEmptyRegion(AssemblyParser *p) { p->state.addRegion(); }
void ckeSetSlot(AssemblyParser *p, intptr_t slot, MlirAttribute value) { p->slots.slot[slot] = unwrap(value); }
void ckePushType(AssemblyParser *p, MlirType type) { p->types.push_back(unwrap(type)); }
MlirType ckeGetParsedType(AssemblyParser *p, intptr_t i) { return wrap(p->types[i]); }
MlirContext ckeParserContext(AssemblyParser *p) { return wrap(p->parser.getContext()); }
int8_t ckeResolveOperands(AssemblyParser *p, intptr_t first, intptr_t count, intptr_t firstType, intptr_t typeCount) {
  auto operands = ArrayRef(p->operands).slice(first, count);
  SMLoc at = operands.empty() ? p->parser.getNameLoc() : operands.front().location;
  return presence(p->parser.resolveOperands(operands, ArrayRef(p->types).slice(firstType, typeCount), at, p->state.operands));
}
void ckeAddResults(AssemblyParser *p, intptr_t firstType, intptr_t count) {
  p->state.addTypes(ArrayRef(p->types).slice(firstType, count));
}
void ckeParseError(AssemblyParser *p, MlirStringRef message) {
  p->parser.emitError(p->parser.getNameLoc(), unwrap(message));
}

// Printing: `space` is whether one comes before.
void ckePrintText(OpAsmPrinter *p, MlirStringRef text) { *p << unwrap(text); }
void ckePrintOperands(OpAsmPrinter *p, int8_t space, MlirOperation op, intptr_t first, intptr_t count) {
  separate(p, space).printOperands(unwrap(op)->getOperands().slice(first, count));
}
void ckePrintOperandTypes(OpAsmPrinter *p, int8_t space, MlirOperation op, intptr_t first, intptr_t count) {
  separate(p, space) << unwrap(op)->getOperands().slice(first, count).getTypes();
}
void ckePrintResultTypes(OpAsmPrinter *p, int8_t space, MlirOperation op, intptr_t first, intptr_t count) {
  separate(p, space) << unwrap(op)->getResults().slice(first, count).getTypes();
}
void ckePrintFunctionalType(OpAsmPrinter *p, int8_t space, MlirOperation op, intptr_t firstIn, intptr_t in,
                            intptr_t firstOut, intptr_t out) {
  separate(p, space).printFunctionalType(unwrap(op)->getOperands().slice(firstIn, in).getTypes(),
                                         unwrap(op)->getResults().slice(firstOut, out).getTypes());
}
void ckePrintAttribute(OpAsmPrinter *p, int8_t space, MlirAttribute attribute, int8_t withType) {
  separate(p, space);
  withType ? p->printAttribute(unwrap(attribute)) : p->printAttributeWithoutType(unwrap(attribute));
}
void ckePrintSymbolName(OpAsmPrinter *p, int8_t space, MlirAttribute name) {
  separate(p, space).printSymbolName(cast<StringAttr>(unwrap(name)).getValue());
}
void ckePrintAttrDict(OpAsmPrinter *p, MlirOperation wrapped, int8_t keyword, intptr_t count,
                      const MlirStringRef *printed) {
  Operation *op = unwrap(wrapped);
  SmallVector<StringRef, MAX_SLOTS> elided;
  bool all = tableOf(op).hasUnprintedAttributes;
  if (all)
    for (MlirStringRef name : ArrayRef(printed, count))
      elided.push_back(unwrap(name));
  ArrayRef<NamedAttribute> attributes = all ? op->getAttrs() : op->getDiscardableAttrDictionary().getValue();
  keyword ? p->printOptionalAttrDictWithKeyword(attributes, elided) : p->printOptionalAttrDict(attributes, elided);
}
void ckePrintRegion(OpAsmPrinter *p, int8_t space, MlirRegion region) {
  separate(p, space).printRegion(*unwrap(region));
}
void ckePrintGeneric(OpAsmPrinter *p, MlirOperation op) { p->printGenericOp(unwrap(op), /*printOpName=*/false); }
}

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
}

// ---- Passes and pipelines --------------------------------------------------------------------------------------

namespace {
/// The options of a pass or a pipeline in the order of their table.
class OptionValues {
public:
  enum Kind : uint32_t { TEXT, INTEGER, FLAG, TEXTS, INTEGERS };

  template <typename Parent> OptionValues(Parent &parent, ArrayRef<CkeOption> table) {
    using Base = std::conditional_t<std::is_base_of_v<Pass, Parent>, Pass, detail::PassOptions>;
    for (const CkeOption &option : table) {
      StringRef name = unwrap(option.name), initial = unwrap(option.initial);
      auto help = llvm::cl::desc(unwrap(option.help));
      SmallVector<StringRef> parts;
      initial.split(parts, ',', -1, /*KeepEmpty=*/false);
      switch (option.kind) {
      case TEXT: add<typename Base::template Option<std::string>>(parent, name, help, llvm::cl::init(initial.str())); break;
      case INTEGER: add<typename Base::template Option<int64_t>>(parent, name, help, llvm::cl::init(integer(initial))); break;
      case FLAG: add<typename Base::template Option<bool>>(parent, name, help, llvm::cl::init(initial == "true")); break;
      case TEXTS: {
        std::vector<std::string> values(parts.begin(), parts.end());
        add<typename Base::template ListOption<std::string>>(parent, name, help, llvm::cl::list_init<std::string>(values));
        break;
      }
      case INTEGERS: {
        std::vector<int64_t> values;
        llvm::append_range(values, llvm::map_range(parts, integer));
        add<typename Base::template ListOption<int64_t>>(parent, name, help, llvm::cl::list_init<int64_t>(values));
        break;
      }
      }
    }
  }
  template <typename T> const T &get(intptr_t i) const {
    return std::get<std::unique_ptr<Option<T>>>(options[i])->getValue();
  }
  template <typename T> ArrayRef<T> list(intptr_t i) const {
    return **std::get<std::unique_ptr<ListOption<T>>>(options[i]);
  }
  template <typename T> bool isList(intptr_t i) const {
    return std::holds_alternative<std::unique_ptr<ListOption<T>>>(options[i]);
  }

private:
  template <typename T> using Option = detail::PassOptions::Option<T>;
  template <typename T> using ListOption = detail::PassOptions::ListOption<T>;
  using Value = std::variant<std::unique_ptr<Option<std::string>>, std::unique_ptr<Option<int64_t>>,
                             std::unique_ptr<Option<bool>>, std::unique_ptr<ListOption<std::string>>,
                             std::unique_ptr<ListOption<int64_t>>>;
  std::vector<Value> options;

  template <typename T, typename... Args> void add(Args &&...args) {
    options.emplace_back(std::make_unique<T>(std::forward<Args>(args)...));
  }
  static int64_t integer(StringRef text) {
    int64_t value = 0;
    text.getAsInteger(10, value);
    return value;
  }
};

class RustPass : public Pass {
public:
  RustPass(const CkePass &table, TypeID id)
      : Pass(id, table.anchor.length ? std::optional<StringRef>(unwrap(table.anchor)) : std::nullopt), table(table), id(id),
        options(*this, ArrayRef(table.options, table.optionCount)) {}
  StringRef getName() const final { return unwrap(table.argument); }
  StringRef getArgument() const final { return unwrap(table.argument); }
  StringRef getDescription() const final { return unwrap(table.summary); }
  void getDependentDialects(DialectRegistry &registry) const final { table.dependentDialects(wrap(&registry), table.user); }
  bool canScheduleOn(RegisteredOperationName name) const final {
    return !table.anchor.length || name.getStringRef() == unwrap(table.anchor);
  }
  std::unique_ptr<Pass> clonePass() const final { return std::make_unique<RustPass>(table, id); }
  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> error) final {
    if (failed(Pass::initializeOptions(text, error)))
      return failure();
    std::string message;
    return table.validate(&options, &message, table.user) ? success() : error(getArgument() + ": " + message);
  }
  void runOnOperation() final {
    if (!table.run(wrap(getOperation()), this, &options, table.user))
      signalPassFailure();
  }
  LogicalResult runNested(OpPassManager &pipeline, Operation *op) { return runPipeline(pipeline, op); }

private:
  const CkePass &table;
  TypeID id;
  OptionValues options;
};
} // namespace

extern "C" {
MlirStringRef ckeOptionText(const OptionValues *o, intptr_t i) { return wrap(StringRef(o->get<std::string>(i))); }
int64_t ckeOptionInteger(const OptionValues *o, intptr_t i) { return o->get<int64_t>(i); }
int8_t ckeOptionFlag(const OptionValues *o, intptr_t i) { return o->get<bool>(i); }
intptr_t ckeOptionLength(const OptionValues *o, intptr_t i) {
  return o->isList<std::string>(i) ? o->list<std::string>(i).size() : o->list<int64_t>(i).size();
}
MlirStringRef ckeOptionListText(const OptionValues *o, intptr_t i, intptr_t k) { return wrap(StringRef(o->list<std::string>(i)[k])); }
int64_t ckeOptionListInteger(const OptionValues *o, intptr_t i, intptr_t k) { return o->list<int64_t>(i)[k]; }
void ckeAppend(std::string *to, MlirStringRef text) { *to += unwrap(text); }

void ckeRegisterPass(const CkePass *table) {
  TypeID id = freshTypeID();
  registerPass([=]() -> std::unique_ptr<Pass> { return std::make_unique<RustPass>(*table, id); });
}
void ckeRegisterPipeline(const CkePipeline *table) {
  ArrayRef<CkeOption> options(table->options, table->optionCount);
  registerPassPipeline(
      unwrap(table->name), unwrap(table->summary),
      [=](OpPassManager &manager, StringRef text, function_ref<LogicalResult(const Twine &)> error) -> LogicalResult {
        detail::PassOptions parent;
        OptionValues values(parent, options);
        if (failed(parent.parseFromString(text)))
          return failure();
        std::string out, errors;
        if (!table->expand(&values, &out, table->user))
          return error(unwrap(table->name) + ": " + out);
        llvm::raw_string_ostream stream(errors);
        return succeeded(parsePassPipeline(out, manager, stream)) ? success() : error(errors);
      },
      [=](function_ref<void(const detail::PassOptions &)> visit) {
        detail::PassOptions parent;
        OptionValues values(parent, options);
        visit(parent);
      });
}
/// Runs "builtin.module(..)" on an operation within the run of a pass.
int8_t ckeRunNested(RustPass *pass, MlirOperation op, MlirStringRef text) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  FailureOr<OpPassManager> manager = parsePassPipeline(unwrap(text), stream);
  if (failed(manager)) {
    emitError(unwrap(op)->getLoc()) << StringRef(errors).trim();
    return false;
  }
  return succeeded(pass->runNested(*manager, unwrap(op)));
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
void ckeEmit(MlirLocation location, uint32_t severity, MlirStringRef message, intptr_t noteCount, const MlirLocation *locations,
             const MlirStringRef *notes) {
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
int8_t ckeIsSymbolTable(MlirOperation op) { return unwrap(op)->hasTrait<OpTrait::SymbolTable>(); }
MlirOperation ckeGetPrevious(MlirOperation op) { return wrap(unwrap(op)->getPrevNode()); }
/// Inherent and discardable attributes.
MlirAttribute ckeGetAttributes(MlirOperation op) { return wrap(Attribute(unwrap(op)->getAttrDictionary())); }

// ---- Tools -----------------------------------------------------------------------------------------------------

/// `nesting` returns the offset of the first bracket that opens too deep a level, or -1.
int ckeOptMain(int argc, char **argv, MlirStringRef tool, MlirDialectRegistry wrapped, intptr_t (*nesting)(MlirStringRef),
               MlirStringRef nestingError, void (*printStatistics)()) {
  static llvm::cl::opt<bool> statistics("cke-pass-statistics", llvm::cl::desc("Print the statistics of the passes of this tool"));
  DialectRegistry &registry = *unwrap(wrapped);
  llvm::InitLLVM init(argc, argv);
  auto [inputName, outputName] = registerAndParseCLIOptions(argc, argv, unwrap(tool), registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, inputName, outputName, registry));

  std::string error;
  auto fail = [&] { llvm::errs() << error << "\n"; return EXIT_FAILURE; };
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
}
