// Constraints on attributes. The model knows each definition by its name.
#ifndef CKE_PRELUDE_COMMON_ATTR_CONSTRAINTS
#define CKE_PRELUDE_COMMON_ATTR_CONSTRAINTS

include "mlir/IR/CommonTypeConstraints.td"

class AttrConstraint : Constraint;

class Attr : AttrConstraint {
  bit isOptional = 0;
  Attr baseAttr = ?;
  string description = "";
}

class OptionalAttr<Attr attr> : Attr {
  let summary = attr.summary;
  let isOptional = 1;
  let baseAttr = attr;
}

def AnyAttr : Attr { let summary = "any attribute"; }
def ArrayAttr : Attr { let summary = "array attribute"; }
def BoolAttr : Attr { let summary = "bool attribute"; }
def DictionaryAttr : Attr { let summary = "dictionary of named attribute values"; }
def F32Attr : Attr { let summary = "32-bit float attribute"; }
def F64Attr : Attr { let summary = "64-bit float attribute"; }
def FlatSymbolRefAttr : Attr { let summary = "flat symbol reference attribute"; }
def I64Attr : Attr { let summary = "64-bit signless integer attribute"; }
def StrAttr : Attr { let summary = "string attribute"; }
def SymbolNameAttr : Attr { let summary = "string attribute"; }
def SymbolRefAttr : Attr { let summary = "symbol reference attribute"; }
def TypeAttr : Attr { let summary = "any type attribute"; }
def UnitAttr : Attr {
  let summary = "unit attribute";
  let isOptional = 1;
}

#endif // CKE_PRELUDE_COMMON_ATTR_CONSTRAINTS
