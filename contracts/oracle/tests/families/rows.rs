//! `swiglu`, `residual_add` and `argmax`.

use cke_contracts::layout::Layout;
use cke_contracts::registry::vocabulary::FixedValue;
use cke_oracle::functions::sigmoid_denominator_e1;

use super::support::{NAN, Run, bits, native, noise, semantics};

fn two_inputs(op: &str, names: [&str; 2], rows: usize, a: &[f32], b: &[f32]) -> Run {
    let dim = a.len() / rows;
    Run::new(op, native(op))
        .shape(&[("dim", dim as i64)])
        .tensor(names[0], Layout::RowMajor, &[rows, dim], a)
        .tensor(names[1], Layout::RowMajor, &[rows, dim], b)
        .output("y", Layout::RowMajor, &[rows, dim])
        .at(rows, 0)
}

fn swiglu(rows: usize, gate: &[f32], up: &[f32]) -> Run {
    two_inputs("swiglu", ["gate", "up"], rows, gate, up)
}

fn residual_add(rows: usize, a: &[f32], b: &[f32]) -> Run {
    two_inputs("residual_add", ["a", "b"], rows, a, b)
}

fn argmax(x: &[f32]) -> Run {
    Run::new("argmax", native("argmax"))
        .shape(&[("n", x.len() as i64)])
        .tensor("x", Layout::RowMajor, &[1, x.len()], x)
        .output("y", Layout::RowMajor, &[1])
}

#[test]
fn swiglu_divides_then_multiplies() {
    let (gate, up) = (noise(1, 60), noise(2, 60));
    let expected: Vec<f32> = gate.iter().zip(&up).map(|(g, u)| (g / sigmoid_denominator_e1(*g)) * u).collect();
    assert_eq!(swiglu(3, &gate, &up).values("y"), expected);
    assert_eq!(swiglu(1, &[0., 2e3, 1.], &[5., 0.5, 0.]).values("y"), [0., 1e3, 0.]);
}

#[test]
fn swiglu_special_values() {
    let inf = f32::INFINITY;
    let y = swiglu(1, &[f32::from_bits(0x7f80_0001), 1., inf, inf, -0., -inf], &[1., -f32::NAN, 2., 0., 1., 1.]);
    assert_eq!(y.result("y"), [NAN, NAN, inf.to_bits(), NAN, 0x8000_0000, (-inf).to_bits()]);
}

#[test]
fn residual_add_adds() {
    let inf = f32::INFINITY;
    let y = residual_add(2, &[1., -0., f32::from_bits(1), inf], &[2., -0., f32::from_bits(1), -inf]).result("y");
    assert_eq!(y, [3.0_f32.to_bits(), 0x8000_0000, 2, NAN]);
    let y = residual_add(1, &[f32::from_bits(0xffc0_0001), 0., f32::MAX], &[0., -0., f32::MAX]).result("y");
    assert_eq!(y, [NAN, 0, inf.to_bits()]);
}

#[test]
fn elementwise_in_place() {
    let (a, b) = (noise(1, 20), noise(2, 20));
    for (op, names) in [("swiglu", ["gate", "up"]), ("residual_add", ["a", "b"])] {
        let apart = two_inputs(op, names, 2, &a, &b).result("y");
        for name in names {
            let mut run = two_inputs(op, names, 2, &a, &b).rename("y", "unused").alias("y", name);
            run.execute().expect("a valid call");
            assert_eq!(run.read("y"), apart, "{op} onto {name}");
        }
    }
    let twice = Run::new("residual_add", native("residual_add"))
        .shape(&[("dim", 20)])
        .tensor("a", Layout::RowMajor, &[1, 20], &a)
        .alias("b", "a")
        .alias("y", "a");
    assert_eq!(twice.result("y"), bits(&a.iter().map(|a| a + a).collect::<Vec<_>>()));
}

#[test]
fn argmax_selects_the_first_greatest() {
    for (x, expected) in [
        (vec![1., 3., 2.], 1),
        (vec![1., 3., 3.], 1),
        (vec![-0., 0.], 0),
        (vec![f32::NAN, -5., f32::NAN, -4.], 3),
        (vec![f32::NAN, f32::NAN], 0),
        (vec![f32::NEG_INFINITY, f32::NEG_INFINITY], 0),
        (vec![f32::NAN, f32::NEG_INFINITY], 0),
        (vec![f32::MAX, f32::INFINITY, f32::INFINITY], 1),
        (vec![-1.], 0),
    ] {
        assert_eq!(argmax(&x).result("y"), [expected], "{x:?}");
    }
    let mut x = noise(1, 49_152);
    x[40_000] = 2.0;
    assert_eq!(argmax(&x).result("y"), [40_000]);
}

#[test]
fn field_initial_of_argmax() {
    let run = argmax(&[-2., -1.]);
    let other = run.with(|c| semantics(c).selection.as_mut().unwrap().initial = FixedValue::PositiveZero);
    assert_eq!((run.result("y"), other.result("y")), (vec![1], vec![0]));
}

#[test]
fn field_initial_index_of_argmax() {
    let run = argmax(&[f32::NAN, f32::NAN]);
    let other = run.with(|c| semantics(c).selection.as_mut().unwrap().initial_index = 1);
    assert_eq!((run.result("y"), other.result("y")), (vec![0], vec![1]));
}
