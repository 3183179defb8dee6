// Types that follow from other types.
#ifndef CKE_PRELUDE_INFER_TYPE_OP_INTERFACE
#define CKE_PRELUDE_INFER_TYPE_OP_INTERFACE

include "mlir/IR/OpBase.td"

def SameOperandsAndResultType : Trait;

#endif // CKE_PRELUDE_INFER_TYPE_OP_INTERFACE
