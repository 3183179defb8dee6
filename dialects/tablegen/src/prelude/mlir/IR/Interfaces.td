// Traits and interfaces.
#ifndef CKE_PRELUDE_INTERFACES
#define CKE_PRELUDE_INTERFACES

class Trait;

// Stands for all traits of the list.
class TraitList<list<Trait> props> : Trait {
  list<Trait> traits = props;
}

class OpInterface<string name> : Trait {
  string cppInterfaceName = name;
}

// Asks for the methods of an interface, which the dialect implements.
class DeclareOpInterfaceMethods<OpInterface interface, list<string> overridenMethods = []>
    : OpInterface<interface.cppInterfaceName> {
  list<string> alwaysOverriddenMethods = overridenMethods;
}

#endif // CKE_PRELUDE_INTERFACES
