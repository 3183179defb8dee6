//! The claim of a quantized linear contract: an oracle, and a function that was compared with it.

use crate::registry::vocabulary::Status;
use crate::v8::record::record;
use crate::v8::words::{ComparisonRequirement, OracleAdapter, OracleKind};

record! {
    /// The oracle of a provider.
    LinearReference {
        required {
            /// The function.
            function: String,
            /// What it is.
            kind: OracleKind,
            /// How it is called.
            adapter: OracleAdapter,
            /// What confirms it.
            validation: ReferenceValidation,
        }
    }
}

record! {
    /// What confirms an oracle.
    ReferenceValidation {
        required {
            /// How far.
            status: Status,
            /// Its tests.
            tests: Vec<String>,
            /// What it was compared with.
            external_oracles: Vec<ExternalOracle>,
        }
    }
}

record! {
    /// Another implementation an oracle was compared with.
    ExternalOracle {
        required {
            /// What it is.
            backend: String,
            /// How far the comparison has been confirmed.
            status: Status,
            /// The test that compares.
            evidence: String,
        }
    }
}

record! {
    /// The function of a provider.
    LinearProduction {
        required {
            /// The function.
            function: String,
            /// How near it comes to the oracle.
            reference_comparison: ReferenceComparison,
        }
        optional {
            /// The function that uses threads.
            threaded_function: String,
        }
    }
}

record! {
    /// How near a function must come to its oracle.
    ReferenceComparison {
        required {
            /// In which sense.
            requirement: ComparisonRequirement,
            /// The greatest difference.
            absolute_tolerance: f64,
            /// The greatest difference in relation to the value.
            relative_tolerance: f64,
            /// The tests that compare.
            tests: Vec<String>,
        }
    }
}
