// Operations. The names and fields are those of MLIR's file of this name, as far as the model supports them.
#ifndef CKE_PRELUDE_OP_BASE
#define CKE_PRELUDE_OP_BASE

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/Interfaces.td"

// The operators of region and successor lists.
def region;
def successor;

class Region : Constraint;
def AnyRegion : Region { let summary = "any region"; }

def AttrSizedOperandSegments : Trait;
def Commutative : Trait;
def IsolatedFromAbove : Trait;
def NoTerminator : Trait;
def SingleBlock : Trait;
def Terminator : Trait;

// The named operands, results and typed attributes have one type.
class AllTypesMatch<list<string> names> : Trait {
  list<string> values = names;
}

// An argument or result with a description.
class OpVariable<Constraint varConstraint, string desc = ""> {
  Constraint constraint = varConstraint;
  string summary = desc;
}
class Arg<Constraint constraint, string desc = ""> : OpVariable<constraint, desc>;
class Res<Constraint constraint, string desc = ""> : OpVariable<constraint, desc>;

class OpBuilder;

// A chapter of the generated documentation.
class OpDocGroup {
  string summary;
  string description;
}

class Op<Dialect dialect, string mnemonic, list<Trait> props = []> {
  Dialect opDialect = dialect;
  string opName = mnemonic;
  string cppNamespace = dialect.cppNamespace;
  string summary = "";
  string description = "";
  OpDocGroup opDocGroup = ?;
  dag arguments = (ins);
  dag results = (outs);
  dag regions = (region);
  dag successors = (successor);
  list<OpBuilder> builders = ?;
  bit skipDefaultBuilders = 0;
  string assemblyFormat = ?;
  bit hasCustomAssemblyFormat = 0;
  bit hasVerifier = 0;
  bit hasRegionVerifier = 0;
  bit hasCanonicalizer = 0;
  bit hasCanonicalizeMethod = 0;
  bit hasFolder = 0;
  bit useCustomPropertiesEncoding = 0;
  list<Trait> traits = props;
  code extraClassDeclaration = ?;
  code extraClassDefinition = ?;
}

#endif // CKE_PRELUDE_OP_BASE
