//! Checks of the explicit semantics of a quantized linear contract.

use std::collections::BTreeMap;

use super::check_reduction::{self, OutputKind, contradiction, incomplete};
use super::vocabulary::{
    CodePacking, CodeRounding, CodeSign, ExtremeRule, FixedValue, HorizontalReduction, IntegerAccumulator, InverseRule,
    LinearActivationFormat, LinearFloat, LinearLane, LinearWeightFormat, NonfiniteCode, ParallelReductionKind,
    QuantizerRule, ReductionUpdate, ScaleOfCodes, SplitStrategy, SubScales, WorkPartition,
};
use super::{
    Code, Contract, Fault, LinearChain, LinearSemantics, QuantizedLinear, Quantizer, ResidualRows, Threading,
    WeightBlock,
};

/// The rows of a group, as the axis of effective contracts counts them.
const ROW_GROUP: u32 = 4;

/// Checks the semantics of a contract against themselves and against the other fields.
pub(super) fn check(
    id: &str,
    contract: &QuantizedLinear,
    semantics: &LinearSemantics,
    contracts: &BTreeMap<String, Contract>,
) -> Result<(), Fault> {
    check_reduction::operations(&semantics.operations)?;
    check_reduction::special_values(OutputKind::Computed, semantics.nan, semantics.zero_sign)?;
    check_reduction::threading(&semantics.threading, semantics.thread_pin)?;
    check_defined(contract)?;
    let (block, other) = (contract.weight.block_size, contract.activation.block_size);
    if block != other {
        return Err(contradiction(format!("weight.block_size is {block}, but activation.block_size is {other}")));
    }
    check_weight(&semantics.weight, block)?;
    check_quantizer(&semantics.quantizer)?;
    check_chains(contract, semantics)?;
    check_words(contract, semantics)?;
    check_parallel(contract.parallel_reduction.kind, &semantics.threading)?;
    match &semantics.residual_rows {
        Some(residual) => check_residual(id, contract, residual, contracts),
        None => Ok(()),
    }
}

/// The formats and types that explicit semantics can speak of.
fn check_defined(contract: &QuantizedLinear) -> Result<(), Fault> {
    let undefined =
        |field: &str, value: &str| Err(incomplete(format!("no explicit semantics are defined for {field} {value}")));
    match contract.weight.format {
        LinearWeightFormat::Q4K | LinearWeightFormat::Q6K => {}
        format => return undefined("weight.format", format.as_str()),
    }
    match contract.activation.format {
        LinearActivationFormat::Q8K => {}
        format => return undefined("activation.format", format.as_str()),
    }
    match contract.dot.integer_accumulator {
        IntegerAccumulator::Int32 => {}
        integer => return undefined("dot.integer_accumulator", integer.as_str()),
    }
    for (field, float) in [("accumulator", contract.output.accumulator), ("storage", contract.output.storage)] {
        if float != LinearFloat::Fp32 {
            return undefined(&format!("output.{field}"), float.as_str());
        }
    }
    Ok(())
}

/// The parts of a block fill it without gap or overlap.
fn check_weight(weight: &WeightBlock, block: u32) -> Result<(), Fault> {
    let sub_block = weight.sub_block;
    if sub_block == 0 || !block.is_multiple_of(sub_block) {
        return Err(contradiction(format!(
            "semantics.weight.sub_block {sub_block} does not divide a block of {block}"
        )));
    }
    let rows = weight.rows;
    match (rows, weight.interleave) {
        (0, _) => return Err(contradiction("semantics.weight.rows is 0")),
        (1, Some(_)) => return Err(contradiction("semantics.weight.interleave is given, but rows share no block")),
        (2.., None) => {
            return Err(incomplete(format!("semantics.weight.rows {rows} needs semantics.weight.interleave")));
        }
        (_, Some(width)) if width == 0 || !(block / 2).is_multiple_of(width) => {
            let codes = block / 2;
            let message = format!("semantics.weight.interleave {width} does not divide {codes} bytes of codes");
            return Err(contradiction(message));
        }
        _ => {}
    }
    let sub_blocks = block / sub_block;
    let packed = |count: u32, of: &str| match count {
        8 => Ok(()),
        _ => {
            Err(contradiction(format!("semantics.weight.sub_scales {} packs 8 {of}, found {count}", weight.sub_scales)))
        }
    };
    let scales = match weight.sub_scales {
        SubScales::SixBitPairsBySubBlock => packed(sub_blocks, "sub-blocks").map(|()| rows.saturating_mul(12))?,
        SubScales::SixBitPairsByRow => packed(rows, "rows").map(|()| sub_blocks.saturating_mul(12))?,
        SubScales::SignedBytes => rows.saturating_mul(sub_blocks),
    };
    let (step, high) = match weight.codes {
        CodePacking::NibblesOf64 => (64, None),
        CodePacking::NibblesOf128WithHighPairs => (128, Some(block / 4)),
    };
    if !block.is_multiple_of(step) {
        return Err(contradiction(format!("semantics.weight.codes {} do not fill a block of {block}", weight.codes)));
    }
    if high.is_some() != weight.high_codes_offset.is_some() {
        let (codes, found) = (weight.codes, if high.is_some() { "needs" } else { "has no" });
        return Err(contradiction(format!(
            "semantics.weight.codes {codes} {found} semantics.weight.high_codes_offset"
        )));
    }
    if weight.zero_point.is_some_and(|zero_point| zero_point.code == 0 || zero_point.width == 0) {
        return Err(contradiction("semantics.weight.zero_point has a code or a width of 0"));
    }
    let mut parts = vec![
        (weight.scale_offset, rows.saturating_mul(2)),
        (weight.sub_scales_offset, scales),
        (weight.codes_offset, rows.saturating_mul(block / 2)),
    ];
    parts.extend(weight.minimum_offset.map(|offset| (offset, rows.saturating_mul(2))));
    parts.extend(weight.high_codes_offset.zip(high).map(|(offset, bytes)| (offset, rows.saturating_mul(bytes))));
    parts.sort_unstable();
    let end = parts.iter().try_fold(0_u32, |end, (offset, bytes)| match *offset == end {
        true => Ok(end.saturating_add(*bytes)),
        false => Err(contradiction(format!("semantics.weight: a part at byte {offset}, where byte {end} is next"))),
    })?;
    match end == weight.bytes {
        true => Ok(()),
        false => Err(contradiction(format!("semantics.weight.bytes is {}, the parts take {end}", weight.bytes))),
    }
}

/// The rule that a name stands for.
fn quantizer(rule: QuantizerRule) -> Quantizer {
    Quantizer {
        rule,
        extreme: match rule {
            QuantizerRule::CanonicalQ8KRowNearest => ExtremeRule::FirstOfGreatestMagnitude,
            QuantizerRule::LlamaRepackQ8K4RowNearestEven => ExtremeRule::PositiveOfGreatestMagnitude,
        },
        extreme_code: 127,
        extreme_sign: CodeSign::Negative,
        inverse: InverseRule::CodeDividedByExtreme,
        rounding: CodeRounding::ProductThenNearestEven,
        maximum: 127,
        scale: ScaleOfCodes::OneDividedByInverse,
        nonfinite: NonfiniteCode::Zero,
    }
}

fn check_quantizer(found: &Quantizer) -> Result<(), Fault> {
    let expected = quantizer(found.rule);
    let fields = [
        ("extreme", found.extreme.to_string(), expected.extreme.to_string()),
        ("extreme_code", found.extreme_code.to_string(), expected.extreme_code.to_string()),
        ("extreme_sign", found.extreme_sign.to_string(), expected.extreme_sign.to_string()),
        ("inverse", found.inverse.to_string(), expected.inverse.to_string()),
        ("rounding", found.rounding.to_string(), expected.rounding.to_string()),
        ("maximum", found.maximum.to_string(), expected.maximum.to_string()),
        ("scale", found.scale.to_string(), expected.scale.to_string()),
        ("nonfinite", found.nonfinite.to_string(), expected.nonfinite.to_string()),
    ];
    match fields.iter().find(|(_, found, expected)| found != expected) {
        None => Ok(()),
        Some((field, is, has)) => {
            let rule = found.rule;
            Err(contradiction(format!(
                "semantics.quantizer.{field} is {is}: semantics.quantizer.rule {rule} has {has}"
            )))
        }
    }
}

fn check_chains(contract: &QuantizedLinear, semantics: &LinearSemantics) -> Result<(), Fault> {
    let minima = semantics.weight.sub_scales != SubScales::SignedBytes;
    for (field, present) in
        [("minimum", semantics.minimum.is_some()), ("weight.minimum_offset", semantics.weight.minimum_offset.is_some())]
    {
        let scales = semantics.weight.sub_scales;
        match (minima, present) {
            (true, false) => {
                return Err(incomplete(format!("semantics.weight.sub_scales {scales} needs semantics.{field}")));
            }
            (false, true) => {
                return Err(contradiction(format!("semantics.weight.sub_scales {scales} has no semantics.{field}")));
            }
            _ => {}
        }
    }
    let dot = &contract.dot;
    let chains = [
        ("value", "fp32_accumulator_lanes", Some(&semantics.value), dot.fp32_accumulator_lanes),
        ("minimum", "minimum_accumulator_lanes", semantics.minimum.as_ref(), dot.minimum_accumulator_lanes),
    ];
    for (field, stated_field, chain, stated) in chains {
        let count = chain.map(|chain| chain.lanes.count);
        if count != stated {
            let text = |count: Option<u32>| count.map_or("absent".to_owned(), |count| count.to_string());
            return Err(contradiction(format!(
                "semantics.{field}.lanes.count is {}, but dot.{stated_field} is {}",
                text(count),
                text(stated)
            )));
        }
        if let Some(chain) = chain {
            check_chain(&format!("semantics.{field}"), chain, contract, &semantics.weight)?;
        }
    }
    Ok(())
}

fn check_chain(
    field: &str,
    chain: &LinearChain,
    contract: &QuantizedLinear,
    weight: &WeightBlock,
) -> Result<(), Fault> {
    let (block, group) = (contract.weight.block_size, chain.group);
    if group == 0 || !block.is_multiple_of(group) || !group.is_multiple_of(weight.sub_block) {
        let sub_block = weight.sub_block;
        return Err(contradiction(format!(
            "{field}.group {group} is no number of sub-blocks of {sub_block} that divides a block of {block}"
        )));
    }
    if chain.update == ReductionUpdate::Add {
        return Err(contradiction(format!("{field}.update is {}: a term has two factors", chain.update)));
    }
    if chain.initial != FixedValue::PositiveZero {
        return Err(contradiction(format!("{field}.initial is {}: a sum starts at positive_zero", chain.initial)));
    }
    let lanes = chain.lanes;
    let mut left = match (lanes.assignment, lanes.width) {
        (LinearLane::ElementGroups, None) => {
            return Err(incomplete(format!("{field}.lanes.assignment {} needs {field}.lanes.width", lanes.assignment)));
        }
        (LinearLane::OutputColumns, Some(_)) => {
            let message = format!("{field}.lanes.assignment {} has no {field}.lanes.width", lanes.assignment);
            return Err(contradiction(message));
        }
        (LinearLane::ElementGroups, Some(0)) => return Err(contradiction(format!("{field}.lanes.width is 0"))),
        // Otherwise groups that differ in number give the same bits: one meaning, two definitions.
        (LinearLane::ElementGroups, Some(width))
            if !lanes.count.checked_mul(width).is_some_and(|turn| turn != 0 && group.is_multiple_of(turn)) =>
        {
            let count = lanes.count;
            return Err(contradiction(format!(
                "{field}.group {group} is no number of turns of {count} lanes of {width}"
            )));
        }
        (LinearLane::ElementGroups, Some(_)) => lanes.count,
        (LinearLane::OutputColumns, None) if lanes.count != weight.rows => {
            let (count, rows) = (lanes.count, weight.rows);
            return Err(contradiction(format!("{field}.lanes.count is {count}, but {rows} outputs share a block")));
        }
        (LinearLane::OutputColumns, None) => 1,
    };
    for stride in &chain.horizontal_tree {
        if stride.checked_mul(2) != Some(left) {
            let message = format!("{field}.horizontal_tree: stride {stride} does not halve {left} lanes");
            return Err(contradiction(message));
        }
        left = *stride;
    }
    if left != 1 {
        return Err(incomplete(format!("{field}.horizontal_tree leaves {left} lanes")));
    }
    let expected = match lanes.assignment {
        LinearLane::ElementGroups => HorizontalReduction::LlamaX86LaneOrder,
        LinearLane::OutputColumns => HorizontalReduction::None,
    };
    match contract.output.horizontal_reduction {
        Some(found) if found == expected => Ok(()),
        found => {
            let found = found.map_or("absent", HorizontalReduction::as_str);
            let assignment = lanes.assignment;
            Err(contradiction(format!(
                "output.horizontal_reduction is {found}: {field}.lanes.assignment {assignment} has {expected}"
            )))
        }
    }
}

/// The words of v8 for what the explicit fields say: they may not disagree.
fn check_words(contract: &QuantizedLinear, semantics: &LinearSemantics) -> Result<(), Fault> {
    let format = contract.weight.format;
    let (rows, group) = (semantics.weight.rows, semantics.value.group);
    let (layout, application) = match (format, rows, group) {
        (LinearWeightFormat::Q4K, 1, 256) => ("ggml_q4_k", "q4_k_scale_and_min_after_integer_block_sums"),
        (LinearWeightFormat::Q4K, 8, 64) => {
            ("ggml_q4_k_repacked_x8", "pair_adjacent_32_element_integer_sums_then_separate_fp32_value_and_min_fma")
        }
        (LinearWeightFormat::Q4K, 8, 256) => (
            "ggml_q4_k_repacked_x8",
            "complete_256_element_superblock_integer_sum_then_separate_fp32_value_and_min_fma",
        ),
        (LinearWeightFormat::Q6K, 1, 256) => ("ggml_q6_k", "q6_k_scale_and_q8_bsum_correction_in_int32"),
        _ => {
            let message =
                format!("weight.format {format}, semantics.weight.rows {rows} and semantics.value.group {group}");
            return Err(incomplete(format!("no explicit semantics are defined for {message}")));
        }
    };
    let words = [
        ("weight.layout", contract.weight.layout.as_str(), layout),
        ("activation.layout", &contract.activation.layout, "ggml_q8_k"),
        ("activation.quantization", &contract.activation.quantization, "quantize_row_q8_k_ref"),
        ("dot.block_scale_application", &contract.dot.block_scale_application, application),
    ];
    match words.iter().find(|(_, found, expected)| found != expected) {
        None => Ok(()),
        Some((field, found, expected)) => {
            Err(contradiction(format!("{field} is '{found}': the semantics are those of '{expected}'")))
        }
    }
}

/// Threads take outputs, and only outputs.
fn check_parallel(kind: ParallelReductionKind, threading: &Threading) -> Result<(), Fault> {
    let Threading { split_strategy: split, work_partition: partition, .. } = *threading;
    if kind != ParallelReductionKind::IndependentOutputs {
        return Err(incomplete(format!("no explicit semantics are defined for parallel_reduction.kind {kind}")));
    }
    if split != SplitStrategy::IndependentOutputs {
        let message = format!("semantics.threading.split_strategy is {split}, but parallel_reduction.kind is {kind}");
        return Err(contradiction(message));
    }
    match partition {
        WorkPartition::IndependentColumns => Ok(()),
        _ => Err(contradiction(format!("semantics.threading.work_partition is {partition}, outputs are columns"))),
    }
}

/// The rows beyond whole groups are of the same product, and the composite is no stronger than what they follow.
fn check_residual(
    id: &str,
    contract: &QuantizedLinear,
    residual: &ResidualRows,
    contracts: &BTreeMap<String, Contract>,
) -> Result<(), Fault> {
    if residual.group != ROW_GROUP {
        let group = residual.group;
        return Err(contradiction(format!("semantics.residual_rows.group is {group}, only {ROW_GROUP} is defined")));
    }
    let part = &residual.contract;
    let fault =
        |reason: &str| Err(Fault::new(Code::BadComposite, format!("semantics.residual_rows.contract {reason}")));
    let found = match contracts.get(part) {
        _ if part == id => return fault(&format!("'{part}' is the contract itself")),
        Some(Contract::Linear(found)) => found,
        Some(_) => return fault(&format!("'{part}' is no quantized linear contract")),
        None => return fault(&format!("'{part}' is not defined")),
    };
    if found.status < contract.status {
        let (whole, status) = (contract.status, found.status);
        return fault(&format!("'{part}' is {status}, the composite cannot be {whole}"));
    }
    let equal = [
        ("weight", found.weight == contract.weight),
        ("activation.format", found.activation.format == contract.activation.format),
        ("output", found.output == contract.output),
    ];
    if let Some((field, _)) = equal.iter().find(|(_, equal)| !equal) {
        return fault(&format!("'{part}' has another {field}"));
    }
    let semantics = [&contract.semantics, &found.semantics].map(Option::as_ref);
    match semantics {
        [Some(whole), Some(rest)] if whole.weight != rest.weight => {
            fault(&format!("'{part}' packs the weight another way"))
        }
        [_, Some(LinearSemantics { residual_rows: Some(_), .. })] => fault(&format!("'{part}' is a composite itself")),
        [_, None] => fault(&format!("'{part}' has no explicit semantics")),
        _ => Ok(()),
    }
}
