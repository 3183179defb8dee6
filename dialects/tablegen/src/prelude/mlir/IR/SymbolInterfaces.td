// Symbols and their users.
#ifndef CKE_PRELUDE_SYMBOL_INTERFACES
#define CKE_PRELUDE_SYMBOL_INTERFACES

include "mlir/IR/OpBase.td"

def Symbol : OpInterface<"SymbolOpInterface">;
def SymbolUserOpInterface : OpInterface<"SymbolUserOpInterface">;
def SymbolTable : Trait;

#endif // CKE_PRELUDE_SYMBOL_INTERFACES
