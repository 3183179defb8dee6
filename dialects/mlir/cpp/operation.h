// Operations described by a table: their traits, interfaces, inherent attributes and verification.
//
// One class stands for all of them. What ODS would generate for each operation is read from its table here, or is a
// callback into Rust.
#ifndef CKE_OPERATION_H
#define CKE_OPERATION_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tables.h"

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
} // namespace

#endif // CKE_OPERATION_H
