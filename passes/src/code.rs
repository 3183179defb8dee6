//! The stable codes of lowering faults and the page of each. A code is never given another meaning and never reused.

cke_contracts::fault_codes! {
    /// The rule a lowering broke: `CKE-L`.
    pub enum Code;

    TwoLayouts = "L001", "a weight or state is needed in two layouts",
        "Two decided providers read one tensor, and their kernel maps ask for different layouts or preparations. The \
         tensor is prepared once. Let the circuit use two tensors, or the kernel maps agree.";
    DoesNotFit = "L002", "an operation does not suit its provider",
        "The decided provider needs a port, an extent, a parameter or a size that the operation does not have. The \
         circuit and the kernel map disagree about what the operation is.";
    TooLarge = "L003", "an extent is too large or not the same everywhere",
        "Offsets are 63-bit, and all caches of a program hold the same number of positions.";
    UnknownGlobal = "L004", "a buffer cannot be named",
        "An operation names a weight, state or io buffer that is not declared, or a name is declared twice.";
    NotPlanned = "L005", "a buffer has no place yet",
        "`lower-to-call` needs the offsets that `plan-memory` gives.";
    NoKernel = "L006", "a kernel cannot be made",
        "The generator of the decided function refuses the contract, the shape or the instruction set. Nothing else is \
         used in its place.";
}
