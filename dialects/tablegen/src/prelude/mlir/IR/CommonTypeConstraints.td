// Constraints on the types of operands and results.
#ifndef CKE_PRELUDE_COMMON_TYPE_CONSTRAINTS
#define CKE_PRELUDE_COMMON_TYPE_CONSTRAINTS

class Constraint {
  string summary = "";
}
class TypeConstraint : Constraint;

class Type : TypeConstraint {
  string description = "";
}

// Zero or more values.
class Variadic<Type type> : TypeConstraint {
  let summary = "variadic of " # type.summary;
  Type baseType = type;
  int minSize = 0;
}

// Zero or one value.
class Optional<Type type> : TypeConstraint {
  let summary = type.summary;
  Type baseType = type;
}

// Types which the model knows by name.
def AnyType : Type { let summary = "any type"; }
def AnyInteger : Type { let summary = "integer"; }
def AnyFloat : Type { let summary = "floating-point"; }
def Index : Type { let summary = "index"; }

class I<int width> : Type {
  let summary = width # "-bit signless integer";
  int bitwidth = width;
}
def I1 : I<1>;
def I8 : I<8>;
def I32 : I<32>;
def I64 : I<64>;

class F<int width> : Type {
  let summary = width # "-bit float";
  int bitwidth = width;
}
def F16 : F<16>;
def F32 : F<32>;
def F64 : F<64>;
def BF16 : Type { let summary = "bfloat16 type"; }

// A tensor or memref. The model reads the fields of this class; upstream has them in a predicate in C++.
class ShapedContainerType<list<Type> allowedTypes, string kind, string descr> : Type {
  string containerKind = kind;
  string containerSummary = descr;
  list<Type> elementTypes = allowedTypes;
  list<int> allowedRanks = [];
  let summary = containerSummary # " of " # !interleave(!foreach(t, elementTypes, t.summary), " or ") # " values";
}

class TensorOf<list<Type> allowedTypes> : ShapedContainerType<allowedTypes, "tensor", "tensor">;
class RankedTensorOf<list<Type> allowedTypes> : ShapedContainerType<allowedTypes, "ranked", "ranked tensor">;

class TensorRankOf<list<Type> allowedTypes, list<int> ranks> : RankedTensorOf<allowedTypes> {
  let allowedRanks = ranks;
  let containerSummary = !interleave(!foreach(rank, ranks, rank # "D"), "/") # " tensor";
}
class 0DTensorOf<list<Type> allowedTypes> : TensorRankOf<allowedTypes, [0]>;
class 1DTensorOf<list<Type> allowedTypes> : TensorRankOf<allowedTypes, [1]>;
class 2DTensorOf<list<Type> allowedTypes> : TensorRankOf<allowedTypes, [2]>;
class 3DTensorOf<list<Type> allowedTypes> : TensorRankOf<allowedTypes, [3]>;
class 4DTensorOf<list<Type> allowedTypes> : TensorRankOf<allowedTypes, [4]>;

class MemRefOf<list<Type> allowedTypes> : ShapedContainerType<allowedTypes, "memref", "memref">;

def AnyTensor : TensorOf<[AnyType]>;
def AnyRankedTensor : RankedTensorOf<[AnyType]>;
def AnyMemRef : MemRefOf<[AnyType]>;

#endif // CKE_PRELUDE_COMMON_TYPE_CONSTRAINTS
