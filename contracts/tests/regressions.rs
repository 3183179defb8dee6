//! Cases of docs/regressions.md that are about requests and providers only.

mod support;

use cke_contracts::fault::Code;
use cke_contracts::registry::Registry;
use cke_contracts::resolve::{Mode, Request, Resolver};
use serde_json::json;
use support::{Definitions, linear_request, set};

/// A model fed in one batch of rows and in several differs from the fourth step on, so how the rows were fed is a
/// demand like any other: a provider of one schedule is none of the other.
#[test]
fn regression_25_schedules_are_not_exchanged() {
    let key = "/provides/execution.schedule";
    let request = |schedule: &str| {
        let mut request = linear_request();
        request.requires.insert("execution.schedule".to_owned(), schedule.to_owned());
        request
    };
    let mut definitions = Definitions::native();
    set(definitions.provider("cke_linear_fp32"), key, json!(["segmented_33_1008_266"]));
    let resolve = |registry: &Registry, schedule| Resolver::new(registry).resolve(&request(schedule), Mode::Bringup);
    let registry = definitions.clone().load().unwrap();
    let segmented = resolve(&registry, "segmented_33_1008_266").unwrap();
    let fault = resolve(&registry, "combined_1307").unwrap_err();
    assert_eq!(fault.code, Code::NoProvider);
    let reason = "'execution.schedule' must be 'combined_1307', it provides segmented_33_1008_266";
    assert!(fault.to_string().contains(reason), "{fault}");
    // With a provider of each, each serves its own, and the decisions cannot be mistaken for one another.
    set(definitions.derive_provider("cke_linear_fp32", "cke_linear_fp32_combined"), key, json!(["combined_1307"]));
    let registry = definitions.load().unwrap();
    let combined = resolve(&registry, "combined_1307").unwrap();
    assert_eq!(combined.provider, "cke_linear_fp32_combined");
    assert_eq!(resolve(&registry, "segmented_33_1008_266").unwrap(), segmented);
    assert_ne!(combined.digest, segmented.digest);
    let fault = Resolver::new(&registry).verify(&request("combined_1307"), &segmented, Mode::Bringup).unwrap_err();
    assert_eq!(fault.code, Code::ProviderReselected);
    // Who asks for no schedule where two are served is refused: silence is no choice.
    let fault = Resolver::new(&registry).resolve(&linear_request(), Mode::Bringup).unwrap_err();
    assert_eq!(fault.code, Code::SeveralProviders);
}

/// A fused gate and up projection computed other bits than the three operations it replaced. A fused provider serves a
/// fused operation under a contract that governs it; it can claim none of the contracts of the parts.
#[test]
fn regression_27_fusion_needs_a_contract_of_its_own() {
    let fused = |contract: &str| {
        let mut definitions = Definitions::native();
        let map = definitions.derive_provider("cke_swiglu_fp32", "cke_gate_up_swiglu_fp32");
        set(map, "/op", json!("gate_up_swiglu"));
        set(map, "/numerical_capabilities/0/contract_id", json!(contract));
        definitions
    };
    for contract in ["swiglu_fp32_sigmoid_e1_divide", "linear_fp32_ascending_k_fma"] {
        let mut definitions = fused(contract);
        assert!(definitions.contract(contract)["semantics"]["operations"].is_array());
        let fault = definitions.load().unwrap_err();
        assert!(
            matches!(
                fault.code,
                Code::OperationDisagreement | Code::ArithmeticDisagreement | Code::ThreadingDisagreement
            ),
            "{fault}"
        );
    }
    // Nor does a request for the fused operation get by with the contract of a part.
    let registry = Registry::native().unwrap();
    let request = Request { op: "gate_up_swiglu".to_owned(), storage: Default::default(), ..linear_request() };
    let fault = Resolver::new(&registry).resolve(&request, Mode::Bringup).unwrap_err();
    assert_eq!(fault.code, Code::OperationNotCovered);
}
