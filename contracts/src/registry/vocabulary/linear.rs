//! Words of quantized linear contracts.

use super::vocabulary;

vocabulary! {
    /// How a weight is stored, as the provider sees it.
    LinearWeightFormat {
        Q4K = "q4_k",
        Q6K = "q6_k",
        Q8_0 = "q8_0",
        Bf16 = "bf16",
        Fp16 = "fp16",
        Fp32 = "fp32",
    }
}

vocabulary! {
    /// What an activation is quantised to before the dot product.
    LinearActivationFormat {
        Q8K = "q8_k",
        Q8_0 = "q8_0",
        Bf16 = "bf16",
        Fp16 = "fp16",
        Fp32 = "fp32",
    }
}

vocabulary! {
    /// The type of the sums inside a block.
    IntegerAccumulator {
        Int32 = "int32",
        None = "none",
    }
}

vocabulary! {
    /// The order in which blocks enter an accumulator.
    BlockOrder {
        AscendingK = "ascending_k",
    }
}

vocabulary! {
    /// How the lanes of an accumulator become one value.
    HorizontalReduction {
        LlamaX86LaneOrder = "llama_x86_lane_order",
        ScalarAscending = "scalar_ascending",
        None = "none",
    }
}

vocabulary! {
    /// When a bias is added.
    BiasRule {
        AfterCompleteDot = "after_complete_dot",
        None = "none",
    }
}

vocabulary! {
    /// The type of an accumulator or of a stored result.
    LinearFloat {
        Fp32 = "fp32",
        Bf16 = "bf16",
        Fp16 = "fp16",
    }
}

vocabulary! {
    /// How threads share a product.
    ParallelReductionKind {
        IndependentOutputs = "independent_outputs",
        SplitK = "split_k",
    }
}

vocabulary! {
    /// What threads do to the order of the sums.
    ParallelOrderEffect {
        None = "none",
        ContractDefined = "contract_defined",
    }
}
