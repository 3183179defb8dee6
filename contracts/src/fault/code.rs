//! The codes of the contract system and the page of each.

use crate::fault_codes;

fault_codes! {
    /// The rule a fault of a contract broke: `CKE-C`.
    pub enum Code;

    // Resolution and what may never change after it.
    ProviderReselected = "C001", "a decision was changed",
        "The provider, the contract or the function of an operation is not the one that was decided. Resolution \
         happens once; no pass, back end or option may select again. Find what changed the operation, or change the \
         circuit, the contract registry or a kernel map and resolve anew.";
    NoProvider = "C002", "no provider fits",
        "No kernel map fulfils the request. Every candidate is listed with the reasons why it was rejected: another \
         operation, phase or contract, a required key it does not provide, or a storage it does not accept. There is \
         no fallback: let the circuit request what exists, or add a kernel map.";
    SeveralProviders = "C003", "several providers fit",
        "More than one kernel map fulfils the request, and nothing ranks them: they do not all belong to one equivalence \
         group, or two share the greatest priority. Make the request say more (a key under `requires`), give \
         providers of equal meaning one group and distinct priorities, or retire a kernel map.";
    Unresolved = "C004", "an operation has no decision",
        "An operation that requires a contract has no resolution at a level where it must have one. A pass created it \
         after resolution, or resolution did not run.";
    DefinitionEdited = "C005", "a definition changed after resolution",
        "The digest of a decision no longer fits: the request, the contract or the kernel map was edited after it was \
         resolved. Resolve again from the edited sources; a decision does not carry over to another definition.";
    DuplicateInstance = "C006", "an instance appears twice",
        "Two operations bear one instance name. An operation was duplicated after resolution, or two operations of a \
         circuit were named alike.";
    UnknownContract = "C007", "the requested contract does not exist",
        "The registry has no contract of the requested id. Nothing similar is taken in its place: correct the \
         circuit, or define the contract.";
    NotValidated = "C008", "production mode refuses what is not validated",
        "In production mode the request, the contract and the capability must all be `validated`, the capability must \
         be an explicit selector and the provider must have the lifecycle `production`. Every blocker is listed.";
    MalformedRequest = "C009", "a request is not complete or not well-formed",
        "A request names its instance, operation, phase, contract and the storage of every weight, and nothing the \
         candidates do not know.";
    MissingOperation = "C010", "an operation of the ledger is gone",
        "The ledger has a decision for an instance that the program no longer contains: the operation was removed, \
         renamed or merged with another.";
    NotGoverned = "C011", "an operation requires no contract",
        "An operation without a request would be computed by no stated rule. The circuit must name the contract of \
         every operation, for every phase it runs in.";
    ResolvedTwice = "C012", "an operation was resolved before",
        "Resolution found a decision that is already there. It runs once on a program without decisions.";
    LedgerEdited = "C013", "the ledger does not agree with its root",
        "The root of a ledger is the digest over its entries. One of them was edited.";
    UnrecordedOperation = "C014", "a decision is not in the ledger",
        "An operation bears a decision for an instance the ledger does not know: it was added after resolution.";
    OperationNotCovered = "C015", "the contract does not govern the operation",
        "A contract lists the operations it governs, and the requested one is not among them. Request another \
         contract or extend the registry.";
    // Reading.
    BadJson = "C020", "a text is not JSON as this project reads it",
        "The text breaks RFC 8259 or is no UTF-8, is beyond a limit (of bytes, depth, values, or the length of a string or \
         a number), or holds a number that canonical JSON cannot keep: an integer beyond 2^53, a negative zero, or one \
         so small that it would become zero.";
    DuplicateKey = "C021", "a key is given twice",
        "JSON leaves open which of two equal keys counts, so neither does.";
    Schema = "C022", "a field is unknown, missing or of another type",
        "The message has the path to the value. Fields are never ignored and never guessed.";
    DuplicateId = "C023", "an id is defined twice",
        "Every contract and every provider has one definition.";
    AmbiguousId = "C024", "an id says too little or is misspelt",
        "An id such as `fp16`, `fast` or `strict` names a policy, not a meaning. Ids are lower-case words joined by \
         underscores that say what is computed.";
    UnsupportedVersion = "C029", "a file has another schema or version",
        "The envelope of a registry file names its schema and versions; others are not read.";
    // Contracts.
    IncompleteContract = "C025", "a contract leaves something open",
        "A field that the meaning depends on is missing: a part of the explicit semantics that the operator family \
         needs, or a field that the partition kind needs.";
    ContradictoryContract = "C026", "fields of a contract contradict each other",
        "Two fields cannot both hold, such as lanes whose tree does not fold them, or threads that change the order \
         of a reduction declared independent.";
    EqualContracts = "C027", "two contracts have the same meaning",
        "Two ids with equal semantic fields are one contract under two names. Remove one, or say in a field what \
         distinguishes them.";
    BadComposite = "C028", "a composite is stronger than its parts",
        "A contract that refers to others must name existing ones, other than itself, and cannot be confirmed further \
         than they are.";
    // Kernel maps.
    ProviderUnknownContract = "C030", "a provider claims an unknown contract",
        "A capability names a contract the registry does not define.";
    FunctionDisagreement = "C031", "the functions of a provider disagree",
        "A capability is fulfilled by the function of the kernel map's `impl`, and by no other.";
    ArithmeticDisagreement = "C032", "a capability repeats its contract wrongly",
        "The five values under `arithmetic` must equal those of the contract.";
    BadCallAbi = "C033", "a call cannot be made from the kernel map",
        "Every slot has its own name and a source that is a declared port or a run-time value, every port is passed \
         exactly once, and the convention has version 1.";
    BadPort = "C034", "a port is not well-formed",
        "Port names are unique; weights say how they may be stored and prepared, scratch says its size, and only they \
         do; the layout suits the rank; an alias names an input of the same type and shape.";
    ThreadingDisagreement = "C035", "the threading of a capability contradicts its contract",
        "The capability must offer the contract's work partition, and may not change the order of a reduction that \
         the contract fixes.";
    BadCapability = "C036", "the claims of a provider are not well-formed",
        "A provider claims at least one contract, each once, for phases it serves.";
    OperationDisagreement = "C037", "a provider claims a contract of other operations",
        "The contract lists the operations it governs; the provider's is not among them.";
    StorageDisagreement = "C046", "ports do not store what the contract says",
        "Inputs, weights and outputs of a provider have the types that its contract's storage states, and every factor \
         of the contract's reduction is a port.";
    BadProvides = "C038", "a key of `provides` is not well-formed",
        "Every key provides at least one value, each once, and agrees with the ports it describes.";
    BadDims = "C039", "the compile-time facts of a provider are not well-formed",
        "Dimensions and parameters have unique names; a found one is a name of a port's shape or an attribute, a \
         derived one is an expression over found ones.";
    BadSelection = "C047", "what narrows the choice of a provider is not well-formed",
        "A selection names an equivalence group, and a constraint says of a declared dimension something an extent can \
         satisfy. Providers are ranked only inside one group, by distinct priorities.";
    // Circuits.
    BadDataflow = "C040", "the dataflow of a circuit is not well-formed",
        "Every value is defined once before it is used, and every defined tensor, state and table is used.";
    BadRequirement = "C041", "not exactly one requirement is active",
        "For every operation and phase exactly one requirement must match the configuration.";
    BadConfig = "C042", "a configuration value cannot be found or computed",
        "The model does not have the metadata, or an expression has no exact result, or a check of the circuit fails.";
    RefusedModel = "C043", "the model needs something the circuit does not describe",
        "A metadata value says that the model computes something else than this circuit. It is refused rather than \
         computed wrongly.";
    UnknownArchitecture = "C044", "no circuit describes the architecture",
        "Architectures are matched by exact name; nothing similar is taken in its place.";
    // Files of the v8 generation.
    UnknownFile = "C050", "a file is none that is known",
        "What a file is follows from its own keys, not from its name. The text has none of the keys by which the kinds of \
         files are told apart, or a schema that is not read here.";
    IncompleteIdentity = "C051", "a kernel map does not say what it is",
        "A kernel map has an id, the operation it serves and the function under `impl`. Without them no decision could \
         name it.";
    UnprovenOracle = "C052", "an oracle is none",
        "A scalar oracle is a function whose name ends in `_ref`. An oracle taken from a loaded model's graph counts only \
         if a comparison with that graph is validated and the provider is compared bit for bit.";
    NoThreadedEntry = "C053", "a provider on the thread pool has no threaded entry",
        "Where threading says `ck_threadpool`, work must reach the pool's threads, and a quantized linear provider names \
         its threaded function.";
    BadQueryTiling = "C054", "query tilings do not cover every number of tokens once",
        "Routes follow each other without gap and overlap, each with its own function, and only the last has no end.";
    BadRoute = "C055", "the routes of a provider are not well-formed",
        "The last route, and no other, is the fallback. A predicate bounds an axis exactly or by a range, not both, and \
         constants of the call that repeat a route agree with it.";
    BadInterface = "C056", "ports and calls of an interface disagree",
        "Maps of one operation interface have the same ports and state their layout. An alias names a port of the same \
         type and shape, and a call passes every port that is needed once, and shared memory in one argument.";
    NoQuantizationContract = "C057", "nothing says how an activation is quantised",
        "A provider of a contract that reads quantised activations names the rounding of the quantiser under \
         `quant.activation_quantization_contract`, for every phase it serves.";
    EmptySelector = "C058", "a selector selects nothing",
        "A selector needs at least one predicate. A requirement that always applies has none.";
    NoRequirement = "C059", "a circuit has no requirement",
        "A circuit that requires no contract says nothing about its numbers. It can be read, but nothing is resolved \
         for it.";
    RequirementUnused = "C060", "a requirement governs no operation",
        "The operations a requirement names are in none of the circuit's blocks: it was misspelt, or the operation was \
         removed.";
    BadCheckpoint = "C061", "a checkpoint is not well-formed",
        "Checkpoints have distinct ids with no other placeholder than `{layer}`, and are made by an operation that the \
         requirement governs.";
    BadMemory = "C062", "a demand for memory cannot be met",
        "An alignment is a power of two of at least 64. Prepared weights state their bytes over the map's dims and a \
         budget of at most 2 GiB.";
    BadBlock = "C063", "the blocks of a circuit are not well-formed",
        "The sequence names blocks that exist, the sequence of a block names parts that exist, and only a circuit that \
         is written out can be resolved.";
    BadManifest = "C064", "a weight manifest is not well-formed",
        "A manifest lists at least one tensor, each once, none over another, with every weight that the circuit needs, \
         stored in a way that is known.";
    NotDeclared = "C065", "the circuit does not declare the operation or the phase",
        "Only operations and phases that a circuit lists can be asked for. What it declares is listed.";
}
