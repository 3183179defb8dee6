//! Passes and pipelines for tests.

use cke_mlir::{
    Attr, Op,
    ir::InsertionPoint,
    pass::{self, OptionDef, OptionKind, PassDef, PassFailure, PassRun, PipelineDef, StatisticDef},
};

const EMPTY: PassDef = PassDef {
    argument: "",
    summary: "",
    anchor: "",
    options: &[],
    statistics: &[],
    dependent_dialects: &[],
    validate: pass::accept,
    run: |_, _| Ok(()),
};

const fn option(name: &'static str, kind: OptionKind, default: &'static str) -> OptionDef {
    OptionDef { name, kind, default, help: "for tests" }
}

/// Makes all passes and pipelines known.
pub fn register() {
    for def in [&MARK, &LOWER, &COUNT, &PANIC, &STALE, &CLEAN, &BREAK, &PARSE] {
        pass::register_pass(def);
    }
    pass::register_pipeline(&PIPELINE);
}

/// Gives every `toy.add` without a mode the one of the option.
static MARK: PassDef = PassDef {
    argument: "toy-mark",
    summary: "gives every toy.add a mode",
    options: &[
        option("mode", OptionKind::Str, "rne"),
        option("depth", OptionKind::Int, "4"),
        option("strict", OptionKind::Bool, "false"),
        option("names", OptionKind::StrList, "a"),
        option("levels", OptionKind::IntList, ""),
    ],
    statistics: &[StatisticDef { name: "num-marked", help: "operations given a mode" }],
    validate: |options| match options.str("mode") {
        "rne" | "rtz" => Ok(()),
        mode => Err(format!("unknown mode '{mode}'")),
    },
    run: mark,
    ..EMPTY
};

fn mark<'p>(op: Op<'p>, run: &PassRun<'p>) -> Result<(), PassFailure> {
    let mode = Attr::string(run.context(), run.str("mode"));
    for add in op.collect("toy.add") {
        if add.attr("mode").is_some() {
            continue;
        }
        if run.bool("strict") {
            return Err(add
                .error("has no mode, which is strict")
                .note(op.location(), format!("in this operation, at depth {}", run.int("depth")))
                .note(add.location(), format!("with {:?} and {:?}", run.strs("names"), run.ints("levels")))
                .fail());
        }
        add.set_attr("mode", mode);
        run.count("num-marked", 1);
    }
    Ok(())
}

/// `toy.add` to `arith.addf`.
static LOWER: PassDef =
    PassDef { argument: "toy-lower", summary: "lowers toy.add", dependent_dialects: &["arith"], run: lower, ..EMPTY };

fn lower<'p>(op: Op<'p>, run: &PassRun<'p>) -> Result<(), PassFailure> {
    let rewriter = run.rewriter();
    for add in op.collect("toy.add") {
        let new = rewriter
            .build("arith.addf", add.location())
            .operands(add.operands())
            .result(add.result(0).ty())
            .at(InsertionPoint::Before(add));
        rewriter.replace_all_uses(add.result(0), new.result(0));
        rewriter.erase(add);
        assert_eq!(add.name(), "toy.add", "an erased operation is still there");
    }
    Ok(())
}

/// Runs on functions, and sees no further.
static COUNT: PassDef = PassDef {
    argument: "toy-count",
    summary: "counts operations",
    anchor: "func.func",
    statistics: &[StatisticDef { name: "num-ops", help: "operations seen" }],
    run: |op, run| {
        if op.parent().is_some() || op.block().is_some() || op.lookup_symbol("w").is_some() {
            return Err(op.fail("a pass sees what is around its operation"));
        }
        op.walk_post(|_| run.count("num-ops", 1));
        Ok(())
    },
    ..EMPTY
};

static PANIC: PassDef = PassDef { argument: "toy-panic", summary: "panics", run: |_, _| panic!("oops"), ..EMPTY };

static BREAK: PassDef = PassDef {
    argument: "toy-break",
    summary: "makes toy.add invalid",
    run: |op, run| {
        op.collect("toy.add")[0].set_attr("mode", Attr::string(run.context(), "up"));
        Ok(())
    },
    ..EMPTY
};

/// Parses what needs a dialect that is not loaded.
static PARSE: PassDef = PassDef {
    argument: "toy-parse",
    summary: "parses",
    run: |op, run| {
        let block = op.regions()[0].blocks()[0];
        let text = "func.func @parsed(%a: f32) { %0 = math.exp %a : f32 return }";
        run.rewriter().parse_into(block, text).map(|_| ()).map_err(|_| op.fail("does not parse"))
    },
    ..EMPTY
};

/// Erases what is still used.
static STALE: PassDef = PassDef {
    argument: "toy-stale",
    summary: "erases toy.add but not its users",
    run: |op, run| {
        op.collect("toy.add").into_iter().for_each(|add| run.rewriter().erase(add));
        Ok(())
    },
    ..EMPTY
};

static CLEAN: PassDef = PassDef {
    argument: "toy-clean",
    summary: "runs a pipeline afterwards",
    anchor: "builtin.module",
    options: &[option("pipeline", OptionKind::Str, "builtin.module(func.func(cse))")],
    run: |_, run| {
        run.then_run_pipeline(run.str("pipeline"));
        Ok(())
    },
    ..EMPTY
};

static PIPELINE: PipelineDef = PipelineDef {
    name: "toy-all",
    summary: "marks and lowers",
    options: &[option("mode", OptionKind::Str, "rne"), option("lower", OptionKind::Bool, "true")],
    expand: |options| match options.str("mode") {
        "none" => Err("the mode 'none' marks nothing".into()),
        mode => {
            Ok(format!("toy-mark{{mode={mode}}}{}", if options.bool("lower") { ",func.func(toy-lower)" } else { "" }))
        }
    },
};
