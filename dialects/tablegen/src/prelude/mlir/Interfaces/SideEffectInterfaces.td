// Effects on memory.
#ifndef CKE_PRELUDE_SIDE_EFFECT_INTERFACES
#define CKE_PRELUDE_SIDE_EFFECT_INTERFACES

include "mlir/IR/OpBase.td"

class MemoryEffect;
def MemAlloc : MemoryEffect;
def MemFree : MemoryEffect;
def MemRead : MemoryEffect;
def MemWrite : MemoryEffect;

class MemoryEffects<list<MemoryEffect> staticEffects = []> : Trait {
  list<MemoryEffect> effects = staticEffects;
}

def Pure : Trait;
def RecursiveMemoryEffects : Trait;

#endif // CKE_PRELUDE_SIDE_EFFECT_INTERFACES
