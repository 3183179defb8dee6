// Custom assembly: what the interpreter of formats (src/assembly) calls to parse and to print one element.
#ifndef CKE_ASSEMBLY_H
#define CKE_ASSEMBLY_H

#include "operation.h"

namespace {
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
  Presence result = optional ? presence(p->parser.parseOptionalOperand(operand))
                             : presence(p->parser.parseOperand(operand));
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
  Presence result = optional ? presence(p->parser.parseOptionalRegion(*region))
                             : presence(p->parser.parseRegion(*region));
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
  auto types = ArrayRef(p->types).slice(firstType, typeCount);
  SMLoc at = operands.empty() ? p->parser.getNameLoc() : operands.front().location;
  return presence(p->parser.resolveOperands(operands, types, at, p->state.operands));
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
} // extern "C"

#endif // CKE_ASSEMBLY_H
