//! Attributes, types, locations and diagnostics as values.

mod toy;

use cke_mlir::{
    Attr, Location, Type,
    ir::{Kind, Severity},
};
use toy::context;

#[test]
fn attributes_hold_what_they_were_made_of() {
    let context = context();
    let context = context.handle();
    assert_eq!(Attr::string(context, "a\"b").as_str(), Some("a\"b"));
    assert_eq!(Attr::i64(context, -3).as_i64(), Some(-3));
    assert_eq!(Attr::f32(context, 0.1).as_f64(), Some(f64::from(0.1f32)));
    assert_eq!(Attr::f64(context, 0.1).as_f64(), Some(0.1));
    assert_eq!((Attr::bool(context, true).as_bool(), Attr::bool(context, true).as_i64()), (Some(true), None));
    assert_eq!(Attr::ty(Type::f32(context)).as_type(), Some(Type::f32(context)));
    assert_eq!(Attr::i64s(context, &[1, 2]).as_i64s(), Some(vec![1, 2]));
    assert_eq!(Attr::i32s(context, &[1, 2]).as_i32s(), Some(vec![1, 2]));
    assert_eq!(Attr::symbol_ref(context, &["a", "b", "c"]).as_symbol(), Some(vec!["a", "b", "c"]));
    assert_eq!(Attr::symbol_ref(context, &["native", "x"]).to_string(), "@native::@x");
    let array = Attr::array(context, &[Attr::unit(context), Attr::i64(context, 1)]);
    assert_eq!(array.as_array().unwrap().len(), 2);
    let dict = Attr::dict(context, &[("b", Attr::i64(context, 1)), ("a", array), ("b", Attr::i64(context, 2))]);
    assert_eq!(dict.to_string(), "{a = [unit, 1], b = 2 : i64}".replace("[unit, 1]", &array.to_string()));
    assert_eq!(dict.get("b").and_then(Attr::as_i64), Some(2));
    assert_eq!((dict.get("c"), array.get("a")), (None, None));
    assert_eq!(dict.as_dict().unwrap().into_iter().map(|(key, _)| key).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn attributes_have_kinds() {
    let context = context();
    for (text, kind) in [
        ("\"a\"", Kind::String),
        ("1 : i32", Kind::Integer),
        ("1 : index", Kind::Integer),
        ("1.0 : f16", Kind::Float),
        ("true", Kind::Bool),
        ("unit", Kind::Unit),
        ("[]", Kind::Array),
        ("{}", Kind::Dictionary),
        ("@a::@b", Kind::SymbolRef),
        ("tensor<1xf32>", Kind::Type),
        ("array<i8: 1>", Kind::DenseArray),
        ("dense<1> : tensor<1xi32>", Kind::Other),
    ] {
        assert_eq!(Attr::parse(&context, text).unwrap().kind(), kind, "{text}");
    }
}

#[test]
fn integers_of_all_kinds_are_read_if_they_fit() {
    let context = context();
    let read = |text: &str| Attr::parse(&context, text).unwrap().as_i64();
    assert_eq!(read("-1 : i8"), Some(-1));
    assert_eq!(read("255 : ui8"), Some(255));
    assert_eq!(read("-1 : si8"), Some(-1));
    assert_eq!(read("-5 : index"), Some(-5));
    assert_eq!(read("18446744073709551615 : ui64"), None);
    assert_eq!(read("1 : i128"), None);
    assert_eq!(read("\"1\""), None);
}

#[test]
fn strings_that_are_not_utf8_are_none() {
    let context = context();
    assert_eq!(Attr::parse(&context, "\"\\FF\"").unwrap().as_str(), None);
    assert_eq!(Attr::parse(&context, "{\"\\FF\" = 1}").unwrap().as_dict().unwrap()[0].0, "\u{FFFD}");
}

#[test]
fn types_tell_what_they_are() {
    let context = context();
    let f32 = Type::f32(&context);
    let tensor = Type::tensor(&[None, Some(4)], f32);
    assert_eq!(tensor, Type::parse(&context, "tensor<?x4xf32>").unwrap());
    assert_eq!((tensor.shape(), tensor.rank(), tensor.element()), (Some(vec![None, Some(4)]), Some(2), Some(f32)));
    assert!(tensor.is_tensor() && !tensor.is_memref() && !tensor.is_float());
    assert_eq!(Type::memref(&[Some(2)], f32).to_string(), "memref<2xf32>");
    assert!(Type::parse(&context, "memref<*xf32>").unwrap().is_memref());
    assert_eq!(Type::parse(&context, "tensor<*xf32>").unwrap().shape(), None);
    let function = Type::function(&context, &[f32], &[Type::index(&context), Type::i1(&context)]);
    assert_eq!(function.to_string(), "(f32) -> (index, i1)");
    assert_eq!(function.signature().unwrap().1.len(), 2);
    assert!(Type::i32(&context).is_signless(32) && !Type::parse(&context, "ui32").unwrap().is_signless(32));
    assert_eq!((Type::bf16(&context).width(), Type::index(&context).width()), (Some(16), None));
    assert_eq!(Type::llvm_ptr(&context).to_string(), "!llvm.ptr");
    assert_eq!(Type::none(&context).to_string(), "none");
}

#[test]
fn parse_errors_are_values() {
    let context = context();
    assert_eq!(Type::parse(&context, "tensor<").unwrap_err()[0].severity, Severity::Error);
    assert!(Attr::parse(&context, "{a = }").is_err());
    assert!(Attr::parse(&context, "").is_err());
}

#[test]
fn locations_are_found_within_others() {
    let context = context();
    let module = toy::parse(
        &context,
        r#"toy.seq auto : () -> () loc("name"("a.mlir":1:2))
           toy.seq auto : () -> () loc(fused[unknown, "b.mlir":3:4])
           toy.seq auto : () -> () loc(callsite("c.mlir":5:6 at "d.mlir":7:8))
           toy.seq auto : () -> () loc(unknown)"#,
    );
    let places: Vec<String> = module.op().collect("toy.seq").iter().map(|op| op.location().to_string()).collect();
    assert_eq!(places, ["a.mlir:1:2", "b.mlir:3:4", "c.mlir:5:6", "loc(unknown)"]);
    assert_eq!(Location::unknown(&context).file_line_col(), None);
}

#[test]
fn diagnostics_are_collected_with_notes() {
    let context = context();
    let module = toy::parse(&context, "toy.seq auto : () -> ()\ntoy.seq auto : () -> ()");
    let [first, second] = module.op().collect("toy.seq")[..] else { panic!("two operations") };
    let (result, all) = context.with_diagnostics(|| {
        first.error("wrong").note(second.location(), "compare this").emit();
        let ((), inner) = context.with_diagnostics(|| second.warning("doubtful").emit());
        first.remark("by the way").emit();
        inner
    });
    assert_eq!(
        toy::show(&all),
        "test.mlir:1:1: error: wrong\ntest.mlir:2:1: note: compare this\ntest.mlir:1:1: remark: by the way"
    );
    assert_eq!(toy::show(&result), "test.mlir:2:1: warning: doubtful");
}

#[test]
fn symbols_are_found_from_within() {
    let context = context();
    let module = toy::parse(
        &context,
        "toy.table @a {\n toy.table @b {\n toy.weight @w storage \"f\" : f32\n}\n}\nfunc.func @f() { return }",
    );
    let root = module.op();
    let path = Attr::symbol_ref(&context, &["a", "b", "w"]);
    let weight = root.lookup_symbol_ref(path).unwrap();
    assert_eq!(weight.symbol_name(), Some("w"));
    assert_eq!(weight.lookup_symbol("w"), Some(weight));
    assert_eq!(weight.lookup_symbol("a"), None);
    assert_eq!(root.lookup_symbol_ref(Attr::symbol_ref(&context, &["f", "w"])), None);
    assert_eq!(root.lookup_symbol_ref(Attr::unit(&context)), None);
}

#[test]
fn contexts_may_allow_what_is_not_registered() {
    let context = context();
    assert!(cke_mlir::Module::parse(&context, "\"x.y\"() : () -> ()", "a").is_err());
    context.allow_unregistered(true);
    let module = toy::parse(&context, "\"x.y\"() {a} : () -> ()");
    let op = module.op().collect("x.y")[0];
    assert_eq!((op.is_registered(), op.dialect(), op.attrs()[0].0), (false, "x", "a"));
    assert!(module.op().is_registered());
}
