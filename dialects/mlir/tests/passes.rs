//! Passes and pipelines in this process, alone and among upstream ones.

mod toy;

use cke_mlir::{
    Module,
    pass::{self, PipelineConfig, run_pipeline},
};

const FUNCTION: &str = r#"func.func @f(%a: f32) -> f32 {
  %0 = toy.add %a, %a : f32
  %1 = toy.add %0, %a mode "rtz" : f32
  return %1 : f32
}"#;

fn run(module: &mut Module, pipeline: &str) -> Result<(), String> {
    toy::passes::register();
    run_pipeline(module, pipeline, &PipelineConfig::default()).map_err(|errors| toy::show(&errors))
}

/// The text after a pipeline which must succeed.
#[track_caller]
fn after(source: &str, pipeline: &str) -> String {
    let mut module = toy::parse(&toy::context(), source);
    run(&mut module, pipeline).unwrap();
    module.to_string()
}

/// The error of a pipeline which must fail.
#[track_caller]
fn failure(source: &str, pipeline: &str) -> String {
    run(&mut toy::parse(&toy::context(), source), pipeline).unwrap_err()
}

#[test]
fn options_reach_the_pass() {
    assert!(after(FUNCTION, "toy-mark").contains("mode \"rne\""));
    assert!(after(FUNCTION, "builtin.module(func.func(toy-mark{mode=rtz}))").matches("mode \"rtz\"").count() == 2);
    assert_eq!(
        failure(FUNCTION, "toy-mark{strict=true depth=7 names={x,y z} levels=1,2}"),
        "test.mlir:2:8: error: has no mode, which is strict\n\
         test.mlir:0:0: note: in this operation, at depth 7\n\
         test.mlir:2:8: note: with [\"x\", \"y z\"] and [1, 2]"
    );
}

#[test]
fn wrong_pipelines_are_errors() {
    for (pipeline, expected) in [
        ("toy-mark{mode=up}", "toy-mark: unknown mode 'up'"),
        ("toy-mark{nope=1}", "no such option nope"),
        ("toy-mark{depth=x}", "<pipeline>: error: failed to add `toy-mark` with options `depth=x`"),
        ("toy-nope", "'toy-nope' does not refer to a registered pass or pass pipeline"),
        ("toy-mark(", "toy-mark("),
        ("toy-all{mode=none}", "toy-all: the mode 'none' marks nothing"),
        ("toy-count", "restricted to 'func.func' on a PassManager intended to run on 'builtin.module'"),
    ] {
        let found = failure(FUNCTION, pipeline);
        assert!(found.contains(expected), "{pipeline}\n  expected {expected}\n  found    {found}");
    }
}

#[test]
fn pipelines_print_as_they_parse() {
    toy::passes::register();
    let module = Module::new(&toy::context());
    for pipeline in [
        "toy-mark",
        "toy-mark{mode=rtz depth=-1 strict=true names={a,b} levels={1,2}}",
        "toy-mark{names={} levels=3},func.func(toy-count,cse)",
        "toy-clean{pipeline=builtin.module(func.func(cse,canonicalize))}",
        "toy-all{mode=rtz lower=false}",
    ] {
        let once = pass::print_pipeline(&module, pipeline).unwrap();
        let twice = pass::print_pipeline(&module, &once).unwrap();
        assert_eq!(once, twice, "{pipeline}");
    }
    let printed = pass::print_pipeline(&module, "toy-mark{mode=rtz}").unwrap();
    for option in ["mode=rtz", "depth=4", "strict=false"] {
        assert!(printed.contains(option), "{printed}");
    }
    assert_eq!(
        pass::print_pipeline(&module, "toy-all").unwrap().split("toy-").count() - 1,
        2,
        "a pipeline prints as its passes"
    );
}

#[test]
fn a_pass_rewrites() {
    let text = after(FUNCTION, "toy-lower,func.func(canonicalize)");
    assert!(text.contains("arith.addf") && !text.contains("toy.add"), "{text}");
}

#[test]
fn a_pipeline_expands() {
    let marked = after(FUNCTION, "toy-all{lower=false mode=rtz}");
    assert_eq!(marked.matches("mode \"rtz\"").count(), 2, "{marked}");
    assert!(after(FUNCTION, "toy-all").contains("arith.addf"));
}

#[test]
fn a_pass_stays_within_its_operation() {
    let text = format!("{FUNCTION}\ntoy.weight @w storage \"f\" : f32");
    let mut module = toy::parse(&toy::context(), &text);
    module.context().multithreading(true);
    assert_eq!(run(&mut module, "func.func(toy-count)"), Ok(()));
    let line = pass::statistics().lines().find(|line| line.contains("num-ops")).unwrap().to_owned();
    assert!(line.starts_with("toy-count ") && line.ends_with(" - operations seen"), "{line}");
}

#[test]
fn a_panic_is_a_failure() {
    assert_eq!(failure(FUNCTION, "toy-panic"), "test.mlir:0:0: error: internal error: pass toy-panic panicked: oops");
}

#[test]
fn erasing_what_is_used_is_a_failure() {
    assert_eq!(
        failure(FUNCTION, "toy-stale"),
        "test.mlir:0:0: error: internal error: pass toy-stale: 'toy.add' was erased but 'func.return' still uses it"
    );
}

#[test]
fn a_pipeline_runs_after_the_pass() {
    let twice = "func.func @f(%a: f32) -> f32 {\n%0 = toy.add %a, %a : f32\n%1 = toy.add %a, %a : f32\n%2 = toy.add %0, %1 : f32\nreturn %2 : f32\n}";
    assert_eq!(after(twice, "toy-clean").matches("toy.add").count(), 2);
    assert!(failure(twice, "toy-clean{pipeline=builtin.module(toy-panic)}").contains("pass toy-panic panicked"));
    assert!(failure(twice, "toy-clean{pipeline=nope}").starts_with("test.mlir:0:0: error: "));
}

#[test]
fn what_is_invalid_is_not_run() {
    let mut module = toy::parse(&toy::context(), FUNCTION);
    module.edit(|root, _| {
        root.collect("toy.add")[0].set_attr("mode", cke_mlir::Attr::string(root.context(), "up"));
    });
    let error = run(&mut module, "toy-lower").unwrap_err();
    assert_eq!(error, "test.mlir:2:8: error: 'toy.add' op has the unknown mode 'up'");
    assert_eq!(module.op().collect("toy.add").len(), 2, "nothing ran");
}

#[test]
fn a_pass_that_breaks_ir_is_caught() {
    let broken = "test.mlir:2:8: error: 'toy.add' op has the unknown mode 'up'";
    assert_eq!(failure(FUNCTION, "toy-break"), broken);
    let mut module = toy::parse(&toy::context(), FUNCTION);
    let config = PipelineConfig { verify_each: false, ..PipelineConfig::default() };
    assert!(run_pipeline(&mut module, "toy-break", &config).is_ok());
    assert_eq!(toy::show(&module.verify().unwrap_err()), broken);
}

#[test]
fn a_pass_on_functions_loads_nothing() {
    let found = failure(FUNCTION, "func.func(toy-parse)");
    assert!(found.contains("panicked: only a pass on the outermost operation may parse or load a dialect"), "{found}");
    assert!(after(FUNCTION, "toy-parse").contains("math.exp"));
}

#[test]
fn passes_are_listed() {
    toy::passes::register();
    let names: Vec<_> = pass::passes().iter().map(|pass| pass.argument).collect();
    assert!(names.contains(&"toy-mark") && names.contains(&"toy-clean"), "{names:?}");
    assert!(pass::pipelines().iter().any(|pipeline| pipeline.name == "toy-all"));
}

/// Effects, purity and symbols as upstream passes see them.
#[test]
fn upstream_passes_know_the_operations() {
    let source = r#"toy.weight "private" @unused storage "f" : f32
        toy.weight "private" @used storage "f" : tensor<4x4xf32>
        toy.weight @public storage "f" : f32
        toy.weight "private" @named storage "f" : f32
        func.func @f(%a: f32, %b: f32, %m: memref<4xf32>, %t: tensor<4x4xf32>, %n: index) -> f32 {
          %z = arith.constant 0 : index
          %o = arith.constant 1 : index
          %0 = toy.add %a, %b : f32
          %1 = toy.add %b, %a : f32
          %dead = toy.add %a, %a : f32
          %unread = toy.read %m : memref<4xf32> -> f32
          toy.write %0, %m : f32, memref<4xf32>
          %y = toy.linear %t, @used requires {contract = @named} : (tensor<4x4xf32>) -> tensor<4x4xf32>
          toy.seq auto %y : (tensor<4x4xf32>) -> ()
          scf.for %i = %z to %n step %o {
            %2 = toy.add %0, %1 mode "rtz" : f32
            %3 = toy.read %m : memref<4xf32> -> f32
            toy.write %2, %m : f32, memref<4xf32>
            toy.write %3, %m : f32, memref<4xf32>
          }
          return %1 : f32
        }"#;
    let text = after(source, "symbol-dce,func.func(cse,loop-invariant-code-motion,canonicalize)");
    assert!(!text.contains("@unused") && text.contains("@used") && text.contains("@public"), "{text}");
    assert!(text.contains("toy.weight \"private\" @named"), "a symbol in a dictionary is a use\n{text}");
    // Commuted operands are equal, the unused sum and read are gone, the sum in the loop has moved out.
    assert_eq!(text.matches("toy.add").count(), 2, "{text}");
    let in_loop = text.split("scf.for").nth(1).unwrap();
    assert!(!in_loop.contains("toy.add") && in_loop.contains("toy.read"), "{text}");
    assert_eq!(text.matches("toy.read").count(), 1, "{text}");
    assert_eq!(text.matches("toy.write").count(), 3, "{text}");
}

#[test]
fn upstream_passes_inline_the_operations() {
    let source = "func.func private @g(%a: f32) -> f32 {\n%0 = toy.add %a, %a : f32\nreturn %0 : f32\n}\n\
                  func.func @f(%a: f32) -> f32 {\n%0 = call @g(%a) : (f32) -> f32\nreturn %0 : f32\n}";
    let text = after(source, "inline");
    assert!(!text.contains("call") && text.contains("toy.add"), "{text}");
}

#[test]
fn isolated_functions_run_in_parallel() {
    let many: String = (0..50).map(|i| FUNCTION.replace("@f", &format!("@f{i}")) + "\n").collect();
    let mut module = toy::parse(&toy::context(), &many);
    module.context().multithreading(true);
    run(&mut module, "func.func(toy-mark,toy-lower,canonicalize)").unwrap();
    assert_eq!(module.op().collect("arith.addf").len(), 100);
}
