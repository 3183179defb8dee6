use super::*;
use crate::resolve::Rejection;

#[test]
fn codes_are_unique_and_explained() {
    for (n, code) in Code::ALL.iter().enumerate() {
        assert!(Code::ALL[..n].iter().all(|other| other.as_str() != code.as_str()), "{code} is given twice");
        assert!(!code.title().is_empty() && code.page().ends_with('.') && !code.page().contains("  "), "{code}");
        assert_eq!(Code::parse(code.as_str()), Some(*code));
    }
    assert_eq!(Code::parse("c002"), Some(Code::NoProvider));
    assert_eq!(Code::parse("CKE-C999"), None);
    assert_eq!(Code::parse("CKE-CKE-C001"), None);
}

#[test]
fn a_fault_prints_place_rule_details_and_repairs() {
    let mut fault = Fault::new(Code::NoProvider, "no provider for 'decode/x'").note("the request asks for more");
    fault.candidates.push(Candidate {
        provider: "cke_copy".to_owned(),
        rejections: vec![Rejection::Operation { serves: "copy".to_owned() }],
    });
    let fault = fault.at(Location { file: "m.mlir".to_owned(), line: 3, column: 7 }).at(Location::start_of("other"));
    assert_eq!(
        fault.to_string(),
        "m.mlir:3:7: error: no provider for 'decode/x' [CKE-C002]\n  \
         note: rejected for their operation: 'cke_copy' (copy)\n  \
         note: the request asks for more\n  \
         help: repair the circuit, the contract registry or the kernel map; nothing else may change a decision"
    );
}
