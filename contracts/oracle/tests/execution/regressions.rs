//! Mistakes of the past that a contract's field now excludes, numbered as in the table of regressions.

use cke_contracts::fault::Code;
use cke_contracts::layout::Layout;
use cke_contracts::registry::vocabulary::{
    GateRule, GeluRule, OperatorFamily, Pairing, PositionSource, ReciprocalRule, RotationRule, SectionInterpretation,
    WeightStorage,
};
use cke_contracts::registry::{Contract, ContractKind, Registry};
use cke_oracle::rope_table::rope_table;
use serde_json::json;

use super::support::{Run, execution, native, native_rope, noise, semantics};

const ROWS: usize = 64;
const WIDTH: usize = 128;

fn rope(contract: Contract, base: f64) -> Run {
    let table = rope_table(base, WIDTH, ROWS).expect("a valid table");
    Run::new("rope", contract)
        .shape(&[("heads", 1), ("head_dim", WIDTH as i64), ("rotary_dim", WIDTH as i64), ("positions", ROWS as i64)])
        .tensor("x", Layout::RowMajor, &[ROWS, WIDTH], &noise(1, ROWS * WIDTH))
        .tensor("table", Layout::RowMajor, &[ROWS, WIDTH / 2, 2], &table)
        .output("y", Layout::RowMajor, &[ROWS, WIDTH])
        .at(ROWS, 0)
}

/// A contract changed in its semantics, its words following.
fn changed(mut contract: Contract, change: impl FnOnce(&mut Contract)) -> Contract {
    change(&mut contract);
    execution(&mut contract).restate();
    contract
}

fn valid(contract: &Contract) -> Result<(), (Code, String)> {
    let entry = ("a_contract_under_test".to_owned(), ContractKind::Execution, contract.definition());
    Registry::from_values([entry], []).map(drop).map_err(|fault| (fault.code, fault.message))
}

fn rmse(one: &[f32], other: &[f32]) -> f64 {
    let differences = one.iter().zip(other).map(|(a, b)| f64::from(*a) - f64::from(*b));
    (differences.map(|difference| difference * difference).sum::<f64>() / one.len() as f64).sqrt()
}

fn different(one: &[u32], other: &[u32]) -> usize {
    one.iter().zip(other).filter(|(one, other)| one != other).count()
}

/// The base is a parameter of the table a layer reads; the global base on a local layer is far off, not a rounding.
#[test]
fn regression_11_rope_base_per_layer() {
    let contract = native_rope(Pairing::SplitHalf);
    let local = rope(contract.clone(), 1e4).values("y");
    let error = rmse(&local, &rope(contract, 1e6).values("y"));
    println!("rmse of the global base on a local layer: {error:.4}");
    assert!((0.3..1.0).contains(&error), "{error}");
}

/// The contract of a text model with three axes: 24 + 20 + 20 pairs, a head of 128.
fn multi_section(rotary_width: u32) -> Contract {
    changed(native_rope(Pairing::SplitHalf), |contract| {
        let transform = execution(contract).position_transform.as_mut().expect("rope");
        transform.pairing = Pairing::MultiSection;
        transform.section_interpretation = SectionInterpretation::AxisSelection;
        transform.position_rank = 4;
        transform.axis_order = ["temporal", "height", "width", "reserved"].map(str::to_owned).to_vec();
        transform.position_source = Some(PositionSource::ExplicitI32AxisStreams);
        transform.rotary_width_value = Some(rotary_width);
        transform.head_width_value = Some(128);
        let rotation = semantics(contract).rotation.as_mut().expect("rope");
        rotation.row_position = serde_json::from_value(json!("entry_of_axis_stream")).expect("a word");
        rotation.sections = Some(vec![24, 20, 20, 0]);
    })
}

#[test]
fn regression_12_mrope_width_is_not_the_sum_of_sections() {
    assert_eq!(valid(&multi_section(128)), Ok(()));
    let (code, message) = valid(&multi_section(64)).expect_err("the sum of sections as the width");
    assert_eq!(code, Code::ContradictoryContract);
    assert!(message.contains("semantics.rotation.sections select axes for 64 pairs, the rotary width 64 has 32"));

    let streams: Vec<u32> = (0..4 * ROWS as u32).map(|n| [n % 64, n % 7, n % 5, 0][n as usize / ROWS]).collect();
    let run = rope(multi_section(128), 1e4).bits("axis_positions", Layout::RowMajor, &[4, ROWS], &streams);
    let bits = run.clone().result("y");
    let one_axis = rope(native_rope(Pairing::SplitHalf), 1e4).result("y");
    let temporal = |n: &usize| n % (WIDTH / 2) < 24;
    assert!((0..bits.len()).filter(temporal).all(|n| bits[n] == one_axis[n]), "the first 24 pairs follow time");
    assert!(different(&bits, &one_axis) > ROWS * 60, "the others do not");
    let interleaved = run.with(|contract| {
        let transform = execution(contract).position_transform.as_mut().expect("rope");
        transform.section_interpretation = SectionInterpretation::InterleavedAxisSelection;
    });
    assert!(different(&interleaved.result("y"), &bits) > 1000, "how sections select is a field");
    let widths = run.with(|contract| {
        let transform = execution(contract).position_transform.as_mut().expect("rope");
        transform.section_interpretation = SectionInterpretation::ContiguousWidths;
    });
    assert!(widths.error().contains("position_transform.section_interpretation 'contiguous_widths'"));
}

#[test]
fn regression_13_rounding_of_the_partner_product() {
    let results: Vec<_> = RotationRule::ALL
        .iter()
        .map(|rule| {
            let contract = changed(native_rope(Pairing::SplitHalf), |c| {
                semantics(c).rotation.as_mut().expect("rope").pair = *rule;
            });
            assert_eq!(valid(&contract), Ok(()), "{rule}");
            rope(contract, 1e4).result("y")
        })
        .collect();
    for (n, one) in results.iter().enumerate() {
        for (m, other) in results.iter().enumerate().skip(n + 1) {
            let count = different(one, other);
            println!("{} and {}: {count} of {}", RotationRule::ALL[n], RotationRule::ALL[m], one.len());
            assert!(count > 100);
        }
    }
    let mut unsaid = native_rope(Pairing::SplitHalf);
    execution(&mut unsaid).position_transform.as_mut().expect("rope").rounding_points.remove(0);
    let (_, message) = valid(&unsaid).expect_err("a point left out");
    assert!(message.contains("position_transform.rounding_points is [rotation_update]"), "{message}");
}

fn rmsnorm(rule: ReciprocalRule, rows: usize) -> Run {
    let contract = changed(native("rmsnorm"), |c| {
        semantics(c).normalization.as_mut().expect("rmsnorm").reciprocal = rule;
    });
    assert_eq!(valid(&contract), Ok(()), "{rule}");
    Run::new("rmsnorm", contract)
        .shape(&[("dim", WIDTH as i64)])
        .param("eps", 1e-6)
        .tensor("x", Layout::RowMajor, &[rows, WIDTH], &noise(5, rows * WIDTH))
        .tensor("gamma", Layout::RowMajor, &[WIDTH], &[1.0; WIDTH])
        .output("y", Layout::RowMajor, &[rows, WIDTH])
        .at(rows, 0)
}

#[test]
fn regression_18_the_reciprocal_root_is_a_field() {
    let exact = rmsnorm(ReciprocalRule::OneDividedBySquareRoot, 130).result("y");
    let once = rmsnorm(ReciprocalRule::PowerMinusOneHalf, 130).result("y");
    println!("{} of {} differ", different(&exact, &once), exact.len());
    assert!(different(&exact, &once) > 100);
    let estimate = rmsnorm(ReciprocalRule::Rsqrt14ThenNewton, 130).error();
    assert_eq!(estimate, "rmsnorm: semantics.normalization.reciprocal 'rsqrt14_then_newton' is not implemented");
}

/// A framework that dispatches `pow(x, -0.5)` to a square root and a division computes another contract.
#[test]
fn regression_29_a_power_is_not_a_reciprocal_root() {
    let quotient = rmsnorm(ReciprocalRule::OneDividedBySquareRoot, 384).result("y");
    let power = rmsnorm(ReciprocalRule::PowerMinusOneHalf, 384).result("y");
    let rows = quotient.chunks(WIDTH).zip(power.chunks(WIDTH)).filter(|(one, other)| one != other).count();
    println!("{rows} of 384 rows differ");
    assert!((1..384).contains(&rows));
    assert_ne!(
        execution(&mut rmsnorm(ReciprocalRule::PowerMinusOneHalf, 1).contract).compute.evaluation_order,
        execution(&mut native("rmsnorm")).compute.evaluation_order
    );
}

fn row_of(op: &str, contract: Contract, inputs: &[&str]) -> Run {
    let run = Run::new(op, contract).shape(&[("dim", 4096)]);
    let run = inputs.iter().zip(1..).fold(run, |run, (name, seed)| {
        let values: Vec<f32> = noise(seed, 4096).into_iter().map(|x| 6.0 * x).collect();
        run.tensor(name, Layout::RowMajor, &[1, 4096], &values)
    });
    run.output("y", Layout::RowMajor, &[1, 4096])
}

#[test]
fn regression_19_evaluation_order_of_swiglu_and_gelu() {
    let orders: Vec<_> = GateRule::ALL
        .iter()
        .map(|rule| {
            let contract =
                changed(native("swiglu"), |c| semantics(c).gate.as_mut().expect("swiglu").combination = *rule);
            assert_eq!(valid(&contract), Ok(()), "{rule}");
            row_of("swiglu", contract, &["gate", "up"]).result("y")
        })
        .collect();
    assert!(different(&orders[0], &orders[1]) > 400 && different(&orders[0], &orders[2]) > 400);
    assert!(different(&orders[1], &orders[2]) > 400);

    let gelu = |rule| {
        let contract = changed(native("swiglu"), |c| {
            execution(c).operator_family = OperatorFamily::Gelu;
            assert_eq!(execution(c).storage.weight, WeightStorage::None);
            let semantics = semantics(c);
            semantics.operations = vec!["gelu".to_owned()];
            (semantics.gate, semantics.gelu) = (None, Some(rule));
        });
        assert_eq!(valid(&contract), Ok(()), "{rule}");
        row_of("gelu", contract, &["x"]).values("y")
    };
    let [tanh, erf, table] = [GeluRule::TanhSigmoidE1, GeluRule::ErfFp64Series, GeluRule::TanhFp16Table].map(gelu);
    let [from_table, from_erf] = [rmse(&tanh, &table), rmse(&tanh, &erf)];
    println!("tanh against its table: {from_table:.4e}; against erf: {from_erf:.4e}");
    assert!((1e-5..2e-3).contains(&from_table) && (1e-5..2e-3).contains(&from_erf));
}

/// The string of v8 is no prose: it is the one that follows from the fields.
#[test]
fn regression_19_the_string_binds() {
    let mut contract = native("swiglu");
    execution(&mut contract).compute.evaluation_order = Some("ggml_isa_vector_exp".to_owned());
    let (code, message) = valid(&contract).expect_err("another order");
    assert_eq!(code, Code::ContradictoryContract);
    assert!(
        message.contains("compute.evaluation_order is ggml_isa_vector_exp, the explicit semantics have sigmoid_e1")
    );
    let mut contract = native("swiglu");
    semantics(&mut contract).gate.as_mut().expect("swiglu").combination = GateRule::GateTimesReciprocalThenTimesUp;
    assert!(valid(&contract).is_err(), "the words say divide");
}

#[test]
fn regression_30_a_thread_pin_is_required() {
    let mut contract = native("linear");
    execution(&mut contract).threading.thread_count_changes_arithmetic_order = true;
    let (code, message) = valid(&contract).expect_err("no pin");
    assert_eq!(code, Code::IncompleteContract);
    assert!(
        message.contains("threading.thread_count_changes_arithmetic_order needs semantics.thread_pin"),
        "{message}"
    );
    // As v8 states it, the contract can only be reported.
    execution(&mut contract).semantics = None;
    assert!(contract.unspecified().contains(&"thread_pin"));
    execution(&mut contract).threading.thread_count_changes_arithmetic_order = false;
    assert!(!contract.unspecified().contains(&"thread_pin"));
}

/// One in fixed point with 56 binary places.
const ONE: i128 = 1 << 56;

/// Cosine and sine by Taylor's series in integers, an angle in fixed point.
fn cos_sin(angle: i128) -> (f64, f64) {
    const TWO_PI: i128 = 0x0648_7ed5_110b_4611; // 2 pi * 2^56
    let r = angle % TWO_PI;
    let (mut term, mut cosine, mut sine) = (ONE, 0, 0);
    for k in 0..60 {
        let signed = if k & 2 == 0 { term } else { -term };
        *(if k & 1 == 0 { &mut cosine } else { &mut sine }) += signed;
        term = ((term * r) >> 56) / (k + 1);
    }
    (cosine as f64 / ONE as f64, sine as f64 / ONE as f64)
}

/// No libm and no long double: the table against integers. With base 10^4 and 8 dimensions the frequencies are 1, 1/10,
/// 1/100 and 1/1000.
#[test]
fn regression_35_the_rope_table_needs_no_libm() {
    const POSITIONS: usize = 2048;
    let table = rope_table(1e4, 8, POSITIONS).expect("a valid table");
    let mut not_rounded = 0;
    for position in 0..POSITIONS {
        for i in 0..4 {
            let (cosine, sine) = cos_sin(ONE * position as i128 / 10_i128.pow(i));
            let at = 8 * position + 2 * i as usize;
            for (found, exact) in [(table[at], cosine), (table[at + 1], sine)] {
                assert!((f64::from(found) - exact).abs() < 2.99e-8, "position {position}, frequency {i}");
                not_rounded += usize::from(found != exact as f32);
            }
        }
    }
    assert!(not_rounded <= 1, "{not_rounded} entries are not the exact value rounded once");
}
