//! Requests, decisions and the faults of resolution: exactly one provider, or a refusal that lists every candidate.

mod support;

use cke_contracts::fault::{Code, HELP};
use cke_contracts::registry::Registry;
use cke_contracts::registry::vocabulary::{Phase, Status, TensorStorage};
use cke_contracts::resolve::{Decision, Mode, Request, Resolver};
use serde_json::{Value, json};
use support::{Definitions, expect_fault, linear_request, set};

const LINEAR: &str = "cke_linear_fp32";

fn native() -> Registry {
    Registry::native().unwrap()
}

/// Why the linear provider was rejected, as printed.
fn rejection(definitions: Definitions, request: &Request) -> String {
    let fault = Resolver::new(&definitions.load().unwrap()).resolve(request, Mode::Bringup).unwrap_err();
    assert_eq!(fault.code, Code::NoProvider);
    assert_eq!(fault.candidates.len(), 11, "every provider is a candidate");
    fault.candidates.into_iter().find(|candidate| candidate.provider == LINEAR).unwrap().to_string()
}

#[test]
fn a_request_has_one_decision() {
    let registry = native();
    let decision = Resolver::new(&registry).resolve(&linear_request(), Mode::Bringup).unwrap();
    assert_eq!(
        (decision.provider.as_str(), decision.contract.as_str(), decision.function.as_str()),
        (LINEAR, "linear_fp32_ascending_k_fma", "cke_linear_fp32")
    );
    assert!(decision.digest.starts_with("sha256:") && decision.digest.len() == 71);
    Resolver::new(&registry).verify(&linear_request(), &decision, Mode::Bringup).unwrap();
}

#[test]
fn every_part_of_a_request_enters_the_digest() {
    let registry = native();
    let digest = |request: &Request| Resolver::new(&registry).resolve(request, Mode::Bringup).unwrap().digest;
    let base = linear_request();
    let edits: [fn(&mut Request); 6] = [
        |r| r.instance = "decode/blk.1/attn_q".to_owned(),
        |r| r.operation = "decoder.attn_k".to_owned(),
        |r| r.phase = Phase::Prefill,
        |r| r.requires.clear(),
        |r| r.validation = Status::Validated,
        |r| r.storage = [("w".to_owned(), TensorStorage::F32)].into(),
    ];
    let mut digests = vec![digest(&base)];
    for edit in edits {
        let mut request = base.clone();
        edit(&mut request);
        digests.push(digest(&request));
    }
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 7);
}

#[test]
fn without_the_provider_there_is_none() {
    let mut definitions = Definitions::native();
    definitions.providers.retain(|(id, _)| id != LINEAR);
    let fault = Resolver::new(&definitions.load().unwrap()).resolve(&linear_request(), Mode::Bringup).unwrap_err();
    assert_eq!(
        fault.to_string(),
        format!(
            "error: 'decode/blk.0/attn_q': no provider of operation 'linear' fulfils contract \
             'linear_fp32_ascending_k_fma' in phase decode [CKE-C002]\n  \
             note: rejected for their operation: 'cke_argmax_fp32' (argmax), 'cke_attention_fp32' (attention), \
             'cke_embedding_fp32' (embedding), 'cke_kv_append_fp32' (kv_append), 'cke_logits_fp32' (logits), \
             'cke_residual_add_fp32' (residual_add), 'cke_rmsnorm_fp32' (rmsnorm), 'cke_rope_pairwise_fp32' (rope), \
             'cke_rope_split_half_fp32' (rope), 'cke_swiglu_fp32' (swiglu)\n  help: {HELP}"
        )
    );
}

#[test]
fn two_providers_are_one_too_many() {
    let mut definitions = Definitions::native();
    definitions.derive_provider(LINEAR, "cke_linear_fp32_twin");
    let fault = Resolver::new(&definitions.load().unwrap()).resolve(&linear_request(), Mode::Bringup).unwrap_err();
    assert_eq!(fault.code, Code::SeveralProviders);
    assert_eq!(
        fault.message,
        "'decode/blk.0/attn_q': 2 providers of operation 'linear' fulfil contract 'linear_fp32_ascending_k_fma' in \
         phase decode: 'cke_linear_fp32', 'cke_linear_fp32_twin'"
    );
    assert_eq!(fault.candidates.len(), 12);
    let fitting: Vec<_> = fault.candidates.iter().filter(|c| c.fits()).map(ToString::to_string).collect();
    assert_eq!(fitting, ["'cke_linear_fp32' fits", "'cke_linear_fp32_twin' fits"]);
}

#[test]
fn a_retired_twin_does_not_count() {
    for status in ["deprecated", "diagnostic"] {
        let mut definitions = Definitions::native();
        set(definitions.derive_provider(LINEAR, "cke_linear_fp32_twin"), "/status", json!(status));
        let decision = Resolver::new(&definitions.load().unwrap()).resolve(&linear_request(), Mode::Bringup).unwrap();
        assert_eq!(decision.provider, LINEAR);
        let mut definitions = Definitions::native();
        set(definitions.provider(LINEAR), "/status", json!(status));
        assert_eq!(rejection(definitions, &linear_request()), format!("'cke_linear_fp32' rejected: is {status}"));
    }
}

#[test]
fn every_reason_is_given() {
    let decode_only = |pointer: &str| {
        let mut definitions = Definitions::native();
        set(definitions.provider(LINEAR), "/numerical_capabilities/0/phases", json!(["prefill"]));
        if pointer == "/phases" {
            set(definitions.provider(LINEAR), pointer, json!(["prefill"]));
            set(definitions.provider(LINEAR), "/provides/execution.phase", json!(["prefill"]));
        }
        definitions
    };
    assert_eq!(
        rejection(decode_only("/phases"), &linear_request()),
        "'cke_linear_fp32' rejected: serves prefill; claims the contract for prefill only"
    );
    assert_eq!(
        rejection(decode_only(""), &linear_request()),
        "'cke_linear_fp32' rejected: claims the contract for prefill only"
    );

    let mut definitions = Definitions::native();
    let edits = [
        ("/semantics/reduction/lanes/count", json!(2)),
        ("/semantics/reduction/horizontal_tree", json!([1])),
        ("/reduction/order", json!("contract_defined_lanes")),
        ("/reduction/partial_accumulator", json!("fp32")),
        ("/reduction/merge_order", json!("horizontal_tree")),
        ("/compute/evaluation_order", json!("ascending_k_lanes2_fma_then_tree")),
    ];
    definitions.derive_contract("linear_fp32_ascending_k_fma", "linear_fp32_lanes2_fma", &edits);
    let mut request = linear_request();
    request.contract = "linear_fp32_lanes2_fma".to_owned();
    request.requires.insert("tensor.activation.layout".to_owned(), "head_major".to_owned());
    request.requires.insert("tensor.mask".to_owned(), "causal".to_owned());
    request.storage = [("w".to_owned(), TensorStorage::Q6K), ("bias".to_owned(), TensorStorage::F32)].into();
    assert_eq!(
        rejection(definitions, &request),
        "'cke_linear_fp32' rejected: claims linear_fp32_ascending_k_fma; 'tensor.activation.layout' must be \
         'head_major', it provides token_major; 'tensor.mask' must be 'causal', it provides nothing; weight 'w' is \
         stored as q6_k, it accepts f32, f16, q8_0, q4_1; has no weight 'bias'"
    );

    let mut request = linear_request();
    request.storage.clear();
    assert_eq!(
        rejection(Definitions::native(), &request),
        "'cke_linear_fp32' rejected: the request does not say how weight 'w' is stored"
    );
}

#[test]
fn contracts_are_taken_by_their_exact_id() {
    let registry = native();
    let with = |contract: &str| Request { contract: contract.to_owned(), ..linear_request() };
    let fault = Resolver::new(&registry).resolve(&with("linear_fp32_ascending_k_fmas"), Mode::Bringup).unwrap_err();
    assert_eq!(fault.code, Code::UnknownContract);
    assert!(fault.notes[0].starts_with("defined: argmax_fp32_first_index, "), "{fault}");
    for id in ["fp16", "fast", "STRICT", "auto"] {
        assert_eq!(
            Resolver::new(&registry).resolve(&with(id), Mode::Bringup).unwrap_err().code,
            Code::AmbiguousId,
            "{id}"
        );
    }
    let message =
        "'decode/blk.0/attn_q': contract 'rmsnorm_fp32_lanes64_fma_sum' governs rmsnorm, not operation 'linear'";
    let request = with("rmsnorm_fp32_lanes64_fma_sum");
    expect_fault(Resolver::new(&registry).resolve(&request, Mode::Bringup), Code::OperationNotCovered, message);
}

#[test]
fn requests_are_well_formed() {
    type Edit = fn(&mut Request);
    let edits: [(&str, Edit); 4] = [
        ("instance", |r| r.instance.clear()),
        ("op", |r| r.op = " ".to_owned()),
        ("operation", |r| r.operation.clear()),
        ("contract", |r| r.contract.clear()),
    ];
    for (field, edit) in edits {
        let mut request = linear_request();
        edit(&mut request);
        let fault = Resolver::new(&native()).resolve(&request, Mode::Bringup).unwrap_err();
        assert_eq!(fault.code, Code::MalformedRequest);
        assert!(fault.message.ends_with(&format!("field '{field}' is empty")), "{fault}");
    }
    let mut value = linear_request().to_value();
    assert_eq!(Request::from_value(&value).unwrap(), linear_request());
    for (pointer, edit, message) in [
        ("/fallback", json!(true), "fallback: unknown field `fallback`"),
        ("/phase", json!("vision"), "phase: unknown variant `vision`"),
        ("/contract", Value::Null, "missing field `contract`"),
        ("/storage", json!({"w": "q3_k"}), "storage.w: unknown variant `q3_k`"),
    ] {
        let mut edited = value.clone();
        set(&mut edited, pointer, edit);
        let fault = Request::from_value(&edited).unwrap_err();
        assert_eq!(fault.code, Code::MalformedRequest);
        assert!(fault.message.starts_with(message), "{fault}");
    }
    value["requires"] = json!({});
    assert!(Request::from_value(&value).is_ok());
}

/// The registry in which nothing of the linear provider is confirmed.
fn unconfirmed() -> Definitions {
    let mut definitions = Definitions::native();
    set(definitions.provider(LINEAR), "/status", json!("candidate"));
    set(definitions.provider(LINEAR), "/numerical_capabilities/0/status", json!("observed"));
    set(definitions.contract("linear_fp32_ascending_k_fma"), "/status", json!("observed"));
    definitions
}

#[test]
fn production_needs_every_confirmation() {
    let validated = Request { validation: Status::Validated, ..linear_request() };
    assert!(Resolver::new(&native()).resolve(&validated, Mode::Production).is_ok());
    let blockers = |definitions: Definitions, request: &Request| {
        let registry = definitions.load().unwrap();
        assert!(
            Resolver::new(&registry).resolve(request, Mode::Bringup).is_ok(),
            "bring-up does not ask for confirmation"
        );
        let fault = Resolver::new(&registry).resolve(request, Mode::Production).unwrap_err();
        assert_eq!(fault.code, Code::NotValidated);
        fault.notes
    };
    assert_eq!(
        blockers(Definitions::native(), &linear_request()),
        ["the request for 'decoder.attn_q' is observed, not validated"]
    );
    for (pointer, value, blocker) in [
        ("/status", json!("candidate"), "provider 'cke_linear_fp32' has lifecycle candidate, not production"),
        (
            "/numerical_capabilities/0/status",
            json!("unresolved"),
            "the capability of provider 'cke_linear_fp32' is unresolved, not validated",
        ),
        (
            "/numerical_capabilities/0/explicit_selector",
            json!(false),
            "the capability of provider 'cke_linear_fp32' is not an explicit selector",
        ),
    ] {
        let mut definitions = Definitions::native();
        set(definitions.provider(LINEAR), pointer, value);
        assert_eq!(blockers(definitions, &validated), [blocker]);
    }
    let mut definitions = Definitions::native();
    set(definitions.contract("linear_fp32_ascending_k_fma"), "/status", json!("observed"));
    let blocker = "contract 'linear_fp32_ascending_k_fma' is observed, not validated";
    assert_eq!(blockers(definitions, &validated), [blocker]);
    assert_eq!(blockers(unconfirmed(), &linear_request()).len(), 4, "all blockers are listed");
}

#[test]
fn decisions_are_not_changed() {
    let registry = native();
    let decision = Resolver::new(&registry).resolve(&linear_request(), Mode::Bringup).unwrap();
    let edits: [fn(&mut Decision); 3] = [
        |d| d.provider = "cke_logits_fp32".to_owned(),
        |d| d.contract = "logits_fp32_ascending_k_fma_last_row".to_owned(),
        |d| d.function = "cke_logits_fp32".to_owned(),
    ];
    for edit in edits {
        let mut changed = decision.clone();
        edit(&mut changed);
        let fault = Resolver::new(&registry).verify(&linear_request(), &changed, Mode::Bringup).unwrap_err();
        assert_eq!(fault.code, Code::ProviderReselected);
    }
}

#[test]
fn definitions_are_not_edited_after_resolution() {
    let decision = Resolver::new(&native()).resolve(&linear_request(), Mode::Bringup).unwrap();
    let verify = |definitions: Definitions, request: &Request| {
        Resolver::new(&definitions.load().unwrap()).verify(request, &decision, Mode::Bringup).unwrap_err()
    };
    let mut edited = Definitions::native();
    set(edited.provider(LINEAR), "/notes", json!("Edited."));
    assert_eq!(verify(edited, &linear_request()).code, Code::DefinitionEdited);
    let mut edited = Definitions::native();
    set(edited.contract("linear_fp32_ascending_k_fma"), "/description", json!("Edited."));
    assert_eq!(verify(edited, &linear_request()).code, Code::DefinitionEdited);
    let request = Request { validation: Status::Unresolved, ..linear_request() };
    assert_eq!(verify(Definitions::native(), &request).code, Code::DefinitionEdited);

    let mut gone = Definitions::native();
    gone.providers.retain(|(id, _)| id != LINEAR);
    let fault = verify(gone, &linear_request());
    assert_eq!(fault.code, Code::NoProvider);
    let note = "it was resolved to provider 'cke_linear_fp32', contract 'linear_fp32_ascending_k_fma'";
    assert_eq!(fault.notes, [note]);
    let mut twin = Definitions::native();
    twin.derive_provider(LINEAR, "cke_linear_fp32_twin");
    assert_eq!(verify(twin, &linear_request()).code, Code::SeveralProviders);
}

#[test]
fn modes_have_names() {
    assert_eq!(Mode::parse("bringup"), Some(Mode::Bringup));
    assert_eq!(Mode::parse("production"), Some(Mode::Production));
    assert_eq!(Mode::parse("Production"), None);
}

/// The native definitions with two more linear providers, ranked in a group by the given priorities.
fn group(members: [(&str, i64, &str); 2]) -> Definitions {
    let mut definitions = Definitions::native();
    definitions.providers.retain(|(id, _)| id != LINEAR);
    for (group, priority, lifecycle) in members {
        let id = format!("cke_linear_fp32_{group}_{priority}");
        let provider = {
            let mut native = Definitions::native();
            native.derive_provider(LINEAR, &id).clone()
        };
        definitions.providers.push((id.clone(), provider));
        let provider = definitions.provider(&id);
        set(provider, "/selection", json!({"equivalence_group": group, "priority": priority}));
        set(provider, "/status", json!(lifecycle));
    }
    definitions
}

#[test]
fn one_group_of_equal_meaning_is_ranked() {
    let resolve = |members| {
        let registry = group(members).load().unwrap();
        Resolver::new(&registry).resolve(&linear_request(), Mode::Bringup).map(|decision| decision.provider)
    };
    let first = "cke_linear_fp32_fma_chain_200";
    let candidate = "candidate";
    assert_eq!(resolve([("fma_chain", 100, candidate), ("fma_chain", 200, candidate)]).unwrap(), first);
    let production_first = resolve([("fma_chain", 100, "production"), ("fma_chain", 200, candidate)]);
    assert_eq!(production_first.unwrap(), "cke_linear_fp32_fma_chain_100");
    // Two groups are not comparable, whatever their priorities.
    let two = resolve([("fma_chain", 100, candidate), ("other", 200, "production")]).unwrap_err();
    assert_eq!(two.code, Code::SeveralProviders);

    let registry = group([("fma_chain", 100, candidate), ("fma_chain", 200, candidate)]).load().unwrap();
    let candidates = Resolver::new(&registry).candidates(&linear_request());
    let outranked = candidates.iter().find(|c| c.provider.ends_with("_100")).unwrap();
    assert_eq!(
        outranked.to_string(),
        format!("'cke_linear_fp32_fma_chain_100' rejected: fits, '{first}' goes before it in group 'fma_chain'")
    );
}

#[test]
fn equal_priorities_are_not_ranked() {
    let mut definitions = group([("fma_chain", 100, "candidate"), ("fma_chain", 200, "candidate")]);
    set(definitions.provider("cke_linear_fp32_fma_chain_100"), "/selection/priority", json!(200));
    let fault = Resolver::new(&definitions.load().unwrap()).resolve(&linear_request(), Mode::Bringup).unwrap_err();
    assert_eq!(fault.code, Code::SeveralProviders);
}

#[test]
fn a_group_has_one_meaning() {
    let mut definitions = group([("fma_chain", 100, "candidate"), ("fma_chain", 200, "candidate")]);
    let selection = json!({"equivalence_group": "fma_chain", "priority": 300});
    set(definitions.provider("cke_logits_fp32"), "/selection", selection);
    let message = "provider 'cke_logits_fp32': equivalence group 'fma_chain': operation and contracts are not those of \
                   'cke_linear_fp32_fma_chain_100', a member too";
    expect_fault(definitions.load(), Code::BadSelection, message);
}

#[test]
fn a_provider_may_be_made_for_some_extents_only() {
    let mut definitions = Definitions::native();
    set(definitions.provider(LINEAR), "/constraints", json!([{"dim": "k", "multiple_of": 256}]));
    let registry = definitions.clone().load().unwrap();
    let resolve = |extent: i64| {
        let request = Request { shape: [("k".to_owned(), extent)].into(), ..linear_request() };
        Resolver::new(&registry).resolve(&request, Mode::Bringup)
    };
    assert_eq!(resolve(512).unwrap().provider, LINEAR);
    assert_eq!(resolve(576).unwrap_err().code, Code::NoProvider);
    assert_eq!(
        rejection(definitions, &linear_request()),
        "'cke_linear_fp32' rejected: 'k' must be a multiple of 256, the request does not state it"
    );
    for (constraint, reason) in [
        (json!([{"dim": "depth", "minimum": 1}]), "constraint of 'depth', which is no dim"),
        (json!([{"dim": "k", "minimum": 1}, {"dim": "k", "maximum": 2}]), "two constraints of 'k'"),
        (json!([{"dim": "k"}]), "constraint of 'k' demands nothing"),
    ] {
        let mut definitions = Definitions::native();
        set(definitions.provider(LINEAR), "/constraints", constraint);
        expect_fault(definitions.load(), Code::BadSelection, &format!("provider '{LINEAR}': {reason}"));
    }
}

#[test]
fn an_interface_is_matched_by_its_whole_name() {
    let request = Request { operation_interface: Some("linear.fp32.v2".to_owned()), ..linear_request() };
    let mut definitions = Definitions::native();
    assert_eq!(
        rejection(definitions.clone(), &request),
        "'cke_linear_fp32' rejected: the interface must be 'linear.fp32.v2', it implements none that it names"
    );
    set(definitions.provider(LINEAR), "/operation_interface", json!("linear.fp32.v2"));
    assert!(Resolver::new(&definitions.load().unwrap()).resolve(&request, Mode::Bringup).is_ok());
}
