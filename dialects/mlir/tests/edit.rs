//! Changing IR, and what is not let through.

mod toy;

use std::panic::{AssertUnwindSafe, catch_unwind};

use cke_mlir::{
    Attr, Location, Module, Op, Rewriter, Type,
    ir::{InsertionPoint, PrintFlags},
};
use toy::{context, parse};

const FUNCTION: &str = r#"func.func @f(%arg0: f32) -> f32 {
  %0 = toy.add %arg0, %arg0 : f32
  %1 = toy.add %0, %arg0 : f32
  return %1 : f32
}"#;

/// What a panic says.
#[track_caller]
fn panics<R>(f: impl FnOnce() -> R) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).err().expect("a panic");
    payload.downcast::<String>().map_or_else(|payload| (*payload.downcast::<&str>().unwrap()).to_owned(), |text| *text)
}

fn adds<'e>(root: Op<'e>) -> Vec<Op<'e>> {
    root.collect("toy.add")
}

#[test]
fn operations_are_built_at_four_places() {
    let context = context();
    let mut module = Module::new(&context);
    module.edit(|root, rewriter| {
        let body = root.regions()[0].blocks()[0];
        let here = Location::file(rewriter.context(), "a.rs", 3, 4);
        let weight = |name: &str, point| {
            rewriter.context().load_dialect("toy");
            rewriter
                .build("toy.weight", here)
                .attr("sym_name", Attr::string(rewriter.context(), name))
                .attr("storage", Attr::string(rewriter.context(), "f32"))
                .attr("type", Attr::ty(Type::tensor(&[None, Some(4)], Type::f32(rewriter.context()))))
                .maybe_attr("sym_visibility", None)
                .at(point)
        };
        let b = weight("b", InsertionPoint::EndOf(body));
        weight("a", InsertionPoint::StartOf(body));
        weight("d", InsertionPoint::After(b));
        let d = b.next().unwrap();
        weight("c", InsertionPoint::Before(d));
        assert_eq!(d.prev().and_then(Op::symbol_name), Some("c"));
        assert_eq!(d.location().to_string(), "a.rs:3:4");
    });
    assert!(module.verify().is_ok());
    let names: Vec<_> = module.op().collect("toy.weight").into_iter().filter_map(Op::symbol_name).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert!(module.print(PrintFlags { debug_info: true, ..PrintFlags::default() }).contains("loc(\"a.rs\":3:4)"));
}

#[test]
fn regions_get_blocks_and_operands() {
    let mut module = parse(&context(), FUNCTION);
    module.edit(|root, rewriter| {
        let add = adds(root)[0];
        let at = InsertionPoint::After(add);
        let cond = rewriter
            .build("arith.constant", add.location())
            .attr("value", Attr::bool(rewriter.context(), true))
            .result(Type::i1(rewriter.context()));
        rewriter.context().load_dialect("arith");
        let cond = cond.at(at).result(0);
        let when = rewriter.build("toy.when", add.location()).operand(cond).region().region();
        let when = when.at(InsertionPoint::After(cond.defining_op().unwrap()));
        let block = rewriter.new_block(when.regions()[0], &[Type::f32(rewriter.context())]);
        assert_eq!(block.arg(0).ty().to_string(), "f32");
        assert_eq!(block.parent(), Some(when));
        let inner = rewriter.clone_op(add, InsertionPoint::EndOf(block));
        inner.set_operand(1, block.arg(0));
        assert_eq!(block.arg(0).uses(), [(inner, 1)]);
    });
    assert!(module.verify().is_ok(), "{module}");
}

#[test]
fn attributes_are_inherent_or_discardable() {
    let mut module = parse(&context(), FUNCTION);
    module.edit(|root, rewriter| {
        let add = adds(root)[0];
        add.set_attr("mode", Attr::string(rewriter.context(), "rtz"));
        add.set_attr("x.y", Attr::i64(rewriter.context(), 3));
        let names: Vec<_> = add.attrs().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["mode", "x.y"]);
        assert_eq!(add.to_string(), "%0 = toy.add %arg0, %arg0 mode \"rtz\" {x.y = 3 : i64} : f32");
        assert!(add.remove_attr("mode") && add.remove_attr("x.y") && !add.remove_attr("mode"));
        assert_eq!(add.attrs(), []);
    });
}

#[test]
fn erasing_waits_for_the_end() {
    let mut module = parse(&context(), FUNCTION);
    let name = module.edit(|root, rewriter| {
        let [first, second] = adds(root)[..] else { panic!("two additions") };
        let arg = first.operand(0);
        // The user may go after what it uses, and erasing twice is erasing once.
        rewriter.erase(first);
        rewriter.erase(first);
        rewriter.replace_all_uses(second.result(0), arg);
        rewriter.erase(second);
        assert_eq!((first.name(), first.operand_count(), first.parent()), ("toy.add", 0, None));
        assert!(first.result(0).is_unused());
        assert_eq!(adds(root), []);
        first.name().to_owned()
    });
    assert_eq!(name, "toy.add");
    assert!(module.to_string().contains("return %arg0 : f32"), "{module}");
}

#[test]
fn erasing_an_operation_erases_what_is_in_it() {
    let mut module = parse(&context(), FUNCTION);
    module.edit(|root, rewriter| {
        let function = root.lookup_symbol("f").unwrap();
        let inner = adds(root)[1];
        rewriter.erase(inner);
        rewriter.erase(function);
        rewriter.erase(adds(function)[0]);
        assert_eq!(adds(function), []);
        // Even what is built in there goes.
        let block = function.regions()[0].blocks()[0];
        rewriter.build("toy.seq", inner.location()).operand(block.arg(0)).at(InsertionPoint::StartOf(block));
    });
    assert_eq!(module.to_string(), "module {\n}\n");
}

#[test]
fn what_is_used_is_not_erased_silently() {
    let mut module = parse(&context(), FUNCTION);
    let message = panics(|| module.edit(|root, rewriter| rewriter.erase(adds(root)[0])));
    assert_eq!(message, "'toy.add' was erased but 'toy.add' still uses it");
    // The IR is safe to touch: the use is of a placeholder.
    assert!(module.to_string().contains("toy.add"), "{module}");
    assert!(module.verify().is_ok());
    assert_eq!(module.op().collect("builtin.unrealized_conversion_cast").len(), 1);
}

#[test]
fn a_panic_in_an_edit_destroys_what_was_erased() {
    let mut module = parse(&context(), FUNCTION);
    let message = panics(|| {
        module.edit(|root, rewriter| {
            adds(root).into_iter().for_each(|add| rewriter.erase(add));
            panic!("on purpose")
        })
    });
    assert_eq!(message, "on purpose");
    assert_eq!(adds(module.op()), []);
}

#[test]
fn moving() {
    let mut module = parse(&context(), "toy.table @a {\n toy.weight @w storage \"f\" : f32\n}\ntoy.table @b {}");
    module.edit(|root, rewriter| {
        let (a, b) = (root.lookup_symbol("a").unwrap(), root.lookup_symbol("b").unwrap());
        rewriter.move_before(b, a);
        assert_eq!(b.next(), Some(a));
        let w = a.lookup_symbol("w").unwrap();
        assert_eq!(panics(|| rewriter.move_before(a, w)), "'toy.table' is moved into itself");
        rewriter.move_before(w, b);
        assert_eq!(a.lookup_symbol("w").map(Op::name), None);
        assert_eq!(b.prev(), Some(w));
    });
    assert!(module.verify().is_ok());
}

#[test]
fn text_is_parsed_into_a_block() {
    let mut module = parse(&context(), FUNCTION);
    module.edit(|root, rewriter: &Rewriter<'_>| {
        let block = root.lookup_symbol("f").unwrap().regions()[0].blocks()[0];
        let new = rewriter.parse_into(block, "%a = arith.constant 1.0 : f32\n%b = toy.add %a, %a : f32").unwrap();
        assert_eq!(new.iter().map(|op| op.name()).collect::<Vec<_>>(), ["arith.constant", "toy.add"]);
        assert_eq!(new[1].next().map(Op::name), Some("func.return"));
        let count = block.ops().len();
        let errors = rewriter.parse_into(block, "toy.seq auto : () -> ()\ntoy.nope").unwrap_err();
        assert_eq!(toy::show(&errors), "<inline>:2:1: error: custom op 'toy.nope' is unknown");
        assert_eq!(block.ops().len(), count);
    });
    assert!(module.verify().is_ok());
}

#[test]
fn other_contexts_and_other_ir_are_refused() {
    let (one, two) = (context(), context());
    let (mut a, b) = (parse(&one, FUNCTION), parse(&one, FUNCTION));
    let foreign = Attr::i64(&two, 1);
    assert_eq!(panics(|| a.op().set_attr("x", foreign)), "attribute 1 : i64 belongs to another context");
    assert!(panics(|| Attr::array(&one, &[foreign])).contains("belongs to another context"));
    assert!(panics(|| Type::function(&one, &[Type::f32(&two)], &[])).contains("belongs to another context"));
    let value = adds(b.op())[0].result(0);
    let message = panics(|| adds(a.op())[1].set_operand(0, value));
    assert_eq!(message, "operand #0 of 'toy.add' belongs to other IR");
    a.edit(|root, rewriter| {
        let [first, second] = adds(root)[..] else { panic!("two additions") };
        rewriter.replace_all_uses(first.result(0), first.operand(0));
        rewriter.erase(first);
        assert!(panics(|| second.set_operand(0, first.result(0))).contains("belongs to other IR"));
        assert!(panics(|| first.operand(0)).contains("operand #0 of 'toy.add' with 0"));
        assert!(panics(|| rewriter.erase(root)).contains("the outermost operation is not erased"));
        let build = |name: &str| rewriter.build(name, root.location());
        let here = InsertionPoint::Before(second);
        assert!(panics(|| build("toy.nope").at(here)).contains("no loaded dialect has the operation 'toy.nope'"));
        assert!(panics(|| build("toy.seq").operand(first.result(0)).at(here)).contains("belongs to other IR"));
        let unit = Attr::unit(rewriter.context());
        assert!(panics(|| build("toy.seq").attr("x", unit).attr("x", unit).at(here)).contains("given twice"));
        assert!(panics(|| build("toy.seq").at(InsertionPoint::After(root))).contains("inside of an operation"));
    });
    assert!(a.verify().is_ok());
}

#[test]
fn walking_is_settled_before() {
    let mut module = parse(&context(), FUNCTION);
    module.edit(|root, rewriter| {
        let mut seen = Vec::new();
        root.walk_pre(|op| {
            if op.name() == "toy.add" {
                rewriter.clone_op(op, InsertionPoint::After(op));
            }
            seen.push(op.name());
        });
        assert_eq!(seen, ["builtin.module", "func.func", "toy.add", "toy.add", "func.return"]);
        let mut last = "";
        root.walk_post(|op| last = op.name());
        assert_eq!(last, "builtin.module");
        assert_eq!(adds(root).len(), 4);
    });
}
