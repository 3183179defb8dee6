// A dialect. Fields that only steer generated C++ are here so that setting one is an error of the model, not a typo.
#ifndef CKE_PRELUDE_DIALECT_BASE
#define CKE_PRELUDE_DIALECT_BASE

// The operators of argument, result and region lists.
def ins;
def outs;

class Dialect {
  string name = ?;
  string summary = ?;
  string description = ?;
  list<string> dependentDialects = [];
  dag discardableAttrs = (ins);
  string cppNamespace = name;
  code extraClassDeclaration = "";
  bit hasConstantMaterializer = 0;
  bit hasNonDefaultDestructor = 0;
  bit hasOperationAttrVerify = 0;
  bit hasRegionArgAttrVerify = 0;
  bit hasRegionResultAttrVerify = 0;
  bit hasOperationInterfaceFallback = 0;
  bit useDefaultAttributePrinterParser = 0;
  bit useDefaultTypePrinterParser = 0;
  bit hasCanonicalizer = 0;
  bit isExtensible = 0;
  bit usePropertiesForAttributes = 1;
}

#endif // CKE_PRELUDE_DIALECT_BASE
