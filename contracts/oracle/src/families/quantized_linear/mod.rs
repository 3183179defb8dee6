//! `linear` under a quantized linear contract: integer sums of codes, scaled and accumulated in fp32.

mod weight;

use weight::{Block, Weights};

use super::write_rows;
use crate::call::{check_threads, expect};
use crate::fma::{fma, multiply_then_add};
use crate::nan::canonical;
use crate::quantize::{Quantized, quantize};
use crate::{Call, Port};
use cke_contracts::registry::vocabulary::{
    BiasRule, FactorRule, FixedValue, IntegerAccumulator, LinearFloat, LinearLane, NanRule, OutputRows,
    ParallelReductionKind, ReductionUpdate, ZeroSign,
};
use cke_contracts::registry::{Contract, LinearChain, LinearLanes, LinearSemantics, QuantizedLinear};

/// Ports `x`, `w` (packed bytes), `y` and, where there is one, `bias`; shape `k`, `n`.
///
/// Rows beyond whole groups follow the contract that `residual_rows` names, which must be among the parts of the context.
pub(crate) fn execute(call: &Call<'_>, contract: &QuantizedLinear, state: &mut [u8]) -> Result<(), String> {
    let product = Product::new(contract)?;
    let whole = product.whole_rows(call.rows);
    let residual = match &product.semantics.residual_rows {
        Some(residual) if whole < call.rows => {
            let id = &residual.contract;
            match call.context.parts.and_then(|parts| parts.get(id)) {
                Some(Contract::Linear(part)) => Some(Product::new(part)?),
                _ => return Err(format!("semantics.residual_rows.contract '{id}' is not at hand")),
            }
        }
        _ => None,
    };

    let (k, n) = (call.extent("k")?, call.extent("n")?);
    let rows = match product.semantics.output_rows {
        OutputRows::All => 0..call.rows,
        OutputRows::Last => call.rows - 1..call.rows,
    };
    let x = call.tensor("x", &[call.rows, k], state)?;
    let y = call.tensor("y", &[rows.len(), n], state)?;
    let w = port(call, "w")?.ok_or("there is no port 'w'")?;
    let bias = match (contract.output.bias, port(call, "bias")?) {
        (BiasRule::None, Some(_)) => return Err("output.bias is 'none', but there is a port 'bias'".to_owned()),
        (_, Some(_)) => Some(call.tensor("bias", &[n], state)?.read(state, &[])?),
        (_, None) => None,
    };

    let mut outputs = Vec::with_capacity(rows.len());
    for row in rows {
        let product = if row < whole { &product } else { residual.as_ref().unwrap_or(&product) };
        let weights = Weights::new(product.contract, product.semantics, &w, (n, k), state)?;
        let mut output = product.row(&x.read(state, &[row])?, &weights, n)?;
        for (value, bias) in output.iter_mut().zip(bias.iter().flatten()) {
            *value += bias;
        }
        outputs.push(output.into_iter().map(canonical).collect());
    }
    write_rows(&y, state, &outputs)
}

/// The port `name`, if there is one.
fn port<'a>(call: &Call<'a>, name: &str) -> Result<Option<Port<'a>>, String> {
    let mut ports = call.ports.iter().filter(|port| port.name == name);
    match (ports.next(), ports.next()) {
        (port, None) => Ok(port.copied()),
        (_, Some(_)) => Err(format!("there are two ports '{name}'")),
    }
}

/// A contract whose fields have been found to be implemented.
struct Product<'a> {
    contract: &'a QuantizedLinear,
    semantics: &'a LinearSemantics,
}

impl<'a> Product<'a> {
    fn new(contract: &'a QuantizedLinear) -> Result<Self, String> {
        let semantics = contract.semantics.as_ref().ok_or("the contract has no explicit semantics")?;
        expect("semantics.nan", semantics.nan, NanRule::Canonical7fc00000)?;
        expect("semantics.zero_sign", semantics.zero_sign, ZeroSign::Ieee)?;
        check_threads(semantics.threading, semantics.thread_pin, None)?;
        expect("dot.integer_accumulator", contract.dot.integer_accumulator, IntegerAccumulator::Int32)?;
        expect("output.accumulator", contract.output.accumulator, LinearFloat::Fp32)?;
        expect("output.storage", contract.output.storage, LinearFloat::Fp32)?;
        let kind = contract.parallel_reduction.kind;
        expect("parallel_reduction.kind", kind, ParallelReductionKind::IndependentOutputs)?;
        let (block, other) = (contract.weight.block_size, contract.activation.block_size);
        if block != other {
            return Err(format!("weight.block_size is {block}, but activation.block_size is {other}"));
        }
        Ok(Self { contract, semantics })
    }

    /// How many of `rows` are in whole groups.
    fn whole_rows(&self, rows: usize) -> usize {
        let group = self.semantics.residual_rows.as_ref().map_or(1, |residual| residual.group.max(1) as usize);
        rows / group * group
    }

    /// The outputs of one row, without bias.
    fn row(&self, x: &[f32], weights: &Weights<'_>, n: usize) -> Result<Vec<f32>, String> {
        let blocks = x.chunks_exact(self.contract.activation.block_size as usize);
        let quantised = blocks.map(|x| quantize(&self.semantics.quantizer, x)).collect::<Result<Vec<_>, _>>()?;
        (0..n).map(|n| self.output(&quantised, weights, n)).collect()
    }

    fn output(&self, x: &[Quantized], weights: &Weights<'_>, n: usize) -> Result<f32, String> {
        let semantics = self.semantics;
        let sub_block = semantics.weight.sub_block as usize;
        let zero_point = semantics.weight.zero_point;
        let mut value = Accumulator::new("semantics.value", &semantics.value)?;
        let mut minimum = match &semantics.minimum {
            Some(chain) => Some(Accumulator::new("semantics.minimum", chain)?),
            None => None,
        };
        for (b, x) in x.iter().enumerate() {
            let Block { scale, minimum_scale, scales, minima, codes } = weights.block(n, b)?;
            value.add(x.scale, scale, codes.len(), |k| {
                let scaled = scales[k / sub_block] * x.codes[k];
                let (zero_code, width) =
                    zero_point.map_or((0, None), |zero| (zero.code.cast_signed(), Some(zero.width)));
                [(scaled * codes[k], None), (-(scaled * zero_code), width)]
            });
            if let Some(minimum) = &mut minimum {
                minimum.add(x.scale, minimum_scale, codes.len(), |k| [(minima[k / sub_block] * x.codes[k], None)]);
            }
        }
        Ok(match minimum {
            None => value.fold(),
            Some(minimum) => value.fold() - minimum.fold(),
        })
    }
}

/// The fp32 lanes of one output.
struct Accumulator<'a> {
    chain: &'a LinearChain,
    lanes: Vec<f32>,
}

impl<'a> Accumulator<'a> {
    fn new(field: &str, chain: &'a LinearChain) -> Result<Self, String> {
        expect(&format!("{field}.initial"), chain.initial, FixedValue::PositiveZero)?;
        if chain.update == ReductionUpdate::Add {
            return Err(format!("{field}.update is 'add': a term has two factors"));
        }
        if chain.group == 0 {
            return Err(format!("{field}.group is 0"));
        }
        let count = match (chain.lanes.assignment, chain.lanes.width) {
            (LinearLane::OutputColumns, _) => 1,
            (LinearLane::ElementGroups, Some(1..)) => chain.lanes.count as usize,
            (LinearLane::ElementGroups, _) => return Err(format!("{field}.lanes.width is missing or 0")),
        };
        let mut left = count;
        for stride in &chain.horizontal_tree {
            if *stride as usize * 2 != left {
                return Err(format!(
                    "{field}.horizontal_tree: stride {stride} does not halve {left} lanes of {field}.lanes.count"
                ));
            }
            left = *stride as usize;
        }
        match left {
            1 => Ok(Self { chain, lanes: vec![0.0; count] }),
            _ => Err(format!("{field}.horizontal_tree leaves {left} lanes of {field}.lanes.count")),
        }
    }

    /// Adds the groups of a block. `terms` gives the integer terms of element k, and with each the width that finds its
    /// lane where it is not the chain's.
    fn add<const TERMS: usize>(
        &mut self,
        activation_scale: f32,
        weight_scale: f32,
        elements: usize,
        terms: impl Fn(usize) -> [(i32, Option<u32>); TERMS],
    ) {
        let count = self.lanes.len();
        let LinearLanes { assignment, width: of_chain, .. } = self.chain.lanes;
        let group = self.chain.group as usize;
        for first in (0..elements).step_by(group) {
            let mut sums = vec![0_i32; count];
            for k in first..(first + group).min(elements) {
                for (term, width) in terms(k) {
                    let lane = match (assignment, width.or(of_chain)) {
                        (LinearLane::ElementGroups, Some(width)) => k / width.max(1) as usize % count,
                        _ => 0,
                    };
                    sums[lane] = sums[lane].wrapping_add(term);
                }
            }
            for (lane, sum) in self.lanes.iter_mut().zip(sums) {
                let (a, b) = match self.chain.factor {
                    FactorRule::ScalesThenSum => (activation_scale * weight_scale, sum as f32),
                    FactorRule::SumTimesWeightScaleThenActivationScale => (sum as f32 * weight_scale, activation_scale),
                };
                *lane = match self.chain.update {
                    ReductionUpdate::MultiplyThenAdd => multiply_then_add(a, b, *lane),
                    ReductionUpdate::Fma | ReductionUpdate::Add => fma(a, b, *lane),
                };
            }
        }
    }

    /// The lanes folded by the tree.
    fn fold(mut self) -> f32 {
        for stride in &self.chain.horizontal_tree {
            let stride = *stride as usize;
            for lane in 0..stride {
                self.lanes[lane] += self.lanes[lane + stride];
            }
        }
        self.lanes[0]
    }
}
