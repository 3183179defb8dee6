// Control flow.
#ifndef CKE_PRELUDE_CONTROL_FLOW_INTERFACES
#define CKE_PRELUDE_CONTROL_FLOW_INTERFACES

include "mlir/IR/OpBase.td"

def ReturnLike : Trait;

#endif // CKE_PRELUDE_CONTROL_FLOW_INTERFACES
